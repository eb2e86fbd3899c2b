"""The source `dir:PATH` with `--split`: each file is a document, and each of its units a message.

A large file spans many batches: the position is the file under way, the number of its units that are committed, and
whether one of them could not be read completely.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from xpubsub.jobs.stream.directory_source import DirectorySource, FoundFile, open_regular, text_of
from xpubsub.jobs.stream.messages import Json, Polled, StreamMessage
from xpubsub.jobs.stream.published_files import PublishedFiles
from xpubsub.jobs.stream.readers import Cutters, unit_message
from xpubsub.shred.units import Unit

_CHUNK = 1 << 18


class OpenDocument:
    """A file that is read; it gives units after some that were given before."""

    def __init__(self, path: Path, cutters: Cutters, skipped: int) -> None:
        self._file: IO[bytes] | None = os.fdopen(open_regular(path, os.O_RDONLY), "rb")
        self._cutter = cutters()
        self._units: deque[Unit] = deque()
        self.taken = skipped
        self.stays = False
        """Whether a unit could not be read completely, so that the file should stay where it is."""

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
        self.stays |= unit.refusal is not None
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
        self, directory: str | os.PathLike[str], *, max_bytes: int, file_times: bool = False,
        published: PublishedFiles | None = None, cutters: Cutters,
    ) -> None:
        super().__init__(directory, max_bytes=max_bytes, file_times=file_times, published=published)
        self._cutters = cutters
        self._document: OpenDocument | None = None
        self._about = FoundFile(0, "", 0.0, "")
        self._begun: Json = None

    @property
    def drained(self) -> bool:
        """Whether all files were read that the last look has found."""
        return self._document is None and not self._waiting

    def seek(self, position: Json, items: Iterable[str]) -> None:
        """Leave out the files that were published; go on with the file under way, if it still exists."""
        super().seek(position, items)
        if position is not None and (path := self._directory / position["file"]).exists():
            status, name = path.stat(), position["file"]
            item = self._published.item(text_of(name), name, status)
            self._begun = position
            self._waiting.append(FoundFile(status.st_mtime_ns, name, self._since, item))
            self._published.add([item])

    def poll(self, most: int, most_bytes: int, timeout: float) -> Polled | None:
        """Read units, of one file after the other."""
        if self._document is None and not self._found(timeout):
            return None
        messages, items, size = list[StreamMessage](), list[str](), 0
        while len(messages) < most and size < most_bytes and (self._document is not None or self._waiting):
            document = self._document or self._opened(messages, items)
            if document is None:
                continue
            unit, file = document.next(), self._about
            if unit is None:
                items.append(self._published.staying(file.item) if document.stays else file.item)
                self._document = None
            else:
                at = file.changed / 1e9 if self._file_times else None
                messages.append(unit_message(text_of(file.name), unit, file.arrived, at))
                size += unit.size
        return Polled(messages, self._position(), items) if messages or items else None

    def _position(self) -> Json:
        """Return the file under way and how many of its units were given."""
        if self._document is None:
            return None
        return {"file": self._about.name, "units": self._document.taken, "stays": self._document.stays}

    def _opened(self, messages: list[StreamMessage], items: list[str]) -> OpenDocument | None:
        """Open the next file; one that has vanished is left out, one that cannot be read is rejected."""
        file = self._about = self._waiting.popleft()
        begun, self._begun = self._begun or {"units": 0}, None
        try:
            self._document = OpenDocument(self._directory / file.name, self._cutters, begun["units"])
            self._document.stays = begun.get("stays", False)
        except FileNotFoundError:
            self._published.discard(file.item)
        except OSError as error:
            place = text_of(file.name)
            items.append(self._published.staying(file.item))
            messages.append(StreamMessage(
                place, b"", place, time.time(), None, ("unreadable", error.strerror or str(error))))
        return self._document

    def close(self) -> None:
        """Close the file under way."""
        if self._document is not None:
            self._document.close()
