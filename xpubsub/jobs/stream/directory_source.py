"""The source `dir:PATH`: a directory that fills. Each *.xml file is a message; its id is its path below the directory.

Writers must make a file appear complete: write it under another name and rename it. A file's name is its identity: a
name that was published is never read again, whatever happens to the file, unless another rule of `published_files` is
asked for.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar, NamedTuple

from xpubsub.errors import Error, StoreError
from xpubsub.jobs.stream.messages import Json, Polled, StreamMessage
from xpubsub.jobs.stream.published_files import PublishedFiles, PublishedNames

_ENDING = ".xml"
_INTERVAL = 0.2
"""Seconds between looks at a directory in which nothing was new."""


class FoundFile(NamedTuple):
    """A file that a look has found, in the order in which files are read."""

    changed: int
    """The time of the last modification, in ns."""
    name: str
    arrived: float
    item: str


class DirectorySource:
    """Reads the files of a directory and of those below it, the oldest first."""

    SEEKABLE: ClassVar[bool] = True

    def __init__(
        self, directory: str | os.PathLike[str], *, max_bytes: int, file_times: bool = False,
        published: PublishedFiles | None = None,
    ) -> None:
        self._directory = Path(directory)
        if not self._directory.is_dir():
            raise Error(f"dir:{directory}: there is no such directory")
        self._max_bytes = max_bytes
        self._file_times = file_times
        self._since = time.time()
        self._published: PublishedFiles = published or PublishedNames()
        self._waiting: deque[FoundFile] = deque()

    @property
    def ended(self) -> bool:
        """Always false: files may still come."""
        return False

    @property
    def drained(self) -> bool:
        """Whether all files were read that the last look has found."""
        return not self._waiting

    def seek(self, position: Json, items: Iterable[str]) -> None:
        """Leave out the files that were published."""
        if position is not None and "batch" in position:
            raise StoreError("the job of this checkpoint has read a source with Structured Streaming, as jobs without"
                             " overload do on Spark: use another checkpoint")
        self._published.add(items)

    def poll(self, most: int, most_bytes: int, timeout: float) -> Polled | None:
        """Read files; those that have vanished since the look are left out."""
        if not self._found(timeout):
            return None
        messages, items, size = list[StreamMessage](), list[str](), 0
        while self._waiting and len(messages) < most and size < most_bytes:
            found = self._waiting.popleft()
            message = self._read(found)
            if message is not None:
                messages.append(message)
                items.append(found.item if self._is_complete(message) else self._published.staying(found.item))
                size += len(message.xml)
        return Polled(messages, None, items) if messages else None

    def _is_complete(self, message: StreamMessage) -> bool:
        """Whether all of a file was read; otherwise the file must stay."""
        return message.refused is None and len(message.xml) <= self._max_bytes

    def release(self, items: Iterable[str]) -> list[str]:
        """Take note that files are committed; return the items that the store can forget."""
        return self._published.release(items)

    def _found(self, timeout: float) -> bool:
        """Wait until there are files; return whether there are any."""
        until = time.monotonic() + timeout
        while not self._waiting and not self._look():
            left = until - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(left, _INTERVAL))
        return True

    def committed(self, position: Json) -> None:
        """Do nothing: the store has the names of the files."""

    def backlog(self) -> int:
        """Return how many files are known to wait."""
        return len(self._waiting)

    def close(self) -> None:
        """Do nothing: no file stays open."""

    def _look(self) -> bool:
        """Look for new files; return whether there are any."""
        found = sorted(self._new(self._directory, ""))
        self._waiting.extend(found)
        self._published.add(file.item for file in found)
        return bool(found)

    def _new(self, directory: Path, prefix: str) -> Iterator[FoundFile]:
        """Yield the new files."""
        try:
            entries = list(os.scandir(directory))
        except OSError as error:
            if prefix:
                return
            raise Error(f"dir:{self._directory}: the directory cannot be listed: {error.strerror or error}") from error
        for entry in entries:
            name = f"{prefix}{entry.name}"
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from self._new(Path(entry.path), f"{name}/")
            elif entry.name.endswith(_ENDING):
                yield from self._seen(entry, name)

    def _seen(self, entry: os.DirEntry[str], name: str) -> Iterator[FoundFile]:
        text = text_of(name)
        try:
            if not self._published.is_new(text, entry):
                return
            status = entry.stat()
        except FileNotFoundError:
            return
        item = self._published.item(text, name, status)
        yield FoundFile(status.st_mtime_ns, name, max(status.st_ctime, self._since), item)

    def _read(self, found: FoundFile) -> StreamMessage | None:
        """Read a file; return None if it has vanished. A message beyond the limit is cut one byte beyond it."""
        place, at = text_of(found.name), found.changed / 1e9 if self._file_times else None
        try:
            with open(self._directory / found.name, "rb", opener=open_regular) as file:
                return StreamMessage(place, file.read(self._max_bytes + 1), place, found.arrived, at)
        except FileNotFoundError:
            self._published.discard(found.item)
            return None
        except OSError as error:
            return StreamMessage(place, b"", place, found.arrived, at, ("unreadable", error.strerror or str(error)))


def open_regular(path: str | os.PathLike[str], flags: int) -> int:
    """Open a file, as `os.open`; a pipe, on which a job could wait for ever, is an error."""
    handle = os.open(path, flags | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "not a regular file")
    return handle


def text_of(name: str) -> str:
    """A name as text; bytes that are not UTF-8 are escaped."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
