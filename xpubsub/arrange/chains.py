"""Builds chains of predicates (section 4.2): queries with the same first predicates share the start of their chains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from xpubsub.arrange.groups import starts_of
from xpubsub.arrange.keys import Keyed
from xpubsub.ids import RESERVED
from xpubsub.rows import ARRANGED_EDGE

_FACTORS = tuple(np.uint64(factor) for factor in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


@dataclass(frozen=True)
class Chains:
    """The predicates of all queries of a call, and the chains built from them."""

    query_ids: Any
    query: Any
    keyed: Keyed
    predicates: pa.StructArray

    def table(self, roots: Any, phases: tuple[Any, ...], coarse: Any = None) -> pa.Table:
        """Return the edges of one chain per query, from its root through the marked predicates, phase by phase.

        A coarse predicate comes first with the limit of its bucket, and later again with its own bound.
        """
        parts = [np.flatnonzero(phase) for phase in phases]
        parts.insert(0, np.flatnonzero(coarse) if coarse is not None else np.zeros(0, np.int64))
        places = np.concatenate(parts)
        order = np.argsort(self.query[places], kind="stable")
        places, first = places[order], order < len(parts[0])
        return self._edges(roots, places, np.where(first, self.keyed.floor[places], self.keyed.bound[places]))

    def _edges(self, roots: Any, places: Any, bounds: Any) -> pa.Table:
        query, keys = self.query[places], self.keyed.key[places]
        sizes = np.bincount(query, minlength=len(roots))
        rank = np.arange(len(query)) - starts_of(sizes)
        final = rank == sizes[query] - 1
        mixed = _mix(keys, bounds.view(np.int64))
        before, after, so_far = np.zeros(len(query), np.int64), np.zeros(len(query), np.int64), roots.astype(np.int64)
        for step in range(int(rank.max(initial=-1)) + 1):
            now = np.flatnonzero(rank == step)
            before[now] = so_far[query[now]]
            after[now] = np.where(final[now], self.query_ids[query[now]], _chain_ids(before[now], mixed[now]))
            so_far[query[now]] = after[now]
        return self._table(places, before, bounds, after, final)

    def _table(self, places: Any, before: Any, bounds: Any, after: Any, final: Any) -> pa.Table:
        rows = self.predicates.take(pa.array(places))
        described = [rows.field(name) for name in ("linear_path_id", "op", "value", "number")]
        numbers = (before, self.keyed.stage[places].astype(np.int32), self.keyed.key[places], bounds, after, final)
        pre, stage, key, bound, chain, last = (pa.array(each) for each in numbers)
        return pa.Table.from_arrays([pre, stage, key, bound, *described, chain, last], schema=ARRANGED_EDGE)


def _mix(left: Any, right: Any) -> Any:
    """Hash two columns of numbers into one with the finalizer of splitmix64."""
    mixed = left.view(np.uint64) * _FACTORS[0] ^ right.view(np.uint64)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _FACTORS[1]
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _FACTORS[2]
    return mixed ^ (mixed >> np.uint64(31))


def _chain_ids(before: Any, predicate: Any) -> Any:
    ids = (_mix(before, predicate) >> np.uint64(1)).astype(np.int64)
    return np.where(ids < RESERVED, ids + RESERVED, ids)
