"""Which files of a directory a job has published, and which of their names need not be kept any longer.

A job that runs for months publishes millions of files. There are three rules:

- `PublishedNames`: a name that was published is never read again. All names are kept.
- `RecentFiles`: files that are much older than the newest one published are not read. Only younger names are kept.
- `DisposedFiles`: a published file is deleted or moved away. Only names of files that are still there are kept.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from xpubsub.jobs.durable_files import sync_directory

_MARK = "//"
"""Ends the name in an item that tells files of the same name apart; no path below a directory contains it."""
_SWEEPS = 8
"""How often old names are looked for while the newest file grows younger by the largest age."""
_MANY = 1_000_000
"""How many names are kept before the log says how to keep fewer."""
_LOG = logging.getLogger("xpubsub.stream")


class PublishedFiles(Protocol):
    """Remembers files. Names are text; see `text_of`."""

    def item(self, name: str, path: str, status: os.stat_result) -> str:
        """Return the text by which the store knows a file."""

    def staying(self, item: str) -> str:
        """Return the item of a file that was not read completely, and so must stay where it is."""

    def is_new(self, name: str, entry: os.DirEntry[str]) -> bool:
        """Whether a file should be read."""

    def add(self, items: Iterable[str]) -> None:
        """Remember files that are being read, or were published before."""

    def discard(self, item: str) -> None:
        """Forget a file that has vanished before it was read."""

    def release(self, items: Iterable[str]) -> list[str]:
        """Take note that files are committed; return the items that the store can forget."""


class PublishedNames:
    """Keeps all names."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._said = False

    def item(self, name: str, path: str, status: os.stat_result) -> str:
        """Return the name."""
        return name

    def staying(self, item: str) -> str:
        """Return the same item: all files stay."""
        return item

    def is_new(self, name: str, entry: os.DirEntry[str]) -> bool:
        """Whether the name is new."""
        return name not in self._names

    def add(self, items: Iterable[str]) -> None:
        """Remember names."""
        self._names.update(item.partition(_MARK)[0] for item in items)
        if len(self._names) > _MANY and not self._said:
            self._said = True
            _LOG.warning("the job keeps the names of more than %d published files in memory: let it move or delete"
                        " published files (--done), or forget old ones (--max-file-age)", _MANY)

    def discard(self, item: str) -> None:
        """Forget a name."""
        self._names.discard(item)

    def release(self, items: Iterable[str]) -> list[str]:
        """Return nothing: all names are kept."""
        return []


class RecentFiles:
    """Keeps the names of files that are not much older, in seconds, than the newest one published."""

    def __init__(self, max_age: float) -> None:
        self._age = int(max_age * 1e9)
        self._reading: set[str] = set()
        self._published: dict[str, int | None] = {}
        self._newest = self._swept = 0

    def item(self, name: str, path: str, status: os.stat_result) -> str:
        """Return the name and the time of the last modification."""
        return f"{name}{_MARK}{status.st_mtime_ns}"

    def staying(self, item: str) -> str:
        """Return the same item: all files stay."""
        return item

    def is_new(self, name: str, entry: os.DirEntry[str]) -> bool:
        """Whether the name is new, and the file young enough."""
        if name in self._reading or name in self._published:
            return False
        return entry.stat().st_mtime_ns >= self._newest - self._age

    def add(self, items: Iterable[str]) -> None:
        """Remember names."""
        self._reading.update(item.partition(_MARK)[0] for item in items)

    def discard(self, item: str) -> None:
        """Forget a name."""
        self._reading.discard(item.partition(_MARK)[0])

    def release(self, items: Iterable[str]) -> list[str]:
        """Return the files that have become too old. Names without a time, from before there was an age, are kept."""
        for item in items:
            name, _, changed = item.partition(_MARK)
            self._reading.discard(name)
            self._published[name] = int(changed.partition("-")[0]) if changed else None
            self._newest = max(self._newest, self._published[name] or 0)
        if self._newest - self._swept < self._age / _SWEEPS:
            return []
        self._swept = self._newest
        old = {name: changed for name, changed in self._published.items()
               if changed is not None and changed < self._newest - self._age}
        for name in old:
            del self._published[name]
        return [f"{name}{_MARK}{changed}" for name, changed in old.items()]


class DisposedFiles:
    """Disposes of published files, and keeps the names of those that are still there.

    A file is known by its name, time, size and inode, so that a name can be used again once its file is gone. A file
    of which the item is only the name stays: it was published before, or could not be read completely.
    """

    def __init__(self, directory: Path, dispose: Callable[[Path, str], None]) -> None:
        self._directory, self._dispose = directory, dispose
        self._known: set[str] = set()
        self._paths: dict[str, str] = {}

    def item(self, name: str, path: str, status: os.stat_result) -> str:
        """Return the name, and what tells the file from others of that name."""
        item = f"{name}{_MARK}{_mark(status)}"
        if name != path:
            self._paths[item] = path
        return item

    def staying(self, item: str) -> str:
        """Return the name."""
        return item.partition(_MARK)[0]

    def is_new(self, name: str, entry: os.DirEntry[str]) -> bool:
        """Whether the file is not known."""
        return name not in self._known and f"{name}{_MARK}{_mark(entry.stat())}" not in self._known

    def add(self, items: Iterable[str]) -> None:
        """Remember files."""
        self._known.update(items)

    def discard(self, item: str) -> None:
        """Forget a file."""
        self._known.discard(item)
        self._paths.pop(item, None)

    def release(self, items: Iterable[str]) -> list[str]:
        """Dispose of files; return those that are gone, which stay gone even if the machine crashes."""
        given = list(items)
        self._known.update(item for item in given if _MARK not in item)
        gone = [item for item in given if _MARK in item and self._is_gone(item)]
        for parent in {(self._directory / item.partition(_MARK)[0]).parent for item in gone}:
            sync_directory(parent)
        for item in gone:
            self.discard(item)
        return gone

    def _is_gone(self, item: str) -> bool:
        """Dispose of a file unless it is gone; False if it is still there, or if that cannot be known."""
        name, _, mark = item.partition(_MARK)
        path = self._directory / self._paths.get(item, name)
        if item not in self._paths and "\\" in name:
            return False
        try:
            if _mark(path.stat()) == mark:
                self._dispose(path, name)
            return True
        except FileNotFoundError:
            return path.parent.is_dir()
        except OSError as error:
            _LOG.warning("%s was published, but stays: %s", path, error.strerror or error)
            return False


def _mark(status: os.stat_result) -> str:
    return f"{status.st_mtime_ns}-{status.st_size}-{status.st_ino}"
