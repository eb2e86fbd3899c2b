"""Orders the predicates of each query, and returns them as rows: unrolled slots and chains (section 4).

All queries of a call are arranged at once as columns: nothing here loops over queries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from xpubsub.arrange.chains import Chains
from xpubsub.arrange.groups import sorted_within, starts_of
from xpubsub.arrange.keys import ALWAYS, EQUAL, Bounds, PairRow, keyed, pair_keys
from xpubsub.arrange.selectivity import Selectivity
from xpubsub.rows import ARRANGED_EDGE, ARRANGED_KEY, ARRANGED_PAIR, ARRANGED_TEXT, table_of, unrolled_schema

MOST_SLOTS = 8
"""How many slots `predicate_unroll` has; the setting `slots` says how many are used."""
SHARE_ROOT, BUCKET_ROOT, RANGE_ROOT = 0, 1, 2
"""The roots of chains: 0 for most; for chains that start with a range, 1 by its bucket and 2 by the range itself."""
UNROLLED = unrolled_schema(MOST_SLOTS)


@dataclass(frozen=True)
class Arranger:
    """Arranges predicates by their estimated selectivity."""

    selectivity: Selectivity
    slots: int
    bounds: Bounds = field(default_factory=dict)

    def tables(self, query_ids: pa.Array, predicates: pa.ListArray) -> dict[str, pa.Table]:
        """Return the rows of `predicate_unroll`, of the chains and of the keys, for queries with their predicates."""
        return _Arrangement(self, np.asarray(query_ids), predicates).tables()


class _Arrangement:
    """The queries of one call as columns over all predicates, in the order in which a query tests them."""

    def __init__(self, arranger: Arranger, query_ids: Any, lists: pa.ListArray) -> None:
        flat, counts = lists.flatten(), lists.value_lengths().to_numpy(zero_copy_only=False)
        found, self._meaning = keyed(flat, arranger.selectivity, arranger.bounds)
        order = sorted_within(counts, found.share, found.key, found.bound)
        self._keyed, self._predicates = found.take(order), flat.take(pa.array(order))
        self._query_ids, self._slots = query_ids, arranger.slots
        self._query, self._starts = np.repeat(np.arange(len(query_ids)), counts), starts_of(counts)
        self._rank = np.arange(len(order)) - self._starts
        self._access, self._pairs, accessed = self._found_by()
        self._slotted = ~self._keyed.text & ~((self._rank == 0) & self._keyed.exact)
        self._place = self._places(accessed)

    def tables(self) -> dict[str, pa.Table]:
        """Return all tables."""
        rest = self._slotted & (self._place >= self._slots)
        edges = [*self._shared(), self._chains(self._query_ids * -1, (rest,))]
        return {
            "unrolled": self._unrolled(rest),
            "arranged_pair": table_of(self._pairs, ARRANGED_PAIR),
            "arranged_edge": pa.concat_tables(edges),
            "arranged_key": table_of(self._meaning, ARRANGED_KEY),
            "arranged_text": self._texts(),
        }

    def _found_by(self) -> tuple[Any, list[PairRow], Any]:
        """Return the key by which each query is found, the pair keys, and which predicates these cover.

        A query is found by its rarest predicate, or by a pair key if its two rarest predicates are ranges.
        """
        first = np.flatnonzero(self._rank == 0)
        second = np.minimum(first + 1, len(self._rank) - 1)
        bucketed = self._keyed.access != self._keyed.key
        ranges = ~self._keyed.exact[first] & ~self._keyed.exact[second] & (bucketed[first] | bucketed[second])
        both = ranges & (self._rank[second] == 1)
        access, accessed = self._keyed.access[first], self._rank == 0
        access[both], pairs = pair_keys(*(self._keyed.access[each[both]] for each in (first, second)))
        accessed[second[both]] = True
        return access, pairs, accessed

    def _places(self, accessed: Any) -> Any:
        """Return the slot of each predicate that needs one; predicates that the lookup key nearly decides come last."""
        early, late = self._slotted & ~accessed, self._slotted & accessed
        earlier = np.bincount(self._query[early], minlength=len(self._query_ids))[self._query]
        return np.where(late, earlier + self._before(late), self._before(early))

    def _unrolled(self, rest: Any) -> pa.Table:
        size, used = len(self._query_ids), self._slotted & ~rest
        final = np.ones(size, bool)
        final[self._query[rest]] = False
        keys, bounds = np.full((MOST_SLOTS, size), ALWAYS), np.full((MOST_SLOTS, size), -np.inf)
        place = self._place[used], self._query[used]
        keys[place], bounds[place] = self._keyed.key[used], self._keyed.bound[used]
        slots = [column for slot in zip(keys, bounds, strict=True) for column in slot]
        spare = len(slots) - 2 * self._slots
        arrays = [self._access, self._query_ids, final, self._query_ids * -1, *slots[: 2 * self._slots]]
        columns = [pa.array(each) for each in arrays] + [pa.nulls(size)] * spare
        return pa.Table.from_arrays(columns, names=UNROLLED.names).cast(UNROLLED)

    def _shared(self) -> Iterator[pa.Table]:
        """Yield the chain of each query, equalities first; one that starts with a range has a second by buckets."""
        equal, coarse = self._keyed.stage == EQUAL, self._coarse()
        bucketed = np.zeros(len(self._query_ids), bool)
        bucketed[self._query[coarse]] = True
        roots = np.where(bucketed, RANGE_ROOT, SHARE_ROOT)
        yield self._chains(roots, (equal, ~equal))
        yield self._chains(np.full(len(roots), BUCKET_ROOT), (bucketed[self._query],), coarse)

    def _coarse(self) -> Any:
        """Mark, for queries without an equality, the first range predicate that has a bucket."""
        equal = np.zeros(len(self._query_ids), bool)
        equal[self._query[self._keyed.stage == EQUAL]] = True
        ranged = (self._keyed.access != self._keyed.key) & ~equal[self._query]
        return ranged & (self._before(ranged) == 0)

    def _before(self, marked: Any) -> Any:
        """Return, for each predicate, how many predicates of the same query before it are marked."""
        before = np.cumsum(marked) - marked
        return before - before[self._starts]

    def _chains(self, roots: Any, phases: tuple[Any, ...], coarse: Any = None) -> pa.Table:
        return Chains(self._query_ids, self._query, self._keyed, self._predicates).table(roots, phases, coarse)

    def _texts(self) -> pa.Table:
        places = np.flatnonzero(self._keyed.text)
        fields = self._predicates.take(pa.array(places)).flatten()
        return pa.Table.from_arrays([pa.array(self._query_ids[self._query[places]]), *fields], schema=ARRANGED_TEXT)


ARRANGED_TABLES = {
    "unrolled": UNROLLED, "arranged_pair": ARRANGED_PAIR, "arranged_edge": ARRANGED_EDGE,
    "arranged_key": ARRANGED_KEY, "arranged_text": ARRANGED_TEXT,
}
"""The tables that arranging returns, by name."""
