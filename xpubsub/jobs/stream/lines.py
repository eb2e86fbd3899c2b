"""Cuts bytes, as they come, into lines."""

from __future__ import annotations

from collections import deque


class MessageLines:
    """The lines of a stream of bytes, numbered from 1; a line longer than the limit is cut one byte beyond it."""

    def __init__(self, max_bytes: int, *, repeated: bool = False) -> None:
        self._max_bytes = max_bytes
        self._repeated = repeated
        self._begun = bytearray()
        self._number = 0
        self._last = 0
        self.waiting: deque[tuple[int, bytes]] = deque()
        """Lines that are complete, with their numbers; without empty ones."""
        self.taken = 0
        """The number of the last line that was taken."""

    def skip(self, number: int) -> None:
        """Leave out the lines up to a number."""
        self.taken = self._last = number

    def add(self, data: bytes) -> None:
        """Add bytes; none at all end the last line or, if `repeated`, go back to the first line."""
        if not data and self._repeated:
            self._begun.clear()
            self._number = 0
            return
        first, *others = data.split(b"\n")
        self._extend(first)
        for each in others:
            self._end()
            self._extend(each)
        if not data and self._begun:
            self._end()

    def take(self) -> tuple[int, bytes]:
        """Return the next complete line, and its number."""
        self.taken, line = self.waiting.popleft()
        return self.taken, line

    def _extend(self, data: bytes) -> None:
        room = self._max_bytes + 1 - len(self._begun)
        self._begun += data[:room]

    def _end(self) -> None:
        self._number += 1
        if self._number > self._last and self._begun.strip():
            self.waiting.append((self._number, bytes(self._begun)))
        self._last = max(self._last, self._number)
        self._begun.clear()
