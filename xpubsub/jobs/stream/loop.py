"""The streaming job: takes messages from a source in batches, publishes each batch, and delivers its results.

Exactly once: one transaction of the store publishes a batch and records its number and the position of the source. Its
results are in the outbox before the transaction ends, and are delivered after it, by the batch's number. So a crash at
any moment loses nothing and repeats nothing:

- before the commit, the batch was not published: its outbox file is discarded, and the source gives it again;
- between commit and delivery, the outbox file is delivered at the next start;
- during or after the delivery, it is delivered again, and the sink recognises its number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import Any

from xpubsub.errors import StoreError
from xpubsub.jobs.publish.messages import Batch
from xpubsub.jobs.publish.publisher import Beside
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.stream.checkpoint import Checkpoint, new_job
from xpubsub.jobs.stream.commits import Commits, Committed
from xpubsub.jobs.stream.deliveries import Deliveries, Delivery
from xpubsub.jobs.stream.journal import journal_table, journaled
from xpubsub.jobs.stream.letters import letters_of
from xpubsub.jobs.stream.messages import Polled, joined
from xpubsub.jobs.stream.options import StreamOptions
from xpubsub.jobs.stream.sinks import Sink
from xpubsub.jobs.stream.sources import Source
from xpubsub.rows import NOTIFICATIONS
from xpubsub.store.store import Store

Call = Callable[[Callable[[], Any]], Any]
"""Runs a function as one call of the broker: alone, on an open store, after a refresh."""
Publish = Callable[[Batch, Beside], Result]
_WAIT = 0.2
"""Seconds after which a job that waits for messages looks whether it should stop."""


@dataclass(frozen=True)
class JobParts:
    """Where a job reads from and delivers to."""

    source: Source
    sink: Sink
    dead_letters: Sink | None = None


class StreamJob:
    """One run of a job, from where the last run ended."""

    def __init__(
        self, store: Store, publish: Publish, call: Call, parts: JobParts, checkpoint: Checkpoint,
        options: StreamOptions, stop: Event,
    ) -> None:
        self._store, self._publish, self._call = store, publish, call
        self._source = parts.source
        self._checkpoint = checkpoint
        self._options = options
        self._stop = stop
        self._deliveries = Deliveries(checkpoint.outbox, parts.sink, parts.dead_letters)
        self._commits = Commits(store, "")
        self._number = 0

    def run(self) -> None:
        """Run until the source ends, or until `stop` is set: then the batch under way is finished."""
        self._start()
        while not self._stop.is_set():
            polled = self._gathered()
            if polled is not None:
                self._carry_out(polled)
            elif self._source.ended or (self._options.once and self._source.drained):
                return

    def _start(self) -> None:
        """Go on after the last committed batch: deliver what is not delivered, and let the source seek."""
        committed, items = self._call(self._known)
        self._number = committed.number
        self._source.seek(committed.position, items)
        self._deliveries.open(self._commits.job, self._number)
        for number in self._checkpoint.journal.numbers():
            if number > self._number:
                self._carry_out(journaled(self._checkpoint.journal.read(number)[0]))
            self._checkpoint.journal.remove(number)

    def _known(self) -> tuple[Committed, list[str]]:
        """Return what the job has committed; a new job is recorded, first in the store."""
        job = self._checkpoint.job()
        if job is None:
            self._commits = Commits(self._store, job := new_job())
            with self._store.engine.transaction():
                self._commits.add(Committed(0), [])
            self._checkpoint.create(job)
            return Committed(0), []
        self._commits = Commits(self._store, job)
        committed = self._commits.last()
        if committed is None:
            raise StoreError(f"the store {self._store.engine.place} does not know the job of the checkpoint"
                             f" {self._checkpoint.directory}, which belongs to another store: use another checkpoint")
        return committed, self._commits.items()

    def _gathered(self) -> Polled | None:
        """Return the messages of the next batch; None if there are none for a moment."""
        most, most_bytes = self._options.max_messages, self._options.max_batch_bytes
        first = self._source.poll(most, most_bytes, _WAIT)
        return None if first is None else joined([first])

    def _carry_out(self, polled: Polled) -> None:
        """Publish a batch and deliver its results."""
        number, ready = self._number + 1, list[Delivery]()
        if not self._source.SEEKABLE:
            self._checkpoint.journal.write(number, [journal_table(polled)])

        def beside(result: Result) -> None:
            letters = letters_of(polled, result.rejected, self._options.stream)
            ready.append(Delivery(result.notifications.select(NOTIFICATIONS.names).cast(NOTIFICATIONS), letters))
            self._deliveries.prepare(number, ready[0])
            self._commits.add(Committed(number, 0, polled.position), polled.items)

        self._publish(self._batch(polled), beside)
        self._number = number
        self._checkpoint.journal.remove(number)
        self._source.committed(polled.position)
        self._deliveries.deliver(number, ready[0])

    def _batch(self, polled: Polled) -> Batch:
        messages = [(each.message_id, each.xml, each.time) for each in polled.messages if each.refused is None]
        return Batch(messages, self._options.stream, self._options.request)

    def close(self) -> None:
        """Close the sinks."""
        self._deliveries.close()
