"""Turns the bytes of a connection, as they come, into messages: one per line, or one per unit of a document."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

from xpubsub.jobs.stream.lines import MessageLines
from xpubsub.jobs.stream.messages import StreamMessage
from xpubsub.shred.units import Unit, UnitCutter

Cutters = Callable[[], UnitCutter]
"""Returns a cutter for each document."""


class ByteReader(Protocol):
    """Takes bytes and gives messages."""

    taken: int
    """The number of the last message that was taken."""

    @property
    def ready(self) -> int:
        """How many messages are complete."""

    def add(self, data: bytes) -> None:
        """Add bytes; none at all are the end of a connection."""

    def take(self, run: str, now: float) -> StreamMessage:
        """Return the next complete message, of a run of the job."""

    def skip(self, number: int) -> None:
        """Leave out the messages up to a number, which were taken before."""


class LineReader:
    """Makes a message of each line; if `repeated`, each connection begins with the first line again."""

    def __init__(self, max_bytes: int, *, repeated: bool = False) -> None:
        self._lines = MessageLines(max_bytes, repeated=repeated)
        self.taken = 0

    @property
    def ready(self) -> int:
        """How many lines are complete."""
        return len(self._lines.waiting)

    def add(self, data: bytes) -> None:
        """Add bytes; none at all end the last line."""
        self._lines.add(data)

    def take(self, run: str, now: float) -> StreamMessage:
        """Return the next line; its number is part of the id."""
        self.taken, line = self._lines.take()
        return StreamMessage(f"{run}-{self.taken}", line, f"line {self.taken}", now)

    def skip(self, number: int) -> None:
        """Leave out the lines up to a number."""
        self.taken = number
        self._lines.skip(number)


class UnitReader:
    """Makes a message of each unit of a document; each connection has a new document."""

    def __init__(self, cutters: Cutters) -> None:
        self._cutters = cutters
        self._cutter = cutters()
        self._begun = False
        self._document = 1
        self._waiting: deque[tuple[int, Unit]] = deque()
        self.taken = 0

    @property
    def ready(self) -> int:
        """How many units are complete."""
        return len(self._waiting)

    def add(self, data: bytes) -> None:
        """Add bytes; none at all end the document, if it has begun."""
        if data:
            self._begun = True
            self._waiting.extend((self._document, unit) for unit in self._cutter.feed(data))
        elif self._begun:
            self._waiting.extend((self._document, unit) for unit in self._cutter.close())
            self._cutter, self._begun, self._document = self._cutters(), False, self._document + 1

    def take(self, run: str, now: float) -> StreamMessage:
        """Return the next unit; documents after the first have their number in the id."""
        document, unit = self._waiting.popleft()
        self.taken += 1
        return unit_message(run if document == 1 else f"{run}-{document}", unit, now)

    def skip(self, number: int) -> None:
        """Never called: units are not resumed."""


def unit_message(name: str, unit: Unit, arrived: float, time: float | None = None) -> StreamMessage:
    """Return the message of a unit of a document, by the document's name."""
    refused = None if unit.refusal is None else unit.refusal[:2]
    place = f"{name}#{unit.number}"
    return StreamMessage(place, unit.xml, place, arrived, time, refused, unit._replace(xml=b""))
