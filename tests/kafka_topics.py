"""Records in and out of topics, for the tests of the streaming job."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from tests.kafka_server import KafkaServer

Row = tuple[str, str, str | None]


def produce(server: KafkaServer, topic: str, values: Iterable[str | bytes | None], *, partitions: int = 2) -> None:
    """Send records to the partitions in turn."""
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": server.servers, "log_level": 0, "linger.ms": 5})
    for number, value in enumerate(values):
        producer.produce(topic, value, partition=number % partitions)
        producer.poll(0)
    assert producer.flush(30) == 0


def records(server: KafkaServer, topic: str, partitions: int = 2) -> list[Any]:
    """Return all records of a topic that a consumer of committed transactions sees."""
    from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition

    consumer = Consumer({
        "bootstrap.servers": server.servers, "group.id": "tests", "enable.partition.eof": True, "log_level": 0,
        "isolation.level": "read_committed", "fetch.wait.max.ms": 20, "enable.auto.commit": False})
    consumer.assign([TopicPartition(topic, each, OFFSET_BEGINNING) for each in range(partitions)])
    found, ends = [], set[int]()
    while len(ends) < partitions:
        event = consumer.poll(30)
        assert event is not None, "the broker does not answer"
        if event.error() is None:
            found.append(event)
        else:
            assert event.error().code() == KafkaError._PARTITION_EOF, event.error()
            ends.add(event.partition())
    consumer.close()
    return found


def notified(server: KafkaServer, topic: str) -> Counter[Row]:
    """Return the notifications in a topic; one that is there twice counts twice."""
    rows = [json.loads(record.value()) for record in records(server, topic)]
    return Counter((row["message_id"], row["subscription_id"], row["output"]) for row in rows)
