"""A process that runs a streaming job until it is killed."""

from __future__ import annotations

import time
from typing import Any

import confluent_kafka  # noqa: F401

import xpubsub
from xpubsub.jobs.stream.deliveries import Deliveries


def main(store: str, source: str, sink: str, opened: Any) -> None:
    """Run the job, so slowly that it can be killed at any moment of a batch; say when the sink is open."""
    deliver, open_ = Deliveries.deliver, Deliveries.open

    def opening(*arguments: Any) -> None:
        open_(*arguments)
        opened.send(True)

    def slowly(*arguments: Any) -> None:
        time.sleep(0.01)
        deliver(*arguments)
        time.sleep(0.01)

    Deliveries.open, Deliveries.deliver = opening, slowly  # type: ignore[method-assign]
    with xpubsub.connect(store) as broker:
        broker.stream(source, sink, max_messages=1)
