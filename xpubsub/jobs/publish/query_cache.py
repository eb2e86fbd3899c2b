"""The queries that single messages have asked for, in memory: those asked for last, up to a number of rows."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
import pyarrow as pa

from xpubsub.plan.single import FOUND_SUBSCRIBERS, found_queries
from xpubsub.store.store import Store

MOST_ROWS = 1_000_000
"""Queries that are remembered; with five slots each takes about a hundred bytes."""


class FoundQueries:
    """The queries that are found by one key, column by column."""

    def __init__(self, store: Store, key: int, slots: int) -> None:
        self._key = key
        table = store.engine.fetch(found_queries(slots), [key])
        self._query_ids = np.asarray(table["query_id"])
        self._slots = [tuple(np.asarray(table[f"{name}{slot}"]) for name in ("key", "bound"))
                       for slot in range(1, slots + 1)]
        self._subscribers: pa.Table | None = None

    def __len__(self) -> int:
        return len(self._query_ids)

    def passing(self, keys: Any, tops: Any) -> Any:
        """The queries all of whose slots hold, given the keys that hold, ascending, and their tops."""
        passing = np.ones(len(self), bool)
        for asked, bound in self._slots:
            passing &= _tops(keys, tops, asked) > bound
        return self._query_ids[passing]

    def subscribers(self, store: Store) -> pa.Table:
        """The subscriptions of these queries, visible or not."""
        if self._subscribers is None:
            self._subscribers = store.engine.fetch(FOUND_SUBSCRIBERS, [self._key])
        return self._subscribers


class RecentQueries:
    """Queries by the key that finds them; the least recently used are forgotten."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._found: OrderedDict[int, FoundQueries] = OrderedDict()
        self._rows = 0

    def queries(self, store: Store, key: int) -> FoundQueries:
        """Those that are found by a key."""
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = FoundQueries(store, key, self._slots)
            self._rows += len(found)
            self._forget()
        self._found.move_to_end(key)
        return found

    def _forget(self) -> None:
        while self._rows > MOST_ROWS and len(self._found) > 1:
            self._rows -= len(self._found.popitem(last=False)[1])


def _tops(keys: Any, tops: Any, asked: Any) -> Any:
    """The tops of the keys asked for; below every bound where a key does not hold."""
    places = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    return np.where(keys[places] == asked, tops[places], -np.inf)
