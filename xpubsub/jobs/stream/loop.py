"""The streaming job: takes messages from a source in batches, publishes each batch, and delivers its results.

Exactly once: one transaction of the store publishes a batch and records its number and the position of the source. Its
results are in the outbox before the transaction ends, and are delivered after it, by the batch's number. So a crash at
any moment loses nothing and repeats nothing:

- before the commit, the batch was not published: its outbox file is discarded, and the source gives it again;
- between commit and delivery, the outbox file is delivered at the next start;
- during or after the delivery, it is delivered again, and the sink recognises its number.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

import pyarrow as pa

from xpubsub.errors import StoreError
from xpubsub.jobs.publish.messages import Batch
from xpubsub.jobs.publish.publisher import Beside
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.stream.accepted import AcceptedDelays
from xpubsub.jobs.stream.checkpoint import Checkpoint, new_job
from xpubsub.jobs.stream.commits import Commits, Committed
from xpubsub.jobs.stream.delays import Delays
from xpubsub.jobs.stream.deliveries import Deliveries, Delivery, delivery_of
from xpubsub.jobs.stream.figures import Figures
from xpubsub.jobs.stream.gathering import gathered
from xpubsub.jobs.stream.journal import journal_table, journaled
from xpubsub.jobs.stream.messages import Polled
from xpubsub.jobs.stream.options import StreamOptions
from xpubsub.jobs.stream.pace import Pace
from xpubsub.jobs.stream.sinks import Sink
from xpubsub.jobs.stream.sources import Source
from xpubsub.store.store import Store


@dataclass(frozen=True)
class BrokerCalls:
    """How a job uses the broker. Each function is one call of the broker, which other threads wait for."""

    publish: Callable[[Batch, Beside], Result]
    """Publishes a batch, and calls the second argument inside the transaction."""
    run: Callable[[Callable[[], Any]], Any]
    """Runs a function."""


@dataclass(frozen=True)
class JobParts:
    """Where a job reads from and delivers to."""

    source: Source
    sink: Sink
    dead_letters: Sink | None = None


class StreamJob:
    """One run of a job, from where the last run ended."""

    def __init__(
        self, store: Store, calls: BrokerCalls, parts: JobParts, checkpoint: Checkpoint, options: StreamOptions,
        stop: Event,
    ) -> None:
        self._store, self._calls, self._options, self._stop = store, calls, options, stop
        self._source = parts.source
        self._checkpoint = checkpoint
        self._deliveries = Deliveries(checkpoint.outbox, parts.sink, parts.dead_letters)
        self._pace = Pace(options.max_messages)
        self._accepted = AcceptedDelays(store)
        self._commits = Commits(store, "")
        self._last = self._before = Committed(0)
        self.figures = Figures()
        """What this run has done so far."""

    def run(self, tell: Callable[[Figures], None] = lambda _: None) -> None:
        """Run until the source ends, or until `stop` is set: then the batch under way is finished.

        `tell` is called after each batch and, while there are no messages, now and then.
        """
        self._start()
        while not self._stop.is_set():
            polled = gathered(self._source, self._options, self._pace, self._stop.is_set)
            if polled is not None:
                self._carry_out(polled)
            elif self._source.ended or (self._options.once and self._source.drained):
                break
            self.figures.backlog = self._source.backlog()
            tell(self.figures)
        if self.figures.batches:
            self._calls.run(self._record_figures)

    def _start(self) -> None:
        """Go on after the last committed batch: deliver what is not delivered, and let the source seek."""
        items = self._calls.run(self._known)
        self._before = self._last
        self.figures.delays = Delays(self._last.figures.get("delays"))
        self._deliveries.open(self._commits.job, self._last.number)
        for number in self._checkpoint.journal.numbers():
            if number > self._last.number:
                self._carry_out(journaled(self._checkpoint.journal.read(number)[0]))
            self._checkpoint.journal.remove(number)
        self._source.seek(self._last.position, items)

    def _known(self) -> list[str]:
        """Read what the job has committed, and return the items; a new job is recorded, first in the store."""
        self._pace.shortest = self._accepted.shortest()
        job = self._checkpoint.job()
        if job is None:
            self._commits = Commits(self._store, job := new_job())
            with self._store.engine.transaction():
                self._commits.add(self._last, [])
            self._checkpoint.create(job)
            return []
        self._commits = Commits(self._store, job)
        committed = self._commits.last()
        if committed is None:
            raise StoreError(f"the store {self._store.engine.place} does not know the job of the checkpoint"
                             f" {self._checkpoint.directory}: use another checkpoint, or delete this one to start anew")
        self._last = committed
        return self._commits.items()

    def _carry_out(self, polled: Polled) -> None:
        """Publish a batch and deliver its results."""
        started, number = time.perf_counter(), self._last.number + 1
        if not self._source.SEEKABLE:
            self._checkpoint.journal.write(number, [journal_table(polled)])
        delivery, accepted = self._published(number, polled)
        self._checkpoint.journal.remove(number)
        self._source.committed(polled.position)
        self._deliveries.deliver(number, delivery)
        seconds = time.perf_counter() - started
        self._pace.learn(len(polled.messages), seconds)
        self.figures.add(polled, delivery.notifications.num_rows, delivery.letters.num_rows, seconds)
        self.figures.delivered(polled, delivery.notifications, accepted)

    def _published(self, number: int, polled: Polled) -> tuple[Delivery, pa.Table]:
        """Publish a batch and commit it; return its results, and the delays that subscriptions accept."""
        ready: list[tuple[Delivery, pa.Table]] = []
        committed = Committed(number, 0, polled.position, self.figures.saved(self._before.figures))

        def beside(result: Result) -> None:
            delivery = delivery_of(polled, result, self._options.stream)
            self._deliveries.prepare(number, delivery)
            self._commits.add(committed, self._done(polled, delivery.letters))
            self._pace.shortest = self._accepted.shortest()
            ready.append((delivery, self._accepted.table()))

        self._calls.publish(Batch(polled.given(), self._options.stream, self._options.request), beside)
        self._last = committed
        return ready[0]

    def _done(self, polled: Polled, letters: pa.Table) -> list[str]:
        """Return the items that a batch is done with."""
        again = set(letters["position"].to_pylist()) if self._options.keep_rejected else ()
        return [item for item in polled.items if item not in again]

    def _record_figures(self) -> None:
        """Store the figures, which now include the last batch."""
        figures = self.figures.saved(self._before.figures)
        self._last = replace(self._last, revision=self._last.revision + 1, figures=figures)
        with self._store.engine.transaction():
            self._commits.add(self._last, [])

    def close(self) -> None:
        """Close the sinks."""
        self._deliveries.close()
