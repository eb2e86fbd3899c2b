"""The end of a byte stream that is still needed, addressed by positions in the whole stream."""

from __future__ import annotations

from collections import deque


class KeptBytes:
    """Chunks of a stream; they are joined only when a piece that spans several is read."""

    def __init__(self) -> None:
        self._pieces: deque[tuple[int, bytes]] = deque()
        self.end = 0
        """The position after the last byte."""

    def add(self, chunk: bytes) -> None:
        """Append a chunk."""
        self._pieces.append((self.end, chunk))
        self.end += len(chunk)

    def at(self, position: int) -> tuple[bytes, int]:
        """Return bytes that reach from a position to the end, and the position's offset in them."""
        first, piece = self._pieces[-1]
        if position < first:
            first, piece = self._pieces[0][0], b"".join(piece for _, piece in self._pieces)
            self._pieces = deque([(first, piece)])
        return piece, position - first

    def forget(self, before: int) -> None:
        """Drop chunks that end before a position."""
        while self._pieces and self._pieces[0][0] + len(self._pieces[0][1]) <= before:
            self._pieces.popleft()
