"""The batches of a job that messages may overload: some are spilled or set aside, and completed later."""

from __future__ import annotations

import time
from dataclasses import replace

import pyarrow as pa

from xpubsub.errors import UnsupportedError
from xpubsub.jobs.overload.spilling import pending_files
from xpubsub.jobs.overload.spool import SpoolError
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.stream.batches import Batches
from xpubsub.jobs.stream.deliveries import Delivery, completed_delivery
from xpubsub.jobs.stream.messages import Polled


class RelievedBatches(Batches):
    """Publishes batches, whole unless the job is overloaded, and completes them when there is time."""

    def _relieved(self) -> bool:
        """Complete some messages, if there is time; otherwise look how full the buffer is."""
        if self._relief is None:
            return False
        if self._waits() and self._relief.is_due():
            self._publish_aside() if self._aside.waits else self._complete()
            return True
        self._relief.look()
        return False

    def _waits(self) -> bool:
        """Whether messages are to be completed."""
        return self.figures.spills is not None and self.figures.spills.waiting > 0

    def _relieved_batch(self, number: int, polled: Polled) -> tuple[Delivery, pa.Table]:
        """Publish a batch, of which some paths are spilled if the job is overloaded and the disk is not full."""
        if self._relief is None or self.figures.spills is None:
            return self._published(number, polled)
        relief = self._relief
        paths = self._calls.run(lambda: relief.paths(polled))
        started = time.perf_counter()
        try:
            found = self._published(number, polled, paths)
        except (SpoolError, UnsupportedError) as error:
            if not paths:
                raise
            relief.refuse(error)
            paths = ()
            found = self._published(number, polled, paths)
        relief.learn(len(polled.messages), time.perf_counter() - started, paths)
        self.figures.spills.active, self.figures.spills.paths = bool(paths), paths or ()
        if paths:
            self._calls.run(self._look_at_spills)
        return found

    def _complete(self) -> None:
        """Complete some spilled messages, and deliver what was missing."""
        started, number = time.perf_counter(), self._last.number + 1
        committed, ready = self._committed(number, self._last.position), list[Delivery]()

        def beside(result: Result) -> None:
            ready.append(completed_delivery(result, self._options.stream))
            self._deliveries.prepare(number, ready[0])
            self._commits.add(committed, [])

        self._calls.complete(1, beside, self._commits.job)
        self._last = committed
        self._deliveries.deliver(number, ready[0])
        self.figures.add(Polled([]), ready[0].counts, time.perf_counter() - started)
        self._calls.run(self._look_at_spills)

    def _set_aside(self, number: int, polled: Polled) -> bool:
        """Accept a batch without publishing it: one transaction records the position once the messages are on disk."""
        assert self._relief is not None and self.figures.spills is not None
        try:
            self._aside.write(number, polled)
        except SpoolError as error:
            self._aside.drop(number)
            self._relief.refuse(error)
            return False
        committed = self._committed(number, polled.position)
        self._calls.run(lambda: self._record(committed, polled.items))
        self._source.committed(polled.position)
        self._release(polled.items)
        self.figures.messages += len(polled.messages)
        self.figures.spills.active, self.figures.spills.paths = True, ()
        self._calls.run(self._look_at_spills)
        return True

    def _publish_aside(self) -> None:
        """Publish the messages that were set aside first, as if they came now."""
        started, number = time.perf_counter(), self._last.number + 1
        aside, polled = self._aside.oldest()
        polled = replace(polled, position=self._last.position, items=[])
        delivery, accepted = self._published(number, polled, aside=aside)
        self._aside.finish(aside)
        self._deliveries.deliver(number, delivery)
        self._account(polled, delivery, accepted, time.perf_counter() - started)
        self.figures.messages -= len(polled.messages)
        self._calls.run(self._look_at_spills)

    def _look_at_spills(self) -> None:
        """Take note of the messages that are not completed."""
        if self.figures.spills is not None:
            files, aside = pending_files(self._store, self._commits.job), self._aside.waiting()
            since = [*(each.time for each in files), *(each[2] for each in aside)]
            self.figures.spills.wait(
                sum(each.units for each in files) + sum(each[0] for each in aside),
                sum(each.bytes for each in files) + sum(each[1] for each in aside), min(since, default=None))
