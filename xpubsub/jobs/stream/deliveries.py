"""Delivers the results of batches to the sinks, from the outbox of the checkpoint."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from xpubsub.errors import StoreError
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.stream.letters import letters_of
from xpubsub.jobs.stream.messages import Polled, StreamMessage
from xpubsub.jobs.stream.numbered_files import NumberedFiles
from xpubsub.jobs.stream.sinks import Sink
from xpubsub.rows import LETTERS, NOTIFICATION_PARTS, NOTIFICATIONS


@dataclass(frozen=True)
class Delivery:
    """The results of a batch."""

    notifications: pa.Table
    letters: pa.Table

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many notifications, rejected messages and failed queries there are."""
        rejected = self.letters["subscription_id"].null_count
        return self.notifications.num_rows, rejected, self.letters.num_rows - rejected


def delivery_of(polled: Polled, result: Result, stream: str) -> Delivery:
    """Return the results of a batch: notifications in the order of its messages, and dead letters."""
    found = _notifications(result)
    ids = pa.array([message.message_id for message in polled.messages], pa.string())
    places = found.append_column("place", pc.index_in(found["message_id"], value_set=ids))
    ordered = places.sort_by([("place", "ascending"), ("subscription_id", "ascending")]).drop_columns(["place"])
    return Delivery(ordered, letters_of(polled, result.rejected, result.failed, stream))


def completed_delivery(result: Result, stream: str) -> Delivery:
    """Return what completing messages gives, in its order; messages that it rejects are dead letters."""
    refused = [StreamMessage(name, xml, name, time.time()) for name, xml in result.refused.items()]
    return Delivery(_notifications(result), letters_of(Polled(refused), result.rejected, result.failed, stream))


def _notifications(result: Result) -> pa.Table:
    schema = NOTIFICATION_PARTS if "part" in result.notifications.column_names else NOTIFICATIONS
    return result.notifications.select(schema.names).cast(schema)


class Deliveries:
    """The sinks of a job, and the results that are on their way to them."""

    def __init__(self, outbox: NumberedFiles, sink: Sink, dead_letters: Sink | None) -> None:
        self._outbox = outbox
        self._sinks = [(sink, 0, NOTIFICATIONS), *([(dead_letters, 1, LETTERS)] if dead_letters else [])]

    def open(self, job: str, committed: int) -> None:
        """Open the sinks; deliver what is committed but was not delivered, and discard what is not committed."""
        for sink, _, schema in self._sinks:
            sink.open(job, schema)
            if (sink.last() or 0) > committed:
                raise StoreError(f"the output has batch {sink.last()}, but the store knows only {committed}: it is"
                                 " older than the output; use another checkpoint and another sink")
        for number in self._outbox.numbers():
            if number > committed:
                self._outbox.remove(number)
            else:
                self.deliver(number, Delivery(*self._outbox.read(number)))

    def prepare(self, number: int, delivery: Delivery) -> None:
        """Put the results of a batch into the outbox, before the batch is committed."""
        self._outbox.write(number, (delivery.notifications, delivery.letters))

    def deliver(self, number: int, delivery: Delivery) -> None:
        """Deliver the results of a committed batch."""
        tables = delivery.notifications, delivery.letters
        for sink, place, _ in self._sinks:
            if number > (sink.last() or 0):
                sink.deliver(number, tables[place])
        self._outbox.remove(number)

    def close(self) -> None:
        """Close the sinks."""
        for sink, _, _ in self._sinks:
            sink.close()
