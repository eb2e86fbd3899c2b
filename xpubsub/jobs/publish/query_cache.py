"""An LRU cache, by key, of the queries that single messages look up.

`FoundQueries.passing` does for one message what the step `unroll_slots` (`plan/filter_steps.py`) does for a batch:
it compares the slots of a query with the keys that hold. `tests/test_single.py` compares the two.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
import pyarrow as pa

from xpubsub.plan.single import FOUND_SUBSCRIBERS, found_queries
from xpubsub.store.store import Store

MOST_ROWS = 1_000_000
"""How many queries are cached; one with five slots takes about a hundred bytes."""


class FoundQueries:
    """The queries found by one key, as columns."""

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
        """Return the queries whose slots all hold, given the keys that hold, ascending, and their greatest values."""
        passing = np.ones(len(self), bool)
        for asked, bound in self._slots:
            passing &= _tops(keys, tops, asked) > bound
        return self._query_ids[passing]

    def subscribers(self, store: Store) -> pa.Table:
        """Return the subscriptions of these queries, visible or not."""
        if self._subscribers is None:
            self._subscribers = store.engine.fetch(FOUND_SUBSCRIBERS, [self._key])
        return self._subscribers


class RecentQueries:
    """Queries by the key that finds them; the least recently used are evicted."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._found: OrderedDict[int, FoundQueries] = OrderedDict()
        self._rows = 0

    def queries(self, store: Store, key: int) -> FoundQueries:
        """Return the queries found by a key, from the cache or from the store."""
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
    """Return the greatest value of each key in `asked`; where a key does not hold, a value below every bound."""
    places = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    return np.where(keys[places] == asked, tops[places], -np.inf)
