"""Publishes batches of units in their order; if other processes match them, each while the next is cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

from xpubsub.jobs.publish.result import Result

B = TypeVar("B")


class InOrder(Generic[B]):
    """Yields the results of batches in the order of the batches; at most one is published at a time."""

    def __init__(self, publish: Callable[[B], Result], *, ahead: bool) -> None:
        self._publish = publish
        self._pool = ThreadPoolExecutor(1, "xpubsub-units") if ahead else None
        self._running: Future[Result] | None = None

    def publish(self, batch: B) -> Iterator[Result]:
        """Publish a batch; yield its result, or that of the batch before it, if batches are cut ahead."""
        if self._pool is None:
            yield self._publish(batch)
            return
        before = None if self._running is None else self._running.result()
        self._running = self._pool.submit(self._publish, batch)
        if before is not None:
            yield before

    def rest(self) -> Iterator[Result]:
        """Wait for the batch that is being published, and yield its result."""
        running, self._running = self._running, None
        if running is not None:
            yield running.result()

    def close(self) -> None:
        """Wait until nothing is being published."""
        if self._pool is not None:
            self._pool.shutdown()
