"""Publishes messages to one subscription alone, in a temporary store, so that an explanation can inspect the result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from xpubsub.engines.duckdb import DuckDBEngine
from xpubsub.jobs.explain.explanation import Unreadable
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.subscribe.call_options import CallOptions
from xpubsub.jobs.subscribe.incoming import read_rows
from xpubsub.jobs.subscribe.subscribing import subscribe
from xpubsub.limits import Limits
from xpubsub.store.listing import Shown
from xpubsub.store.store import Store


@dataclass(frozen=True)
class AskedMessage:
    """A message to explain, with the stream and time it would be published with."""

    xml: str | bytes
    stream: str
    time: object = None
    """A time as `publish` accepts it; None means the time of arrival."""


@contextmanager
def store_of(shown: Shown, limits: Limits) -> Iterator[Store]:
    """Open a store in memory that holds one subscription."""
    engine = DuckDBEngine(":memory:")
    try:
        store = Store(engine)
        options = CallOptions(shown.namespaces, shown.dialect, shown.stream)
        subscribe(store, read_rows([(shown.subscription_id, shown.text)]), options, limits)
        yield store
    finally:
        engine.close()


def rejected(result: Result, name: Callable[[str], str] = lambda _: "the message") -> Unreadable | None:
    """Return why the first rejected message was rejected, or None; `name` gives the name to show for an id."""
    for row in result.rejected.to_pylist():
        return Unreadable(row["code"], row["reason"], row["line"], row["column"], name(row["message_id"]))
    return None
