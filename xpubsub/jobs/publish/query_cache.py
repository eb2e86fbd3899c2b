"""An LRU cache, by key, of the queries that single messages look up.

`passing` does for one message what the step `unroll_slots` (`plan/filter_steps.py`) does for a batch: it compares the
slots of queries with the keys that hold. `tests/test_single.py` compares the two.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from xpubsub.plan.single import found_queries, found_subscribers, padded
from xpubsub.store.store import Store

MOST_ROWS = 1_000_000
"""How many queries are cached; one with five slots takes about a hundred bytes."""
Subscriber = tuple[int, str, int, str]
"""(query, subscription, call, stream)."""


@dataclass
class FoundQueries:
    """The queries found by one key, as columns; slots are rows of the two matrices."""

    query_ids: Any
    final: Any
    """Whether the slots have all predicates that keys decide."""
    asked: Any
    bounds: Any
    subscribers: dict[int, list[Subscriber]] | None = None
    """The subscriptions of these queries, visible or not, by query, once they were asked for."""

    def __len__(self) -> int:
        return len(self.query_ids)


class RecentQueries:
    """Queries by the key that finds them; the least recently used are evicted."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self._found: OrderedDict[int, FoundQueries] = OrderedDict()
        self._rows = 0

    def queries(self, store: Store, keys: Sequence[int]) -> list[FoundQueries]:
        """Return the queries found by each key, from the cache or, all at once, from the store."""
        missing = [key for key in keys if key not in self._found]
        if missing:
            self._read(store, missing)
        found = [self._found[key] for key in keys]
        for key in keys:
            self._found.move_to_end(key)
        self._evict()
        return found

    def subscribers(self, store: Store, keys: Sequence[int], query_ids: Sequence[int]) -> Iterator[Subscriber]:
        """Yield the subscriptions of some of the queries that were found by keys."""
        keys = [key for key in keys if key in self._found and np.isin(self._found[key].query_ids, query_ids).any()]
        found = [self._found[key] for key in keys]
        asked = [key for key in keys if self._found[key].subscribers is None]
        if asked:
            self._read_subscribers(store, asked)
        for query_id in query_ids:
            for each in found:
                yield from (each.subscribers or {}).get(query_id, ())

    def forget(self, keys: Iterable[int]) -> None:
        """Drop what keys have found: the store has more by now."""
        for key in keys:
            self._rows -= len(self._found.pop(key, ()))

    def _read(self, store: Store, keys: list[int]) -> None:
        asked = padded(keys)
        table = store.engine.fetch(found_queries(self.slots, len(asked)), asked)
        columns = {name: np.asarray(table[name]) for name in table.column_names}
        wanted, bounds = (np.array([columns[f"{name}{slot}"] for slot in range(1, self.slots + 1)]).reshape(
            self.slots, table.num_rows) for name in ("key", "bound"))
        for key in keys:
            rows = np.flatnonzero(columns["lookup_key"] == key)
            self._found[key] = FoundQueries(
                columns["query_id"][rows], columns["final"][rows], wanted[:, rows], bounds[:, rows])
            self._rows += len(rows)

    def _read_subscribers(self, store: Store, keys: list[int]) -> None:
        given = padded(keys)
        table = store.engine.fetch(found_subscribers(len(given)), given)
        for key in keys:
            self._found[key].subscribers = {}
        for key, *subscriber in zip(*(column.to_pylist() for column in table.columns), strict=True):
            subscribers = self._found[key].subscribers
            assert subscribers is not None
            subscribers.setdefault(subscriber[0], []).append((*subscriber,))

    def _evict(self) -> None:
        while self._rows > MOST_ROWS and len(self._found) > 1:
            self._rows -= len(self._found.popitem(last=False)[1])


def passing(found: Sequence[FoundQueries], keys: Any, tops: Any) -> tuple[Any, Any]:
    """Return the queries whose slots all hold, and which of them are final.

    - `keys`: the keys that hold in the message, ascending.
    - `tops`: the greatest value of each of these keys.
    """
    if not found:
        return np.empty(0, np.int64), np.empty(0, bool)
    asked, bounds = (np.concatenate(parts, axis=1) for parts in
                     ([each.asked for each in found], [each.bounds for each in found]))
    places = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    holds = ((keys[places] == asked) & (tops[places] > bounds)).all(axis=0)
    query_ids, final = (np.concatenate(parts) for parts in
                        ([each.query_ids for each in found], [each.final for each in found]))
    return query_ids[holds], final[holds]

