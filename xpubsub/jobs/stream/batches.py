"""Publishes the batches of a streaming job: one transaction publishes a batch and records it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

import pyarrow as pa

from xpubsub.errors import StoreError
from xpubsub.jobs.publish.messages import Batch
from xpubsub.jobs.publish.publisher import Beside
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.stream.accepted import AcceptedDelays
from xpubsub.jobs.stream.aside import Aside
from xpubsub.jobs.stream.checkpoint import Checkpoint, new_job
from xpubsub.jobs.stream.commits import Commits, Committed
from xpubsub.jobs.stream.deliveries import Deliveries, Delivery, delivery_of
from xpubsub.jobs.stream.figures import Figures, SpillFigures
from xpubsub.jobs.stream.messages import Json, Polled
from xpubsub.jobs.stream.options import StreamOptions
from xpubsub.jobs.stream.pace import Pace
from xpubsub.jobs.stream.relief import Relief
from xpubsub.jobs.stream.sinks import Sink
from xpubsub.jobs.stream.sources import Source
from xpubsub.store.store import Store

_GONE = 1_000
"""How many items a source has let go of before the store forgets them."""


@dataclass(frozen=True)
class BrokerCalls:
    """How a job uses the broker. Each function is one call of the broker, which other threads wait for."""

    publish: Callable[[Batch, Beside], Result]
    """Publishes a batch, and calls the second argument inside the transaction."""
    complete: Callable[[int, Beside, str], Result]
    """Completes about so many spilled messages of a job, and calls the second argument inside the transaction."""
    run: Callable[[Callable[[], Any]], Any]
    """Runs a function."""


@dataclass(frozen=True)
class JobParts:
    """Where a job reads from and delivers to."""

    source: Source
    sink: Sink
    dead_letters: Sink | None = None
    relief: Relief | None = None
    """What to do when messages come too fast; the source is then read ahead."""


class Batches:
    """The batches of one run of a job."""

    def __init__(
        self, store: Store, calls: BrokerCalls, parts: JobParts, checkpoint: Checkpoint, options: StreamOptions,
        stop: Event,
    ) -> None:
        self._store, self._calls, self._options, self._stop = store, calls, options, stop
        self._source, self._relief = parts.source, parts.relief
        self._checkpoint = checkpoint
        self._deliveries = Deliveries(checkpoint.outbox, parts.sink, parts.dead_letters)
        self._pace = Pace(options.max_messages)
        self._accepted = AcceptedDelays(store)
        self._commits = Commits(store, "")
        self._aside = Aside(checkpoint.directory)
        self._gone: list[str] = []
        self._last = self._before = Committed(0)
        self.figures = Figures()
        """What this run has done so far."""
        if parts.relief is not None:
            self.figures.spills = SpillFigures()

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

    def _published(
        self, number: int, polled: Polled, paths: tuple[str, ...] | None = None, aside: int | None = None
    ) -> tuple[Delivery, pa.Table]:
        """Publish a batch and commit it; return its results, and the delays that subscriptions accept.

        - `paths`: what is spilled of it; None if parts are not told apart.
        - `aside`: the number of the batch that has set it aside.
        """
        ready: list[tuple[Delivery, pa.Table]] = []
        committed = self._committed(number, polled.position, aside)

        def beside(result: Result) -> None:
            delivery = delivery_of(polled, result, self._options.stream)
            self._deliveries.prepare(number, delivery)
            self._commits.add(committed, self._done(polled, delivery.letters))
            self._pace.shortest = self._accepted.shortest()
            ready.append((delivery, self._accepted.table()))

        options = self._options
        batch = Batch(polled.given(), options.stream, options.request, spill=paths, owner=self._commits.job)
        self._calls.publish(batch, beside)
        self._last = committed
        return ready[0]

    def _committed(self, number: int, position: Json, aside: int | None = None) -> Committed:
        figures = {**self.figures.saved(self._before.figures), **self._aside.saved(aside)}
        return Committed(number, 0, position, figures)

    def _account(self, polled: Polled, delivery: Delivery, accepted: pa.Table, seconds: float) -> None:
        self.figures.add(polled, delivery.counts, seconds)
        self.figures.delivered(polled, delivery.notifications, accepted)

    def _done(self, polled: Polled, letters: pa.Table) -> list[str]:
        """Return the items that a batch is done with."""
        again = set(letters["position"].to_pylist()) if self._options.keep_rejected else ()
        return [item for item in polled.items if item not in again]

    def _release(self, items: Iterable[str]) -> None:
        """Tell the source which items are committed; the store forgets what the source need not be told again."""
        release: Callable[[Iterable[str]], list[str]] | None = getattr(self._source, "release", None)
        if release is not None:
            self._gone += release(items)
            if len(self._gone) >= _GONE:
                self._forget()

    def _forget(self) -> None:
        """Delete the items that the source has let go of."""
        gone, self._gone = self._gone, []
        if gone:
            self._calls.run(lambda: self._commits.forget(gone))

    def _record_figures(self) -> None:
        """Store the figures, which now include the last batch."""
        figures = self._committed(self._last.number, None).figures
        self._last = replace(self._last, revision=self._last.revision + 1, figures=figures)
        self._record(self._last, [])

    def _record(self, committed: Committed, items: list[str]) -> None:
        with self._store.engine.transaction():
            self._commits.add(committed, items)
        self._last = committed

    def close(self) -> None:
        """Close the sinks."""
        self._deliveries.close()
