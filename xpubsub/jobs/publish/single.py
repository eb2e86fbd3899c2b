"""Matches a single message by a few point lookups instead of joins, where the subscriptions allow it.

The keys that hold in the message are looked up in memory. The queries found by these keys are read from the cache, or
from the store, where they lie together because it is sorted; their slots are compared as columns. A query with other
conditions needs the joins.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from xpubsub.jobs.paths import load_key_index
from xpubsub.jobs.publish.matched import Matched
from xpubsub.jobs.publish.query_cache import RecentQueries
from xpubsub.match.checks import FILTER_HELD, Checks, Decided
from xpubsub.plan.single import MOST_LOOKUPS
from xpubsub.plan.summary import Summary
from xpubsub.rows import FAILED, NOTIFICATIONS, table_of
from xpubsub.shred.key_index import MOST_KEYS, Held, KeyIndex
from xpubsub.step import file_step
from xpubsub.store.store import Store


@dataclass(frozen=True)
class Lookup:
    """The data held in memory for matching single messages."""

    index: KeyIndex
    lookup_keys: frozenset[int]
    """The keys by which queries are found."""
    gone: dict[str, int]
    """Removed subscriptions, each with the call that removed it."""
    recent: RecentQueries
    pairs: dict[int, list[tuple[int, int]]]
    """For a key: the keys it is paired with, each with the key of the pair."""
    checked: dict[tuple[str, int], int]
    """The checks of subscriptions that lxml decides, by subscription and call."""
    checks: Checks

    def paired(self, held: Held) -> Iterator[int]:
        """Yield the pair keys whose two keys both hold."""
        for first in held.keys() & self.pairs.keys():
            yield from (key for second, key in self.pairs[first] if second in held)


def load_lookup(store: Store, summary: Summary, checks: Checks) -> Lookup | None:
    """Load the data for single messages; None if a query needs more than keys, or if there are too many keys."""
    more = summary.levels or summary.texts or summary.long_queries or summary.alternatives
    if more or summary.nodes_bound:
        return None
    gone = store.rows(file_step("gone"))
    access = store.rows(file_step("lookup_key"))
    index = load_key_index(store, summary) if max(len(gone), len(access)) <= MOST_KEYS and not summary.classes else None
    if index is None:
        return None
    removed = {str(row["subscription_id"]): int(row["call_no"]) for row in gone}
    found_by = frozenset(row["lookup_key"] for row in access)
    checked = {(row["subscription_id"], row["call_no"]): row["check_id"]
               for row in (store.rows(file_step("checked_subscription")) if summary.checks else ())}
    return Lookup(index, found_by, removed, RecentQueries(summary.slots_used), _pairs(store), checked, checks)


def _pairs(store: Store) -> dict[int, list[tuple[int, int]]]:
    pairs: dict[int, list[tuple[int, int]]] = {}
    for row in store.rows(file_step("known_pair")):
        pairs.setdefault(row["first_key"], []).append((row["second_key"], row["key"]))
    return pairs


def match_single(
    store: Store, lookup: Lookup, held: Held, message_id: str, stream: str, source: bytes | None
) -> Matched | None:
    """Match a message, given the keys that hold in it; None if joins are faster.

    - `source`: the message in UTF-8, if lxml or Saxon decides about some subscriptions.
    """
    access = [key for key in (*held, *lookup.paired(held)) if key in lookup.lookup_keys]
    if len(access) > MOST_LOOKUPS:
        return None
    keys, tops = _sorted(held)
    found: list[tuple[str, int]] = []
    for key in access:
        queries = lookup.recent.queries(store, key)
        passing = queries.passing(keys, tops)
        if len(passing):
            found.extend(_visible(queries.subscribers(store), passing, lookup.gone, stream))
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


def _visible(subscribers: pa.Table, query_ids: Any, gone: dict[str, int], stream: str) -> list[tuple[str, int]]:
    """Return the visible subscriptions of a stream to which some queries belong, each with its call."""
    rows = subscribers.filter(pa.array(np.isin(np.asarray(subscribers["query_id"]), query_ids))).to_pylist()
    return [(row["subscription_id"], row["call_no"]) for row in rows
            if row["stream"] == stream and row["call_no"] >= gone.get(row["subscription_id"], 0)]
