"""Matches a single message by a few point lookups instead of joins, where the subscriptions allow it.

The keys that hold in the message are looked up in memory. The queries found by these keys are read from the cache, or
from the store, where they lie together because it is sorted; their slots are compared as columns, and what else they
ask for is decided candidate by candidate. Only a message that a transformation may bind nodes of needs the joins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from xpubsub.jobs.publish.growing import Growing
from xpubsub.jobs.publish.matched import Matched
from xpubsub.jobs.publish.query_cache import RecentQueries, Subscriber, passing
from xpubsub.jobs.publish.rests import MessageNodes, Rests
from xpubsub.jobs.publish.touching import Touching, load_touching
from xpubsub.match.checks import FILTER_HELD, Checks, Decided
from xpubsub.plan.single import (
    BRANCHED_QUERIES,
    CHECKED_SUBSCRIPTIONS,
    KEYS,
    LOOKED_UP,
    LOOKUP_KEYS,
    MOST_LOOKUPS,
    PAIRS,
    PATH_MATCHES,
    POSITIONS,
    REMOVALS,
    TEXT_QUERIES,
)
from xpubsub.plan.summary import Summary
from xpubsub.rows import FAILED, NOTIFICATIONS, table_of
from xpubsub.shred.key_index import MOST_KEYS, Held, KeyIndex
from xpubsub.shred.node_rows import NodeRow
from xpubsub.store.store import Store

MOST_CANDIDATES = 1_000
"""The number of candidates up to which deciding them one by one is faster than joins."""


class Lookup:
    """The data held in memory for matching single messages; it grows with the store."""

    def __init__(self, store: Store, checks: Checks) -> None:
        self.index, self.rests, self.recent = KeyIndex(), Rests(), RecentQueries(0)
        self.lookup_keys: set[int] = set()
        """The keys by which queries are found."""
        self.gone: dict[str, int] = {}
        """Removed subscriptions, each with the call that removed it."""
        self.pairs: dict[int, list[tuple[int, int]]] = {}
        """For a key: the keys it is paired with, each with the key of the pair."""
        self.touching = Touching()
        self.checked: dict[tuple[str, int], int] = {}
        """The checks of subscriptions that lxml decides, by subscription and call."""
        self.checks = checks
        self._store = store
        self._growing = Growing(store)

    @property
    def valid(self) -> bool:
        """Whether the data still is in the store."""
        return self._growing.valid

    def paired(self, held: Held) -> Iterator[int]:
        """Yield the pair keys whose two keys both hold."""
        for first in held.keys() & self.pairs.keys():
            yield from (key for second, key in self.pairs[first] if second in held)

    def grow(self, summary: Summary, checks: Checks) -> bool:
        """Add what the store has more by now; returns False if it is too much to hold in memory."""
        new = self._growing.new
        keys = new(KEYS)
        if self.index.size + keys.num_rows > MOST_KEYS:
            return False
        self.index.add(_tuples(keys))
        self.index.match(_tuples(new(PATH_MATCHES, summary.path_matches)))
        added = _distinct(new(LOOKUP_KEYS))
        self.lookup_keys.update(added)
        self.gone.update((subscription_id, call_no) for subscription_id, call_no in _tuples(new(REMOVALS)))
        if max(len(self.gone), len(self.lookup_keys)) > MOST_KEYS:
            return False
        if self.recent.slots != summary.slots_used:
            self.recent = RecentQueries(summary.slots_used)
        self.recent.forget((*added, *_distinct(new(LOOKED_UP))))
        for key, first, second in _tuples(new(PAIRS, summary.pairs)):
            self.pairs.setdefault(first, []).append((second, key))
        self._grow_rests(summary)
        for call_no, subscription_id, check_id in _tuples(new(CHECKED_SUBSCRIPTIONS, summary.checks)):
            self.checked[subscription_id, call_no] = check_id
        self.checks, self.touching = checks, load_touching(self._store, summary)
        return True

    def _grow_rests(self, summary: Summary) -> None:
        """Add queries of which keys do not decide everything."""
        new = self._growing.new
        self.rests.add(_distinct(new(TEXT_QUERIES, summary.texts)))
        if summary.levels:
            self.rests.add(_distinct(new(BRANCHED_QUERIES)))
            self.rests.forget_positions(_distinct(new(POSITIONS)))


def _tuples(table: pa.Table) -> Iterator[tuple[Any, ...]]:
    return zip(*(column.to_pylist() for column in table.columns), strict=True)


def _distinct(table: pa.Table) -> list[int]:
    """Return the different numbers of a table with one column."""
    return [] if not table.num_rows else np.unique(np.asarray(table.column(0))).tolist()


class Lookups:
    """Keeps the lookup data of a store between snapshots."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lookup: Lookup | None = None
        self._full = False

    def current(self, summary: Summary, checks: Checks) -> Lookup | None:
        """Return the data for single messages with all changes; None if there is too much of it."""
        if summary.classes:
            return None
        if self._lookup is None or not self._lookup.valid:
            self._lookup, self._full = Lookup(self._store, checks), False
        self._full = self._full or not self._lookup.grow(summary, checks)
        return None if self._full else self._lookup


def match_single(
    store: Store, lookup: Lookup, rows: Sequence[NodeRow], message_id: str, stream: str, source: bytes | None
) -> Matched | None:
    """Match a message, given its nodes; None if the joins are needed, or faster.

    - `source`: the message in UTF-8, if lxml or Saxon decides about some subscriptions.
    """
    held, nodes = lookup.index.held(rows), MessageNodes(rows, lookup.index.linear)
    access = [key for key in (*held, *lookup.paired(held)) if key in lookup.lookup_keys]
    if len(access) > MOST_LOOKUPS:
        return None
    query_ids, final = passing(lookup.recent.queries(store, access), *_sorted(held))
    touching = lookup.touching
    if touching.touched(query_ids.tolist(), nodes) or touching.joined(stream, nodes):
        return None
    if len(query_ids) > MOST_CANDIDATES:
        return None
    matched = lookup.rests.holding(store, query_ids, final, held, nodes)
    found = _visible(lookup.recent.subscribers(store, access, matched), lookup.gone, stream)
    decided = _decided(lookup, found, source) if lookup.checked else dict.fromkeys(found, FILTER_HELD)
    notified = [(message_id, key[0], output) for key, (output, code, _) in decided.items() if code is None]
    failed = [(message_id, key[0], code, reason) for key, (_, code, reason) in decided.items() if code is not None]
    return Matched(table_of(notified, NOTIFICATIONS), table_of(failed, FAILED))


def _decided(lookup: Lookup, found: list[tuple[str, int]], source: bytes | None) -> dict[tuple[str, int], Decided]:
    """Return the subscriptions whose checks hold in the message, or fail, and those without checks."""
    asked = {key: lookup.checked[key] for key in found if key in lookup.checked}
    if not asked or source is None:
        return dict.fromkeys(found, FILTER_HELD)
    [held] = lookup.checks.held([(source, list(set(asked.values())))])
    return {key: held[asked[key]] if key in asked else FILTER_HELD
            for key in found if key not in asked or asked[key] in held}


def _sorted(held: Held) -> tuple[Any, Any]:
    """Return the keys that hold, ascending, and the greatest value of each."""
    keys, tops = np.fromiter(held, np.int64, len(held)), np.fromiter(held.values(), np.float64, len(held))
    order = np.argsort(keys)
    return keys[order], tops[order]


def _visible(subscribers: Iterator[Subscriber], gone: dict[str, int], stream: str) -> list[tuple[str, int]]:
    """Return the visible subscriptions of a stream, each once and with its call."""
    return list(dict.fromkeys(
        (subscription_id, call_no) for _, subscription_id, call_no, reads in subscribers
        if reads == stream and call_no >= gone.get(subscription_id, 0)))
