"""Reads a source ahead of the job, in a thread, into a buffer of bounded size.

How full the buffer is tells whether messages come faster than they are processed. All calls of the source are made by
the thread, except `seek` before it starts, `close` after it has ended, and `release`.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable
from threading import Condition, Thread

from xpubsub.jobs.stream.messages import Json, Polled, joined_portions
from xpubsub.jobs.stream.sources import Source

_LOOK = 0.1
"""Seconds for which the source is asked at a time."""
_PORTION = 64
"""The most messages that are read at a time; a batch may exceed its size by as many."""
_MEMORY = 2.0
"""Seconds over which the arrival rate is averaged."""


class ReadAhead:
    """A source that is read ahead."""

    def __init__(self, source: Source, most: int, most_bytes: int, portion: int = _PORTION) -> None:
        self.SEEKABLE = source.SEEKABLE
        self._source, self._most, self._most_bytes = source, most, most_bytes
        self._portion = max(1, min(portion, _PORTION))
        self._changed = Condition()
        self._waiting: deque[Polled] = deque()
        self._messages = self._bytes = 0
        self._closing = self._ended = self._drained = False
        self._error: BaseException | None = None
        self._backlog: int | None = None
        self._committed: list[Json] = []
        self._last = time.monotonic()
        self._rate = _Rate()
        self._thread = Thread(target=self._read, name="xpubsub-read-ahead", daemon=True)

    @property
    def ended(self) -> bool:
        """Whether all messages that there will ever be were polled."""
        with self._changed:
            return self._ended and not self._waiting

    @property
    def drained(self) -> bool:
        """Whether all messages were polled that were there at the last look, which found nothing more."""
        with self._changed:
            return self._drained and not self._waiting

    def seek(self, position: Json, items: Iterable[str]) -> None:
        """Go on after a committed batch, and begin to read."""
        self._source.seek(position, items)
        self._thread.start()

    def poll(self, most: int, most_bytes: int, timeout: float) -> Polled | None:
        """Return messages from the buffer, in the portions in which they were read."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._error or self._ended, timeout)
            if not self._waiting and self._error is not None:
                raise self._error
            taken, messages, size = list[Polled](), 0, 0
            while self._waiting and (not taken or (
                    messages + len(self._waiting[0].messages) <= most and size < most_bytes)):
                taken.append(self._waiting.popleft())
                messages += len(taken[-1].messages)
                size += taken[-1].size
            self._messages -= messages
            self._bytes -= size
            self._last = time.monotonic() if taken else self._last
            self._changed.notify_all()
            return joined_portions(taken) if taken else None

    def committed(self, position: Json) -> None:
        """Let the thread tell the source."""
        with self._changed:
            self._committed = [position]

    def release(self, items: Iterable[str]) -> list[str]:
        """Tell the source that items are committed; return those that the store can forget."""
        release: Callable[[Iterable[str]], list[str]] | None = getattr(self._source, "release", None)
        return [] if release is None else release(items)

    def backlog(self) -> int | None:
        """Return how many messages wait in the source and in the buffer."""
        with self._changed:
            return None if self._backlog is None else self._backlog + self._messages

    def occupancy(self) -> float:
        """Return the share of the buffer that is in use, in bytes or in messages, whichever is more."""
        with self._changed:
            return min(1.0, max(self._bytes / self._most_bytes, self._messages / self._most))

    def rate(self) -> float:
        """Return the messages that arrive per second while there is room for them."""
        with self._changed:
            return self._rate.value()

    def quiet(self) -> float:
        """Return for how many seconds there has been no message: 0 if some wait, no end if none will come."""
        with self._changed:
            if self._waiting or self._error is not None:
                return 0.0
            return math.inf if self._ended else time.monotonic() - self._last

    def stop(self) -> None:
        """Read no further; what is in the buffer can be polled."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread.ident is not None:
            self._thread.join()
        with self._changed:
            self._ended = True

    def close(self) -> None:
        """Stop reading and close the source."""
        self.stop()
        for position in self._committed:
            self._source.committed(position)
        self._source.close()

    def _read(self) -> None:
        """Read until the source ends or the job does; an error is raised to the job once the buffer is empty."""
        try:
            while self._has_room():
                started = time.monotonic()
                portion = self._source.poll(self._portion, self._most_bytes, _LOOK)
                self._put(portion, time.monotonic() - started)
                if portion is None and self._source.ended:
                    break
        except BaseException as error:
            with self._changed:
                self._error = error
        with self._changed:
            self._ended = self._error is None
            self._changed.notify_all()

    def _has_room(self) -> bool:
        """Wait until there is room in the buffer, and pass on what was committed; False if the job ends."""
        with self._changed:
            self._changed.wait_for(lambda: self._closing or self._is_open())
            committed, self._committed = self._committed, []
            closing = self._closing
        for position in committed:
            self._source.committed(position)
        return not closing

    def _is_open(self) -> bool:
        return self._messages < self._most and self._bytes < self._most_bytes

    def _put(self, portion: Polled | None, seconds: float) -> None:
        backlog, drained = self._source.backlog(), self._source.drained
        with self._changed:
            self._rate.add(len(portion.messages) if portion else 0, seconds)
            self._backlog, self._drained = backlog, portion is None and drained
            if portion is not None:
                self._waiting.append(portion)
                self._messages += len(portion.messages)
                self._bytes += portion.size
            self._changed.notify_all()


class _Rate:
    """Messages per second, the last few seconds counting most."""

    def __init__(self) -> None:
        self._messages = self._seconds = 0.0

    def add(self, messages: int, seconds: float) -> None:
        kept = math.exp(-seconds / _MEMORY)
        self._messages = kept * self._messages + messages
        self._seconds = kept * self._seconds + seconds

    def value(self) -> float:
        return self._messages / max(self._seconds, 1e-6)
