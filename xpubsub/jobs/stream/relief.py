"""Decides for a job that messages may overload: when to spill, what, and when to complete."""

from __future__ import annotations

import logging
import time

from xpubsub.errors import Error
from xpubsub.jobs.overload.choosing import Chooser
from xpubsub.jobs.overload.settings import WHOLE_MESSAGES, Overload
from xpubsub.jobs.stream.messages import Polled
from xpubsub.jobs.stream.read_ahead import ReadAhead

_LOG = logging.getLogger("xpubsub.stream")
_CALM = 10
"""How many times `idle` a job must have kept up before it completes messages between two batches."""
_RETRY = 10.0
"""Seconds for which nothing is spilled after the disk was full."""


class Relief:
    """Looks at the buffer before each batch: it starts to spill when the buffer fills, and stops when it is empty."""

    def __init__(self, overload: Overload, ahead: ReadAhead, chooser: Chooser) -> None:
        self.overload = overload
        self.ahead = ahead
        self._chooser = chooser
        self.spilling = False
        self._changed = time.monotonic()
        self._refused = -_RETRY

    def look(self) -> None:
        """Take note of how full the buffer is, before a batch is taken from it."""
        occupancy, now = self.ahead.occupancy(), time.monotonic()
        spilling = occupancy >= self.overload.start or (self.spilling and occupancy > self.overload.stop)
        spilling = spilling and now - self._refused >= _RETRY
        if spilling != self.spilling:
            self.spilling, self._changed = spilling, now

    @property
    def sets_aside(self) -> bool:
        """Whether the next batch is set aside as a whole."""
        return self.spilling and self.overload.policy == WHOLE_MESSAGES

    def paths(self, polled: Polled) -> tuple[str, ...] | None:
        """Return the paths to spill of a batch: perhaps none; None if parts are not told apart."""
        if not self.overload.in_parts:
            return None
        if not self.spilling:
            return ()
        self._chooser.look(message.xml for message in polled.messages if message.refused is None)
        return tuple(sorted(self._chooser.choose(self.ahead.rate()).candidate))

    def learn(self, messages: int, seconds: float, paths: tuple[str, ...] | None) -> None:
        """Take note of how long a batch took."""
        self._chooser.learn(messages, seconds, frozenset(paths or ()))

    def refuse(self, error: Error) -> None:
        """Take note that a batch could not be spilled: it is published whole, and the source waits."""
        _LOG.warning("%s: nothing is spilled for %g seconds, and the source waits", error, _RETRY)
        self._refused, self.spilling = time.monotonic(), False

    def is_due(self) -> bool:
        """Whether there is time to complete messages: nothing comes, or the job has kept up for a while."""
        quiet = self.ahead.quiet()
        calm = not self.spilling and time.monotonic() - self._changed >= _CALM * self.overload.idle
        return quiet > 0 and (quiet >= self.overload.idle or calm)
