"""The end of a byte stream that is still needed, addressed by positions in the whole stream."""

from __future__ import annotations

from collections import deque


class KeptBytes:
    """Chunks of a stream; they are joined only when a piece that spans several is read."""

    def __init__(self) -> None:
        self._pieces: deque[tuple[int, bytes]] = deque()
        self._needed = 0
        self.end = 0
        """The position after the last byte."""

    def add(self, chunk: bytes) -> None:
        """Append a chunk."""
        self._pieces.append((self.end, chunk))
        self.end += len(chunk)

    def at(self, position: int) -> tuple[bytes, int]:
        """Return bytes that reach from a position to the end, and the position's offset in them."""
        if position < self._pieces[-1][0]:
            self._join()
        first, piece = self._pieces[-1]
        return piece, position - first

    def _join(self) -> None:
        """Join all chunks, without what is no longer needed: the last unit of a chunk may begin near its end."""
        first, piece = self._pieces[0]
        start = max(first, self._needed)
        joined = b"".join([piece[start - first :], *(piece for _, piece in list(self._pieces)[1:])])
        self._pieces = deque([(start, joined)])

    def forget(self, before: int) -> None:
        """Drop chunks that end before a position; nothing before it is needed any more."""
        self._needed = max(self._needed, before)
        while self._pieces and self._pieces[0][0] + len(self._pieces[0][1]) <= before:
            self._pieces.popleft()
