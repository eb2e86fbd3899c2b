"""The source `dir:PATH`: a directory that fills. Each *.xml file is a message; its id is its path below the directory.

Writers must make a file appear complete: write it under another name and rename it. A file's name is its identity: a
name that was published is never read again, whatever happens to the file.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar

from xpubsub.errors import Error, StoreError
from xpubsub.jobs.stream.messages import Json, Polled, StreamMessage

_ENDING = ".xml"
_INTERVAL = 0.2
"""Seconds between looks at a directory in which nothing was new."""


class DirectorySource:
    """Reads the files of a directory and of those below it, the oldest first."""

    SEEKABLE: ClassVar[bool] = True

    def __init__(self, directory: str | os.PathLike[str], *, max_bytes: int, file_times: bool = False) -> None:
        self._directory = Path(directory)
        if not self._directory.is_dir():
            raise Error(f"dir:{directory}: there is no such directory")
        self._max_bytes = max_bytes
        self._file_times = file_times
        self._since = time.time()
        self._done: set[str] = set()
        self._waiting: deque[tuple[int, str, float]] = deque()

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
        self._done.update(items)

    def poll(self, most: int, most_bytes: int, timeout: float) -> Polled | None:
        """Read files; those that have vanished since the look are left out."""
        if not self._found(timeout):
            return None
        messages, size = list[StreamMessage](), 0
        while self._waiting and len(messages) < most and size < most_bytes:
            message = self._read(*self._waiting.popleft())
            if message is not None:
                messages.append(message)
                size += len(message.xml)
        return Polled(messages, None, [message.place for message in messages]) if messages else None

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
        self._done.update(text_of(name) for _, name, _ in found)
        return bool(found)

    def _new(self, directory: Path, prefix: str) -> Iterator[tuple[int, str, float]]:
        """Yield the new files: modification time in ns, name, and time of arrival."""
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
            elif entry.name.endswith(_ENDING) and text_of(name) not in self._done:
                yield from self._seen(entry, name)

    def _seen(self, entry: os.DirEntry[str], name: str) -> Iterator[tuple[int, str, float]]:
        try:
            status = entry.stat()
        except FileNotFoundError:
            return
        yield status.st_mtime_ns, name, max(status.st_ctime, self._since)

    def _read(self, changed: int, name: str, arrived: float) -> StreamMessage | None:
        """Read a file; return None if it has vanished. A message beyond the limit is cut one byte beyond it."""
        place, at = text_of(name), changed / 1e9 if self._file_times else None
        try:
            with open(self._directory / name, "rb") as file:
                return StreamMessage(place, file.read(self._max_bytes + 1), place, arrived, at)
        except FileNotFoundError:
            self._done.discard(place)
            return None
        except OSError as error:
            return StreamMessage(place, b"", place, arrived, at, ("unreadable", error.strerror or str(error)))


def text_of(name: str) -> str:
    """A name as text; bytes that are not UTF-8 are escaped."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
