"""A loop by hand over a topic: confluent-kafka reads, lxml's compiled XPaths match one after the other."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any

from lxml import etree


@dataclass
class Looped:
    """What the loop has done."""

    messages: int = 0
    seconds: float = 0.0
    delays: list[float] = field(default_factory=list)
    """Seconds from the time of a record to the hand-over of each of its notifications to the producer."""


def run(servers: str, source: str, sink: str, texts: list[str], amount: int, *, seconds: float) -> Looped:
    """Match an amount of records, or as many as there is time for; compiling is not part of the time."""
    from confluent_kafka import Consumer, Producer

    compiled = [etree.XPath(f"boolean({text})") for text in texts]
    consumer = Consumer({
        "bootstrap.servers": servers, "group.id": f"loop-{source}", "auto.offset.reset": "earliest", "log_level": 0})
    consumer.subscribe([source])
    producer = Producer({"bootstrap.servers": servers, "linger.ms": 5, "log_level": 0})
    looped, started = Looped(), 0.0
    until = time.monotonic() + 60
    while looped.messages < amount and time.monotonic() < until:
        record = consumer.poll(1.0)
        if record is None or record.error():
            continue
        if not started:
            started, until = time.perf_counter(), time.monotonic() + seconds
        _publish(record, compiled, producer, sink, looped)
    producer.flush()
    consumer.close()
    looped.seconds = time.perf_counter() - started
    return looped


def _publish(record: Any, compiled: list[Any], producer: Any, sink: str, looped: Looped) -> None:
    tree, name = etree.fromstring(record.value()), f"{record.partition()}/{record.offset()}"
    for number, xpath in enumerate(compiled):
        if xpath(tree):
            producer.produce(sink, json.dumps({"message_id": name, "subscription_id": f"s{number}"}), f"s{number}")
            looped.delays.append(time.time() - record.timestamp()[1] / 1000)
    producer.poll(0)
    looped.messages += 1
