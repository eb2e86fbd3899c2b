"""The sink `kafka:SERVERS/TOPIC`: one record per row, one transaction per batch.

The transaction also commits the batch's number, as the offset of a consumer group that belongs to the job. So records
and number are there together or not at all, and the job sees at its start which batches were delivered. Consumers must
read with `isolation.level=read_committed`. The key of a notification is its subscription's id, that of a dead letter
its message's id; the value is the row as JSON; the headers name the job and the batch.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pyarrow as pa

from xpubsub.errors import Error
from xpubsub.jobs.stream.json_lines import json_lines
from xpubsub.jobs.stream.kafka_client import (
    GRACE,
    KafkaAddress,
    Patience,
    client,
    error_of,
    no_topic,
    partitions,
    refused,
    transient,
)
from xpubsub.rows import LETTERS

_TIMEOUT = 10.0
"""Seconds that one attempt of a call may take."""
_TRANSACTION = 60.0
"""Seconds after which the broker aborts a transaction and refuses its producer."""
_SETTINGS: dict[str, Any] = {
    "enable.idempotence": True, "linger.ms": 20, "compression.type": "lz4", "queue.buffering.max.kbytes": 64 * 1024,
    "message.max.bytes": 256 * 1024 * 1024, "transaction.timeout.ms": int(_TRANSACTION * 1000),
}


class KafkaSink:
    """Sends the rows of each batch in a transaction."""

    def __init__(self, address: str) -> None:
        self._address = KafkaAddress.parse(address)
        self._patience = Patience(self._address)
        self._name = self._key = ""
        self._headers: list[tuple[str, bytes]] = []
        self._last = 0
        self._producer: Any = None
        self._group: Any = None
        self._begun: float | None = None
        """When the open transaction began; None if there is none."""

    def open(self, job: str, schema: pa.Schema) -> None:
        """Shut out earlier processes of the job, abort what they left open, and read the last batch's number."""
        self._key = "message_id" if schema == LETTERS else "subscription_id"
        self._name = f"xpubsub-{job}-{self._key.removesuffix('_id')}"
        self._headers = [("xpubsub-job", job.encode())]
        offsets = {"group.id": self._name, "enable.auto.commit": False, "isolation.level": "read_committed"}
        self._group = client("Consumer", self._address, offsets, self._patience.trouble)
        self._check_topic()
        self._start()

    def last(self) -> int:
        """Return the last batch that Kafka has."""
        return self._last

    def deliver(self, number: int, rows: pa.Table) -> None:
        """Send the rows of a batch and its number in one transaction."""
        from confluent_kafka import KafkaException

        while rows.num_rows and number > self._last:
            try:
                self._send(number, rows)
            except KafkaException as error:
                self._recover(error)

    def close(self) -> None:
        """Leave the broker; a transaction that an error has left open is aborted."""
        from confluent_kafka import KafkaException

        if self._begun is not None:
            with suppress(KafkaException):
                self._producer.abort_transaction(1.0)
        if self._group is not None:
            self._group.close()
        self._drop()

    def _check_topic(self) -> None:
        """Wait for the broker; raise an error if it has no such topic."""
        from confluent_kafka import KafkaException

        until = time.monotonic() + GRACE
        try:
            while self._patience.insist(lambda: partitions(self._group, self._address, _TIMEOUT)) is None:
                if time.monotonic() > until:
                    raise no_topic(self._address)
                self._patience.pause(0.2)
        except KafkaException as error:
            raise refused(self._address, error) from error

    def _start(self) -> None:
        """Start a producer; from now on all others of the job are refused."""
        from confluent_kafka import KafkaException

        settings = {**_SETTINGS, "transactional.id": self._name}
        self._drop()
        self._producer = client("Producer", self._address, settings, self._patience.trouble)
        try:
            self._patience.insist(lambda: self._producer.init_transactions(_TIMEOUT))
            [found] = self._patience.insist(lambda: self._group.committed([self._place()], _TIMEOUT))
        except KafkaException as error:
            raise refused(self._address, error) from error
        if found.error is not None:
            raise refused(self._address, KafkaException(found.error))
        self._last = max(0, found.offset)

    def _place(self, number: int = 0) -> Any:
        """Return the place of the batch's number: the group's offset of the topic's first partition."""
        from confluent_kafka import TopicPartition

        return TopicPartition(self._address.topic, 0, number)

    def _send(self, number: int, rows: pa.Table) -> None:
        failed: list[Any] = []
        self._producer.begin_transaction()
        self._begun = time.monotonic()
        for key, value in self._records(rows):
            self._produce(key, value, [*self._headers, ("xpubsub-batch", b"%d" % number)], failed)
        group = self._group.consumer_group_metadata()
        try:
            self._producer.send_offsets_to_transaction([self._place(number)], group, _TIMEOUT)
            self._producer.commit_transaction(_TIMEOUT)
        finally:
            self._check(failed)
        self._last, self._begun = number, None

    def _records(self, rows: pa.Table) -> Iterator[tuple[Any, bytes]]:
        keys = (key for chunk in rows[self._key].chunks for key in chunk.to_pylist())
        yield from zip(keys, (line[:-1] for line in json_lines(rows)), strict=True)

    def _produce(self, key: str | None, value: bytes, headers: list[tuple[str, bytes]], failed: list[Any]) -> None:
        """Hand a record to the client; wait while the client holds enough of them."""
        def delivered(error: Any, record: Any) -> None:
            if error is not None:
                failed.append((error, record.key(), len(value)))

        while True:
            try:
                self._producer.produce(
                    self._address.topic, value, None if key is None else key.encode(), headers=headers,
                    on_delivery=delivered)
                self._producer.poll(0)
                return
            except BufferError:
                self._producer.poll(0.1)

    def _check(self, failed: list[Any]) -> None:
        """Raise an error for a record that is larger than the topic takes."""
        from confluent_kafka import KafkaError

        too_large = KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.RECORD_LIST_TOO_LARGE
        for error, key, size in failed:
            if error.code() in too_large:
                raise Error(f"the topic {self._address.topic!r} refuses a record of {size} bytes for"
                            f" {(key or b'').decode()}: raise its max.message.bytes, and start the job again")

    def _recover(self, exception: Exception) -> None:
        """Start another producer, which aborts or completes the transaction that has failed and reads the number.

        The client could try a failed call again, but such a call may wait for ever after the broker was restarted.
        """
        from confluent_kafka import KafkaError

        error = error_of(exception)
        fenced = KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH
        if error.code() in fenced and time.monotonic() - (self._begun or 0.0) < _TRANSACTION:
            raise Error(f"another process delivers the batches of this job to topic {self._address.topic!r}: stop one"
                        " of the two") from exception
        if not (error.fatal() or error.txn_requires_abort() or transient(exception)
                or error.code() == KafkaError._STATE):
            raise refused(self._address, exception) from exception
        self._patience.trouble(error.str())
        self._patience.pause()
        self._start()
        self._begun = None

    def _drop(self) -> None:
        """Forget the producer, with whatever it has not sent."""
        if self._producer is not None:
            self._producer.purge()
            self._producer = None
