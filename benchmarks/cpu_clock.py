"""A clock by which only what this process does takes time, so that other work on the machine does not count."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import current_thread, main_thread
from typing import Any
from unittest.mock import patch

from xpubsub.jobs.stream import gathering
from xpubsub.jobs.stream.messages import Polled
from xpubsub.jobs.stream.read_ahead import ReadAhead

_CLOCKS = ("time", "monotonic", "perf_counter")
_STEP = 0.01
"""By how many seconds the clock is put forward while there is nothing to do."""
_PAUSE = 0.001
"""Real seconds between two looks."""


class CpuClock:
    """The CPU time of this process, and the time for which its job has waited."""

    def __init__(self) -> None:
        self._before = time.time() - time.process_time()
        self._skipped = 0.0
        self._waits = False

    def now(self) -> float:
        """Return the time, in seconds."""
        return self._before + time.process_time() + self._skipped

    def wait(self, until: float, timeout: float) -> None:
        """Wait until a time, or for some seconds: this takes no time of the clock while the job is busy."""
        until = min(until, self.now() + timeout)
        while (left := until - self.now()) > 0:
            if self._waits or current_thread() is main_thread():
                self._skipped += min(left, _STEP)
            time.sleep(_PAUSE if current_thread() is not main_thread() else 0)

    @contextmanager
    def running(self) -> Iterator[CpuClock]:
        """Let all of this process go by this clock."""
        poll = ReadAhead.poll

        def waiting(ahead: ReadAhead, *given: Any) -> Polled | None:
            self._waits = True
            try:
                return poll(ahead, *given)
            finally:
                self._waits = False

        with ExitStack() as patched:
            for clock in _CLOCKS:
                patched.enter_context(patch.object(time, clock, self.now))
            patched.enter_context(patch.object(ReadAhead, "poll", waiting))
            patched.enter_context(patch.object(gathering, "LOOK", 2 * _PAUSE))
            yield self
