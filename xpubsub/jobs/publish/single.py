"""Matches a single message by a few point lookups instead of joins, where the subscriptions allow it.

The keys that hold in the message are looked up in memory. The queries found by these keys are read from the cache, or
from the store, where they lie together because it is sorted; their slots are compared as columns, and what else they
ask for is decided candidate by candidate. Only a message that a transformation may bind nodes of needs the joins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from xpubsub.jobs.paths import load_key_index
from xpubsub.jobs.publish.query_cache import RecentQueries, Subscriber, passing
from xpubsub.jobs.publish.rests import MessageNodes, Rests
from xpubsub.jobs.publish.touching import Touching, load_touching
from xpubsub.match.checks import Checks
from xpubsub.plan.single import MOST_LOOKUPS, QUERIES_WITH_REST
from xpubsub.plan.summary import Summary
from xpubsub.rows import NOTIFICATIONS, table_of
from xpubsub.shred.key_index import MOST_KEYS, Held, KeyIndex
from xpubsub.shred.node_rows import NodeRow
from xpubsub.step import file_step
from xpubsub.store.store import Store

MOST_CANDIDATES = 1_000
"""The number of candidates up to which deciding them one by one is faster than joins."""


@dataclass(frozen=True)
class Lookup:
    """The data held in memory for matching single messages."""

    index: KeyIndex
    lookup_keys: frozenset[int]
    """The keys by which queries are found."""
    gone: dict[str, int]
    """Removed subscriptions, each with the call that removed it."""
    recent: RecentQueries
    rests: Rests
    pairs: dict[int, list[tuple[int, int]]]
    """For a key: the keys it is paired with, each with the key of the pair."""
    touching: Touching
    checked: dict[tuple[str, int], int]
    """The checks of subscriptions that lxml decides, by subscription and call."""
    checks: Checks

    def paired(self, held: Held) -> Iterator[int]:
        """Yield the pair keys whose two keys both hold."""
        for first in held.keys() & self.pairs.keys():
            yield from (key for second, key in self.pairs[first] if second in held)


def load_lookup(store: Store, summary: Summary, checks: Checks) -> Lookup | None:
    """Load the data for single messages; None if there are too many keys."""
    gone = store.rows(file_step("gone"))
    access = store.rows(file_step("lookup_key"))
    index = load_key_index(store, summary) if max(len(gone), len(access)) <= MOST_KEYS and not summary.classes else None
    if index is None:
        return None
    removed = {str(row["subscription_id"]): int(row["call_no"]) for row in gone}
    found_by = frozenset(row["lookup_key"] for row in access)
    with_rest = frozenset(row["query_id"] for row in store.rows(QUERIES_WITH_REST))
    checked = {(row["subscription_id"], row["call_no"]): row["check_id"]
               for row in (store.rows(file_step("checked_subscription")) if summary.checks else ())}
    return Lookup(index, found_by, removed, RecentQueries(summary.slots_used), Rests(with_rest), _pairs(store),
                  load_touching(store, summary), checked, checks)


def _pairs(store: Store) -> dict[int, list[tuple[int, int]]]:
    pairs: dict[int, list[tuple[int, int]]] = {}
    for row in store.rows(file_step("known_pair")):
        pairs.setdefault(row["first_key"], []).append((row["second_key"], row["key"]))
    return pairs


def match_single(
    store: Store, lookup: Lookup, rows: Sequence[NodeRow], message_id: str, stream: str, source: bytes | None
) -> pa.Table | None:
    """Return the notifications of a message, given its nodes; None if the joins are needed, or faster.

    - `source`: the message in UTF-8, if lxml decides about some subscriptions.
    """
    held, nodes = lookup.index.held(rows), MessageNodes(rows, lookup.index.linear)
    access = [key for key in (*held, *lookup.paired(held)) if key in lookup.lookup_keys]
    if len(access) > MOST_LOOKUPS:
        return None
    query_ids, final = passing(lookup.recent.queries(store, access), *_sorted(held))
    if len(query_ids) > MOST_CANDIDATES or lookup.touching.touched(query_ids.tolist(), nodes):
        return None
    matched = lookup.rests.holding(store, query_ids, final, held, nodes)
    found = _visible(lookup.recent.subscribers(store, access, matched), lookup.gone, stream)
    decided = _decided(lookup, found, source) if lookup.checked else found
    return table_of([(message_id, subscription_id, None) for subscription_id, _ in decided], NOTIFICATIONS)


def _decided(lookup: Lookup, found: list[tuple[str, int]], source: bytes | None) -> list[tuple[str, int]]:
    """Drop the subscriptions whose checks do not hold in the message."""
    asked = {key: lookup.checked[key] for key in found if key in lookup.checked}
    if not asked or source is None:
        return found
    held = set(lookup.checks.held(source, list(set(asked.values()))))
    return [key for key in found if key not in asked or asked[key] in held]


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
