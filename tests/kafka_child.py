"""A process that runs a streaming job until it is killed.

What such a process needs is imported here, once: each is forked from a server that has done it.
"""

from __future__ import annotations

import time
from typing import Any

import confluent_kafka  # noqa: F401
import pandas  # noqa: F401

import xpubsub
import xpubsub.connecting
from xpubsub.jobs.stream.deliveries import Deliveries


def main(store: str, source: str, sink: str, committed: Any) -> None:
    """Run the job, so slowly that it can be killed at any moment of a batch; say when a batch is committed."""
    deliver = Deliveries.deliver

    def slowly(*arguments: Any) -> None:
        committed.send(True)
        time.sleep(0.01)
        deliver(*arguments)
        time.sleep(0.01)

    Deliveries.deliver = slowly  # type: ignore[method-assign]
    with xpubsub.connect(store) as broker:
        broker.stream(source, sink, max_messages=1)
