"""Publishes messages to one subscription alone, in a temporary store, so that an explanation can inspect the result."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from xpubsub.engines.duckdb import DuckDBEngine
from xpubsub.jobs.explain.explanation import Unreadable
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.subscribe.call_options import CallOptions
from xpubsub.jobs.subscribe.incoming import read_rows
from xpubsub.jobs.subscribe.subscribing import subscribe
from xpubsub.limits import Limits
from xpubsub.step import none_of
from xpubsub.store.gc import DERIVED, KEPT, STATE, row_counts
from xpubsub.store.listing import Shown
from xpubsub.store.store import Store


@dataclass(frozen=True)
class AskedMessage:
    """A message to explain, with the stream and time it would be published with."""

    xml: str | bytes
    stream: str
    time: object = None
    """A time as `publish` accepts it; None means the time of arrival."""


@dataclass(frozen=True)
class _Spare:
    """A store in memory that the next explanation can use, and the subscription it holds."""

    store: Store
    held: tuple[Shown, Limits]


_SPARE: dict[int, _Spare] = {}
"""By process: the last store used, as creating one and subscribing take longer than publishing."""


@contextmanager
def store_of(shown: Shown, limits: Limits) -> Iterator[Store]:
    """Open a store in memory that holds one subscription and no messages."""
    spare = _SPARE.pop(os.getpid(), None)
    store = Store(DuckDBEngine(":memory:")) if spare is None else spare.store
    try:
        _prepare(store, spare, shown, limits)
        yield store
    except BaseException:
        store.engine.close()
        raise
    if _SPARE.setdefault(os.getpid(), _Spare(store, (shown, limits))).store is not store:
        store.engine.close()


def _prepare(store: Store, spare: _Spare | None, shown: Shown, limits: Limits) -> None:
    """Subscribe unless the store holds the subscription already; drop whatever else it holds."""
    if spare is not None and spare.held == (shown, limits):
        _empty(store, STATE)
        return
    _empty(store, (*KEPT, *DERIVED))
    options = CallOptions(shown.namespaces, shown.dialect, shown.stream, variables=dict(shown.variables))
    subscribe(store, read_rows([(shown.subscription_id, shown.text)]), options, limits)


def _empty(store: Store, tables: Iterable[str]) -> None:
    counts = row_counts(store)
    with store.engine.pipeline(), store.engine.transaction():
        store.engine.replace({table: none_of(table) for table in tables if counts[table]})


def rejected(result: Result, name: Callable[[str], str] = lambda _: "the message") -> Unreadable | None:
    """Return why the first rejected message was rejected, or None; `name` gives the name to show for an id."""
    for row in result.rejected.to_pylist():
        return Unreadable(row["code"], row["reason"], row["line"], row["column"], name(row["message_id"]))
    return None
