"""The source `dir:PATH` with `--split`: each file is a document, and each of its units a message.

A large file spans many batches: the position is the file under way and the number of its units that are committed.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from xpubsub.jobs.stream.directory_source import DirectorySource, text_of
from xpubsub.jobs.stream.messages import Json, Polled, StreamMessage
from xpubsub.jobs.stream.readers import Cutters, unit_message
from xpubsub.shred.units import Unit

_CHUNK = 1 << 18


class OpenDocument:
    """A file that is read; it gives units after some that were given before."""

    def __init__(self, path: Path, cutters: Cutters, skipped: int) -> None:
        self._file: IO[bytes] | None = path.open("rb")
        self._cutter = cutters()
        self._units: deque[Unit] = deque()
        self.taken = skipped

    def next(self) -> Unit | None:
        """Return the next unit; None at the end."""
        while not self._units and self._file is not None:
            found = self._cutter.feed(data) if (data := self._read()) else self._cutter.close()
            self._units.extend(unit for unit in found if unit.number > self.taken)
            if not data or self._cutter.ended:
                self.close()
        if not self._units:
            return None
        unit = self._units.popleft()
        self.taken = unit.number
        return unit

    def _read(self) -> bytes:
        assert self._file is not None
        try:
            return self._file.read(_CHUNK)
        except OSError as error:
            self._cutter.fail("unreadable", error.strerror or str(error))
            return b""

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


class UnitDirectorySource(DirectorySource):
    """Reads the files of a directory, one after the other, and cuts them into units."""

    def __init__(
        self, directory: str | os.PathLike[str], *, max_bytes: int, file_times: bool = False, cutters: Cutters
    ) -> None:
        super().__init__(directory, max_bytes=max_bytes, file_times=file_times)
        self._cutters = cutters
        self._document: OpenDocument | None = None
        self._about = ("", 0.0, 0.0)
        self._skipped: dict[str, int] = {}

    @property
    def drained(self) -> bool:
        """Whether all files were read that the last look has found."""
        return self._document is None and not self._waiting

    def seek(self, position: Json, items: Iterable[str]) -> None:
        """Leave out the files that were published; go on with the file under way, if it still exists."""
        super().seek(position, items)
        if position is not None and (path := self._directory / position["file"]).exists():
            self._skipped[position["file"]] = position["units"]
            self._waiting.append((path.stat().st_mtime_ns, position["file"], self._since))
            self._done.add(text_of(position["file"]))

    def poll(self, most: int, most_bytes: int, timeout: float) -> Polled | None:
        """Read units, of one file after the other."""
        if self._document is None and not self._found(timeout):
            return None
        messages, items, size = list[StreamMessage](), list[str](), 0
        while len(messages) < most and size < most_bytes and (self._document is not None or self._waiting):
            document = self._document or self._opened(messages, items)
            if document is None:
                continue
            unit, (name, arrived, at) = document.next(), self._about
            if unit is None:
                items.append(text_of(name))
                self._document = None
            else:
                messages.append(unit_message(text_of(name), unit, arrived, at if self._file_times else None))
                size += unit.size
        return Polled(messages, self._position(), items) if messages or items else None

    def _position(self) -> Json:
        """Return the file under way and how many of its units were given."""
        return None if self._document is None else {"file": self._about[0], "units": self._document.taken}

    def _opened(self, messages: list[StreamMessage], items: list[str]) -> OpenDocument | None:
        """Open the next file; one that has vanished is left out, one that cannot be read is rejected."""
        changed, name, arrived = self._waiting.popleft()
        self._about = name, max(arrived, self._since), changed / 1e9
        try:
            self._document = OpenDocument(self._directory / name, self._cutters, self._skipped.pop(name, 0))
        except FileNotFoundError:
            self._done.discard(text_of(name))
        except OSError as error:
            place = text_of(name)
            items.append(place)
            messages.append(StreamMessage(
                place, b"", place, time.time(), None, ("unreadable", error.strerror or str(error))))
        return self._document

    def close(self) -> None:
        """Close the file under way."""
        if self._document is not None:
            self._document.close()
