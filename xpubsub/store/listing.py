"""Reading a store: its subscriptions, one subscription, and counts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from xpubsub.errors import StoreError
from xpubsub.step import file_step
from xpubsub.store.store import Store


@dataclass(frozen=True)
class Shown:
    """A subscription as it was written, and the queries it was compiled to."""

    subscription_id: str
    kind: str
    stream: str
    dialect: str
    namespaces: dict[str, str]
    text: str
    queries: tuple[str, ...]
    max_delay: str | None = None
    """The longest delay that the subscriber accepts, such as `5s`."""
    variables: Mapping[str, Any] = field(default_factory=dict)
    way: str = "indexed"
    """`indexed`: SQL decides; `checked`: lxml decides about candidates; `every message`: lxml reads each message."""
    partial: bool = True
    """Whether the subscriber wants parts of outputs while others are spilled."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """What the paths that a transformation returns are worth, by how they are written; 1 where none is given."""
    candidates: int | None = None
    """How many messages lxml has checked, if it was asked: those that met the necessary condition."""
    seconds: float | None = None
    """How long that took lxml, without reading the messages."""


def list_subscriptions(store: Store) -> pa.Table:
    """Return the visible subscriptions, ordered by id."""
    with store.engine.pipeline():
        store.run(*store.visible())
        return store.engine.fetch(file_step("list"))


def show_subscription(store: Store, subscription_id: str) -> Shown:
    """Return one visible subscription; an unknown id raises `StoreError`."""
    with store.engine.pipeline():
        store.engine.load("asked", pa.table({"subscription_id": [subscription_id]}))
        store.run(*store.visible_asked())
        rows = store.rows(file_step("show"))
        if not rows:
            raise StoreError(f"there is no subscription {subscription_id!r} in this store")
        queries = tuple(row["query"] for row in store.rows(file_step("show_query")))
    row = rows[0]
    row["namespaces"] = json.loads(row["namespaces"])
    row["variables"] = json.loads(row["variables"] or "{}")
    row["weights"] = json.loads(row["weights"] or "{}")
    return Shown(**row, queries=queries)


def store_stats(store: Store) -> dict[str, int]:
    """Return counts over the store by name."""
    with store.engine.pipeline():
        store.run(*store.visible())
        return {row["name"]: int(row["amount"]) for row in store.rows(file_step("stats"))}
