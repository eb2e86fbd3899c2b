"""Where the tables of a store in a directory lie: their folders, their files, and which files have been read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa

from xpubsub.engines.store_files import Folders, StoreFiles


class TableFiles:
    """The folders and files of the tables of the version in use."""

    def __init__(self, files: StoreFiles) -> None:
        self._files = files
        self.version = files.version()
        """The version in use; 0 if there is none."""
        self._taken_over: Folders = files.folders(self.version) if self.version else {}
        self._dropped: dict[str, int] = {}
        self._found: dict[str, list[str]] = {}
        self._read: set[str] = set()
        self._unread: dict[str, list[str]] = {}
        self.scan()

    def begin(self) -> None:
        """Put a first version in use, if there is none."""
        if not self.version:
            self.version = 1
            self._files.complete(1, {})

    def use_newest(self) -> bool:
        """Use the version that another process has written; return whether there is one."""
        version = self._files.version()
        if version == self.version:
            return False
        self.version, self._taken_over = version, self._files.folders(version)
        return True

    def read_again(self) -> None:
        """Take all files as unread."""
        self._read.clear()
        self._unread.clear()
        self.scan()

    def scan(self) -> None:
        """List the files of all tables."""
        older = {int(folder.partition("/")[0][1:]) for folder in self._taken_over.values()}
        self._found = self._files.listed({*older, self.version} - {0})

    def folder(self, name: str) -> str:
        """Return the folder of a table, relative to the directory."""
        return self._taken_over.get(name) or f"v{self.version}/{self._own_name(name)}"

    def _own_name(self, name: str) -> str:
        return f"{name}_{self._dropped[name] + 1}" if name in self._dropped else name

    def paths(self, name: str) -> list[str]:
        """Return the files of a table, sorted."""
        return sorted(self._found.get(self.folder(name), ()))

    def size(self, name: str) -> int:
        """Return the size of a table's files in bytes."""
        return sum(self._files.sizes.get(path, 0) for path in self.paths(name))

    def make(self, name: str) -> None:
        """Create the folder of a table, if it has no files."""
        if self.folder(name) not in self._found:
            self._files.make_folder(self.folder(name))

    def drop(self, name: str) -> None:
        """Drop a table; a table created later with the same name gets another folder."""
        self._dropped[name] = self._dropped.get(name, 0) + 1
        self._unread.pop(name, None)

    def queue(self, name: str) -> bool:
        """Note the files of a table that nobody has read yet; return whether there are any."""
        new = [path for path in self._found.get(self.folder(name), ()) if path not in self._read]
        if new:
            self._unread.setdefault(name, []).extend(new)
            self._read.update(new)
        return bool(new)

    def unread(self, names: Iterable[str]) -> set[str]:
        """Return the tables, of those given, that have files still to be read."""
        return {*names} & self._unread.keys()

    def take_unread(self, name: str) -> list[str]:
        """Return the files of a table that are still to be read, once."""
        return self._unread.pop(name, [])

    def write_all(self, rows_of: Mapping[str, pa.Table]) -> None:
        """Write rows into the folders of tables, in this order, all or none; they count as read."""
        parts = {self.folder(name): rows for name, rows in rows_of.items()}
        for folder, path in zip(parts, self._files.write_all(parts), strict=True):
            self._note(folder, path)

    def _note(self, folder: str, path: str) -> None:
        """Note a file whose rows the process has."""
        self._read.add(path)
        self._found.setdefault(folder, []).append(path)

    def write_version(self, replaced: dict[str, pa.Table], names: Iterable[str]) -> None:
        """Write a new version with the rows of replaced tables; the other tables keep their folders."""
        new = self.version + 1
        self._files.discard(new)
        taken_over = {name: self.folder(name) for name in names if name not in replaced}
        for name, rows in sorted(replaced.items()):
            folder = f"v{new}/{self._own_name(name)}"
            self._files.make_folder(folder)
            if rows.num_rows:
                self._note(folder, self._files.write(folder, rows))
        self._files.complete(new, taken_over)
        self.version, self._taken_over = new, taken_over
        self._files.discard_unused(new)
