"""The order of a query's predicates, and the rows that follow from it: unrolled slots and chains (section 4)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from xpubsub.ids import stable_id
from xpubsub.shred.rows import ARRANGED
from xpubsub.shred.selectivity import RANGE_OPS, Predicate, Selectivity

MOST_SLOTS = 8
"""Slots that `predicate_unroll` has room for; the setting `slots` says how many are used."""
SHARE_ROOT, BUCKET_ROOT, RANGE_ROOT = 0, 1, 2
"""Where chains start: all queries without buckets at 0; those with, at 1 bucketed and at 2 as they are."""
Edge = tuple[int, Predicate, int, bool]
"""(chain so far, predicate, chain with it, whether the query is complete)."""
Bounds = Mapping[tuple[int, str], list[float]]
"""For a linear path and an operator, the limits between buckets, ascending."""


@dataclass(frozen=True)
class Arranger:
    """Arranges predicates by what is known of their selectivity."""

    selectivity: Selectivity
    slots: int
    bounds: Bounds = field(default_factory=dict)

    def table(self, queries: Iterable[tuple[int, list[Predicate]]]) -> pa.Table:
        """(query, predicates) → one arranged row each."""
        return pa.Table.from_pylist([self._row(*query) for query in queries], schema=ARRANGED)

    def _row(self, sub_id: int, predicates: list[Predicate]) -> dict[str, object]:
        ordered = sorted(predicates, key=self.selectivity.estimate)
        rest_root = stable_id("rest", str(sub_id))
        edges = [*self._chains(sub_id, ordered), *chain(rest_root, ordered[self.slots :], sub_id)]
        return {
            "sub_id": sub_id, "final": len(ordered) <= self.slots, "chain_id": rest_root,
            "slots": self._slots(ordered), "edges": list(map(_edge, edges)),
        }

    def _slots(self, ordered: list[Predicate]) -> list[dict[str, object] | None]:
        """The first predicates; slots left over repeat the first one, which holds whenever the query is a candidate."""
        used = ordered[: self.slots]
        filled = used + [ordered[0]] * (self.slots - len(used))
        return [_struct(each) for each in filled] + [None] * (MOST_SLOTS - self.slots)

    def _chains(self, sub_id: int, ordered: list[Predicate]) -> Iterator[Edge]:
        """The chain of the query, equalities first, and beside it the one that starts with a bucket."""
        equal = [each for each in ordered if each.op == "="]
        others = [each for each in ordered if each.op != "="]
        coarse = self._coarse(others)
        if coarse is None:
            yield from chain(SHARE_ROOT, equal + others, sub_id)
            return
        exact, bucket = coarse
        rest = [each for each in others if each is not exact]
        yield from chain(RANGE_ROOT, equal + others, sub_id)
        yield from chain(BUCKET_ROOT, [*equal, bucket, *rest, exact], sub_id)

    def _coarse(self, others: list[Predicate]) -> tuple[Predicate, Predicate] | None:
        """The first range predicate and the wider one that it shares with its bucket."""
        exact = next((each for each in others if each.op in RANGE_OPS), None)
        bounds = self.bounds.get((exact.linear_path_id, exact.op)) if exact else None
        if exact is None or exact.number is None or not bounds:
            return None
        index = bisect_right(bounds, exact.number) - 1 if exact.op in (">", ">=") else bisect_left(bounds, exact.number)
        if not 0 <= index < len(bounds) or bounds[index] == exact.number:
            return None
        return exact, Predicate(exact.linear_path_id, exact.op, None, bounds[index])


def chain(root: int, predicates: list[Predicate], sub_id: int) -> Iterator[Edge]:
    """Edges from a root through all predicates; equal beginnings have equal ids and so are shared."""
    so_far = root
    for index, predicate in enumerate(predicates):
        final = index == len(predicates) - 1
        after = sub_id if final else stable_id("chain", str(so_far), *map(repr, predicate))
        yield so_far, predicate, after, final
        so_far = after


def _struct(predicate: Predicate) -> dict[str, object]:
    return predicate._asdict()


def _edge(edge: Edge) -> dict[str, object]:
    pre_id, predicate, chain_id, final = edge
    return {"pre_id": pre_id, **predicate._asdict(), "chain_id": chain_id, "final": final}
