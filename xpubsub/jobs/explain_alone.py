"""Explaining by carrying out: one subscription in a store of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from xpubsub.engines.duckdb import DuckDBEngine
from xpubsub.jobs.explain import Explanation, Unreadable
from xpubsub.jobs.forms import SubscribeForm
from xpubsub.jobs.incoming import read_rows
from xpubsub.jobs.result import Result
from xpubsub.jobs.subscribe import subscribe
from xpubsub.limits import Limits
from xpubsub.store.listing import Shown
from xpubsub.store.store import Store


@contextmanager
def store_of(shown: Shown, limits: Limits) -> Iterator[Store]:
    """A store in memory with one subscription."""
    engine = DuckDBEngine(":memory:")
    try:
        store = Store(engine)
        form = SubscribeForm(shown.namespaces, shown.dialect, shown.stream)
        subscribe(store, read_rows([(shown.subscription_id, shown.text)]), form, limits)
        yield store
    finally:
        engine.close()


def rejected(shown: Shown, result: Result) -> Explanation | None:
    """Why the message could not be read, if it could not."""
    for row in result.rejected.to_pylist():
        refused = Unreadable(row["code"], row["reason"], row["line"], row["column"])
        return Explanation(shown.subscription_id, shown.text, False, unreadable=refused)
    return None
