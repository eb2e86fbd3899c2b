"""Publish documents unit by unit: `xpubsub publish --split`."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import Any

from xpubsub.broker import Broker
from xpubsub.cli.messages import STDIN, standard_input, unreadable
from xpubsub.cli.progress import Reporter
from xpubsub.cli.received import id_of
from xpubsub.cli.tally import Tally
from xpubsub.jobs.split.sources import unique


def publish_documents(broker: Broker, paths: list[str], tally: Tally, reporter: Reporter, **how: Any) -> None:
    """Publish the units of each document; results are written as they come."""
    seen: set[str] = set()
    for path in paths:
        if path in seen:
            tally.refuse(id_of(path), "duplicate-id", "the file is given twice")
        elif path == STDIN:
            _publish(broker, standard_input(), tally, reporter, name=unique("stdin"), **how)
        else:
            _publish_file(broker, path, tally, reporter, **how)
        seen.add(path)
    tally.take_refused()


def _publish_file(broker: Broker, path: str, tally: Tally, reporter: Reporter, **how: Any) -> None:
    """Publish a file, or refuse it if it cannot be read."""
    with ExitStack() as stack:
        try:
            file = stack.enter_context(open(path, "rb", buffering=0))
        except OSError as error:
            tally.refuse(id_of(path), "unreadable", unreadable(path, error))
            return
        _publish(broker, file, tally, reporter, **how)


def _publish(broker: Broker, source: Any, tally: Tally, reporter: Reporter, **how: Any) -> None:
    def read(units: int) -> None:
        tally.messages += units
        reporter.read(units)

    for result in broker.publish_stream(source, progress=read, **how):
        tally.add(result)
        sys.stdout.flush()
        reporter.matched(tally.notified)
