"""The files of a store in a directory: Parquet files by table, through pyarrow, so that it may be local, HDFS or S3.

The directory has versions `vN`, of which the newest complete one is in use. A version is complete once it has its
marker, a JSON file that names the folders of tables taken over from earlier versions. So replacing tables writes only
these tables, and the marker last: a crash leaves the earlier version in use.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable, Mapping
from contextlib import suppress

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from xpubsub.engines.reaching import file_system, reached

_MARKER = "_COMPLETE"
_VERSION = re.compile(r"v(\d+)")
_DATA = ".parquet"
_RECORDS = "_transactions"
Folders = dict[str, str]
"""For each table, its folder, relative to the directory."""


class StoreFiles:
    """The versions of a store, and the Parquet files of its tables."""

    def __init__(self, place: str, settings: Mapping[str, str]) -> None:
        self._place = place
        with reached(place):
            self._files, self.path = file_system(place, settings)
        self.sizes: dict[str, int] = {}
        """The sizes of the files that were listed or written, in bytes."""
        self._renames = isinstance(self._files, fs.LocalFileSystem | fs.HadoopFileSystem)

    @property
    def uri(self) -> str:
        """The path of the directory, with its scheme."""
        return self._place if "://" in self._place else f"file:{self.path}"

    @property
    def local_path(self) -> str | None:
        """The path of the directory if this machine has it on a disk."""
        return self.path if isinstance(self._files, fs.LocalFileSystem) else None

    def exists(self) -> bool:
        """Whether anything is at the path of the store."""
        return self.has(self.path)

    def has(self, path: str) -> bool:
        """Whether a path in the file system of the store exists."""
        return bool(self._type(path) != fs.FileType.NotFound)

    def is_empty(self) -> bool:
        """Whether the directory is empty but for hidden files and incomplete versions."""
        if self._type(self.path) == fs.FileType.File:
            return False
        return all(name[0] in "._" or _VERSION.fullmatch(name) for name in self._names(self.path))

    def version(self) -> int:
        """Return the newest complete version; 0 if there is none."""
        return next((each for each in sorted(self._versions(), reverse=True) if self._is_complete(each)), 0)

    def folders(self, version: int) -> Folders:
        """Return the folders of the tables that a version has taken over from earlier versions."""
        with reached(self._place), self._files.open_input_stream(self._marker(version)) as marker:
            return dict(json.loads(marker.read() or b"{}"))

    def listed(self, versions: Iterable[int]) -> dict[str, list[str]]:
        """Return the Parquet files of some versions, by folder."""
        found: dict[str, list[str]] = {}
        for version in versions:
            for path in self._below(f"{self.path}/v{version}"):
                folder, _, name = path.removeprefix(f"{self.path}/").rpartition("/")
                if name.endswith(_DATA) and name[0] not in "._":
                    found.setdefault(folder, []).append(path)
        return found

    def dataset(self, paths: list[str], schema: pa.Schema) -> pa.dataset.Dataset:
        """Return the rows of some files."""
        from pyarrow import dataset

        with reached(self._place):
            return dataset.dataset(paths, schema=schema, filesystem=self._files, format="parquet")

    def make_folder(self, folder: str) -> None:
        """Create a folder, so that Spark finds an empty table there."""
        with reached(self._place):
            self._files.create_dir(f"{self.path}/{folder}", recursive=True)

    def write(self, folder: str, rows: pa.Table) -> str:
        """Write rows as a new file into a folder and return its path; readers see all of the file or nothing."""
        hidden, path = self._paths(folder)
        if not self._renames:
            hidden = path
        self._write(hidden, rows)
        if self._renames:
            self._move(hidden, path)
        self.sizes[path] = self._size(path)
        return path

    def write_all(self, parts: Mapping[str, pa.Table]) -> list[str]:
        """Write rows as a new file into each folder, in this order; return the paths. After a crash, all or none exist.

        The files are hidden until a record of the transaction is written. If the process ends before they are all
        renamed, whoever opens the store next renames the others.
        """
        if len(parts) <= 1:
            return [self.write(folder, rows) for folder, rows in parts.items()]
        names = dict(map(self._paths, parts))
        for hidden, rows in zip(names, parts.values(), strict=True):
            self._write(hidden, rows)
        record = self._record({hidden.removeprefix(f"{self.path}/"): path.removeprefix(f"{self.path}/")
                               for hidden, path in names.items()})
        for hidden, path in names.items():
            self._move(hidden, path)
        self.delete(record)
        self.sizes.update((path, self._size(path)) for path in names.values())
        return list(names.values())

    def finish(self) -> None:
        """Rename the files of transactions that a crash has interrupted after their record was written."""
        for name in sorted(self._names(f"{self.path}/{_RECORDS}")):
            if name[0] in "._":
                continue
            for hidden, path in self._recorded(name).items():
                self._move(f"{self.path}/{hidden}", f"{self.path}/{path}")
            self.delete(f"{self.path}/{_RECORDS}/{name}")

    def _paths(self, folder: str) -> tuple[str, str]:
        """Return the paths of a new file in a folder: the hidden one, and the one that readers see."""
        name = f"part-{uuid.uuid4().hex}{_DATA}"
        return f"{self.path}/{folder}/_{name}", f"{self.path}/{folder}/{name}"

    def _write(self, path: str, rows: pa.Table) -> None:
        with reached(self._place):
            self._files.create_dir(path.rpartition("/")[0], recursive=True)
            pq.write_table(rows, path, filesystem=self._files, compression="zstd", store_schema=False)

    def _record(self, names: Mapping[str, str]) -> str:
        """Write the record of a transaction: its hidden files, and the names that they get."""
        directory, name = f"{self.path}/{_RECORDS}", f"{uuid.uuid4().hex}.json"
        written = f"{directory}/_{name}" if self._renames else f"{directory}/{name}"
        with reached(self._place):
            self._files.create_dir(directory, recursive=True)
            with self._files.open_output_stream(written) as record:
                record.write(json.dumps(names).encode())
            if self._renames:
                self._files.move(written, f"{directory}/{name}")
        return f"{directory}/{name}"

    def _recorded(self, name: str) -> dict[str, str]:
        """Read the record of a transaction; empty if another process has finished it."""
        with reached(self._place):
            try:
                with self._files.open_input_stream(f"{self.path}/{_RECORDS}/{name}") as record:
                    return dict(json.loads(record.read()))
            except FileNotFoundError:
                return {}

    def _move(self, hidden: str, path: str) -> None:
        """Rename a file, unless another process has done so."""
        with reached(self._place):
            try:
                self._files.move(hidden, path)
            except OSError:
                if self._type(hidden) != fs.FileType.NotFound:
                    raise

    def _size(self, path: str) -> int:
        with reached(self._place):
            return int(self._files.get_file_info(path).size or 0)

    def copy_in(self, source: str, folder: str, name: str) -> str:
        """Copy a local file into a folder and return its path."""
        with reached(self._place):
            self._files.create_dir(f"{self.path}/{folder}", recursive=True)
            fs.copy_files(source, f"{self.path}/{folder}/{name}",
                          source_filesystem=fs.LocalFileSystem(), destination_filesystem=self._files)
        return f"{self.path}/{folder}/{name}"

    def complete(self, version: int, folders: Folders) -> None:
        """Mark a version complete, which puts it in use."""
        with reached(self._place):
            self._files.create_dir(f"{self.path}/v{version}", recursive=True)
            with self._files.open_output_stream(self._marker(version)) as marker:
                marker.write(json.dumps(folders).encode())

    def discard(self, version: int) -> None:
        """Delete a version that a crash left incomplete."""
        with suppress(OSError):
            self._files.delete_dir(f"{self.path}/v{version}")

    def discard_unused(self, version: int) -> None:
        """Delete the folders that neither a version nor the one before it uses."""
        recent = {version, version - 1}
        used = {folder for each in recent if self._is_complete(each) for folder in self.folders(each).values()}
        for old in set(self._versions()) - recent:
            names = self._names(f"{self.path}/v{old}")
            unused = [name for name in names if f"v{old}/{name}" not in used]
            for path in [f"v{old}/{name}" for name in unused] if len(unused) < len(names) else [f"v{old}"]:
                self.delete(f"{self.path}/{path}")

    def delete(self, path: str) -> None:
        """Delete a file or a folder, if it is there."""
        with suppress(OSError):
            if self._type(path) == fs.FileType.Directory:
                self._files.delete_dir(path)
            else:
                self._files.delete_file(path)

    def _is_complete(self, version: int) -> bool:
        return bool(self._type(self._marker(version)) == fs.FileType.File)

    def _versions(self) -> list[int]:
        return [int(found[1]) for name in self._names(self.path) if (found := _VERSION.fullmatch(name))]

    def _marker(self, version: int) -> str:
        return f"{self.path}/v{version}/{_MARKER}"

    def _type(self, path: str) -> fs.FileType:
        with reached(self._place):
            return self._files.get_file_info(path).type

    def _names(self, path: str) -> list[str]:
        with reached(self._place):
            return [each.base_name for each in self._files.get_file_info(fs.FileSelector(path, allow_not_found=True))]

    def _below(self, path: str) -> list[str]:
        selector = fs.FileSelector(path, allow_not_found=True, recursive=True)
        with reached(self._place):
            found = [each for each in self._files.get_file_info(selector) if each.type == fs.FileType.File]
        self.sizes.update((each.path, each.size) for each in found)
        return [each.path for each in found]
