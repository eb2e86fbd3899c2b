"""The source `kafka:SERVERS/TOPIC`: the records of a topic. Each record is a message; its id is TOPIC/PARTITION/OFFSET.

All partitions are read, from their beginning if the job is new; partitions that are added later are noticed. The
position is the next offset of each partition: it is stored with the batch, in the store, and not in a consumer group.
Records of open or aborted transactions are not read. The time of a message is its record's timestamp. The client holds
a bounded number of bytes ahead of the job, so that a topic is read no faster than it is published.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from typing import Any, ClassVar

from xpubsub.errors import Error
from xpubsub.jobs.stream.kafka_client import (
    GRACE,
    KafkaAddress,
    Patience,
    client,
    no_topic,
    partitions,
    refused,
    transient,
)
from xpubsub.jobs.stream.messages import Json, Polled, StreamMessage

_AHEAD_KILOBYTES = 16 * 1024
"""How much the client reads ahead of the job."""
_PIECE = 1_000
"""How many records are taken from the client at a time."""
_LOOK = 10.0
"""Seconds between looks for new partitions."""
_SETTINGS: dict[str, Any] = {
    "group.id": "xpubsub", "enable.auto.commit": False, "enable.auto.offset.store": False,
    "isolation.level": "read_committed", "auto.offset.reset": "error", "enable.partition.eof": True,
    "queued.max.messages.kbytes": _AHEAD_KILOBYTES, "queued.min.messages": 20_000,
    "fetch.max.bytes": _AHEAD_KILOBYTES * 1024, "fetch.wait.max.ms": 100,
}
NO_VALUE = "not-text", "the record has no value"


class KafkaSource:
    """Reads all partitions of a topic."""

    SEEKABLE: ClassVar[bool] = True

    def __init__(self, address: str, *, max_bytes: int) -> None:
        self._address = KafkaAddress.parse(address)
        self._max_bytes = max_bytes
        self._patience = Patience(self._address)
        self._consumer = client("Consumer", self._address, _SETTINGS, self._patience.trouble)
        self._since = time.time()
        self._next: dict[int, int] = {}
        """The offset after the last record given to the job, by partition."""
        self._assigned: set[int] = set()
        self._at_end: set[int] = set()
        self._waiting: deque[Any] = deque()
        """Records that the client has handed out but the job has not taken."""
        self._looked = 0.0
        self._missing: float | None = None
        """Since when the broker does not know the topic."""

    @property
    def ended(self) -> bool:
        """Always false: records may still come."""
        return False

    @property
    def drained(self) -> bool:
        """Whether each partition was read to its end."""
        return bool(self._assigned) and not self._waiting and self._at_end >= self._assigned

    def seek(self, position: Json, items: Iterable[str]) -> None:
        """Go on at the given offset of each partition."""
        if position is not None and position.get("topic") != self._address.topic:
            read = position.get("topic") or "another source"
            raise Error(f"the job of this checkpoint has read {read}, not the topic {self._address.topic!r}: use"
                        " another checkpoint")
        offsets = {} if position is None else position["next"]
        self._next = {int(partition): int(offset) for partition, offset in offsets.items()}

    def poll(self, most: int, most_bytes: int, timeout: float) -> Polled | None:
        """Return the next records; while the broker does not answer there are none."""
        until = time.monotonic() + timeout
        if not self._looked_up(timeout):
            return None
        messages, size = list[StreamMessage](), 0
        while len(messages) < most and size < most_bytes and self._has_more(until, bool(messages)):
            record = self._waiting.popleft()
            messages.append(self._message(record))
            size += len(messages[-1].xml)
            self._next[record.partition()] = record.offset() + 1
        return Polled(messages, self._position()) if messages else None

    def _position(self) -> Json:
        return {"topic": self._address.topic, "next": {str(each): offset for each, offset in self._next.items()}}

    def committed(self, position: Json) -> None:
        """Do nothing: the store has the offsets."""

    def backlog(self) -> int | None:
        """Return how many records wait, by what the broker has said last; None if it has said nothing yet."""
        from confluent_kafka import TopicPartition

        waiting = sum(record.partition() in self._at_end for record in self._waiting)
        for partition in self._assigned - self._at_end:
            ends = self._consumer.get_watermark_offsets(
                TopicPartition(self._address.topic, partition), cached=True)
            if ends is None or ends[1] < 0:
                return None
            waiting += max(0, ends[1] - self._next.get(partition, max(ends[0], 0)))
        return waiting

    def close(self) -> None:
        """Leave the broker."""
        self._consumer.close()

    def _looked_up(self, timeout: float) -> bool:
        """Look for the topic and for new partitions, if it is time to; return whether there are partitions to read."""
        from confluent_kafka import KafkaException

        if self._assigned and self._missing is None and time.monotonic() - self._looked < _LOOK:
            return True
        try:
            found = partitions(self._consumer, self._address, max(timeout, 1.0))
        except KafkaException as error:
            if not transient(error):
                raise refused(self._address, error) from error
            self._patience.trouble(error.args[0].str())
            if not self._assigned:
                self._patience.pause(timeout)
            self._looked = time.monotonic()
            return bool(self._assigned)
        self._looked = time.monotonic()
        self._patience.fine()
        self._assign(found)
        return bool(self._assigned)

    def _assign(self, found: list[int] | None) -> None:
        """Read the partitions that are new; a topic that is missing for too long is an error."""
        from confluent_kafka import OFFSET_BEGINNING, TopicPartition

        if found is None:
            self._missing = self._missing or time.monotonic()
            if time.monotonic() - self._missing > GRACE:
                raise no_topic(self._address)
            self._patience.pause(0.2)
            return
        self._missing = None
        if gone := self._next.keys() - set(found):
            raise Error(f"the topic {self._address.topic!r} at {self._address.servers} has no partition {min(gone)}, of"
                        " which the job has read records: it is another topic now; use another checkpoint")
        new = [each for each in found if each not in self._assigned]
        if new:
            self._consumer.incremental_assign([
                TopicPartition(self._address.topic, each, self._next.get(each, OFFSET_BEGINNING)) for each in new])
            self._assigned.update(new)

    def _has_more(self, until: float, some: bool) -> bool:
        """Whether there is a record to take; waits for one until a time, unless the batch has some."""
        while not self._waiting:
            left = 0.0 if some else max(0.0, until - time.monotonic())
            event = self._consumer.poll(left)
            if event is None:
                return False
            self._note(event)
            if self._waiting:
                for each in self._consumer.consume(_PIECE, 0):
                    self._note(each)
        return True

    def _note(self, event: Any) -> None:
        """Take a record, or something that the client has to say."""
        from confluent_kafka import KafkaError, KafkaException

        error = event.error()
        if error is None:
            self._patience.fine()
            self._at_end.discard(event.partition())
            self._waiting.append(event)
        elif error.code() == KafkaError._PARTITION_EOF:
            self._patience.fine()
            self._at_end.add(event.partition())
        elif error.code() in (KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE):
            raise self._deleted(event.partition())
        elif error.fatal() or not (transient(KafkaException(error)) or _passing(error)):
            raise refused(self._address, KafkaException(error))
        else:
            self._patience.trouble(error.str())

    def _deleted(self, partition: int) -> Error:
        return Error(f"the topic {self._address.topic!r} at {self._address.servers} has no offset"
                     f" {self._next.get(partition, 0)} of partition {partition}: Kafka has deleted records before the"
                     " job has read them, or the topic is another one; a new job, with another checkpoint and another"
                     " sink, reads what is left")

    def _message(self, record: Any) -> StreamMessage:
        name = f"{record.topic()}/{record.partition()}/{record.offset()}"
        kind, milliseconds = record.timestamp()
        at = milliseconds / 1000 if kind else None
        arrived = min(max(at or 0.0, self._since), time.time())
        value = record.value()
        if value is None:
            return StreamMessage(name, b"", name, arrived, at, NO_VALUE)
        return StreamMessage(name, value[: self._max_bytes + 1], name, arrived, at)


def _passing(error: Any) -> bool:
    """Whether the client goes on by itself after an error of a partition."""
    from confluent_kafka import KafkaError

    return error.code() in (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC, KafkaError._UNKNOWN_PARTITION,
                            KafkaError.OFFSET_NOT_AVAILABLE, KafkaError.UNKNOWN_LEADER_EPOCH,
                            KafkaError.FENCED_LEADER_EPOCH)
