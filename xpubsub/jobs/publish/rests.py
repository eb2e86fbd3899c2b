"""Decides for a single message what the keys in a query's slots do not: texts, branches, and the rest of its chain.

The SQL twins, for a batch, are the steps from `chain_key` to `branch_match` (`plan/filters.py`); `tests/test_single.py`
compares the two.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from xpubsub.language.xpath.normal import Test
from xpubsub.language.xpath.numbers import to_number
from xpubsub.match.brpred import BranchRow, brpred, decode_shape
from xpubsub.match.passing import passes
from xpubsub.plan.single import padded, positions_of, rest_branches, rest_edges, rest_texts
from xpubsub.shred.key_index import Held
from xpubsub.shred.node_rows import NodeRow
from xpubsub.step import Step
from xpubsub.store.store import Store

MOST_RESTS = 50_000
"""How many queries' rests are cached."""


@dataclass
class Rest:
    """What is left to decide about a query once its slots hold."""

    texts: list[tuple[int, Test]] = field(default_factory=list)
    """(linear path, test)."""
    branches: list[tuple[int, int, Test]] = field(default_factory=list)
    """(branch, annotated linear path, test)."""
    shape: str = ""
    edges: list[tuple[int, float]] = field(default_factory=list)
    """(key, bound)."""


class MessageNodes:
    """The nodes of one message by tag path, and by the linear paths that match these."""

    def __init__(self, rows: Iterable[NodeRow], linear: Mapping[int, set[int]]) -> None:
        self.at: dict[int, list[NodeRow]] = {}
        for row in rows:
            self.at.setdefault(row[1], []).append(row)
        self._linear = linear

    def on(self, linear_path_id: int) -> Iterator[NodeRow]:
        """Yield the nodes on a linear path."""
        for tagpath_id, rows in self.at.items():
            if linear_path_id in self._linear.get(tagpath_id, ()):
                yield from rows

    def has(self, linear_path_ids: Collection[int]) -> bool:
        """Whether some node is on one of some linear paths."""
        return any(not linear.isdisjoint(linear_path_ids) for each in self.at if (linear := self._linear.get(each)))


class Rests:
    """The rests of queries; the least recently used are evicted."""

    def __init__(self) -> None:
        self._with_rest: set[int] = set()
        self._known: OrderedDict[int, Rest] = OrderedDict()
        self._positions: dict[int, dict[int, list[list[int]]]] = {}

    def add(self, query_ids: Iterable[int]) -> None:
        """Note queries with texts or branches."""
        self._with_rest.update(query_ids)

    def forget_positions(self, brinfo_ids: Iterable[int]) -> None:
        """Drop the positions of annotated linear paths that match more tag paths by now."""
        for brinfo_id in brinfo_ids:
            self._positions.pop(brinfo_id, None)

    def holding(self, store: Store, query_ids: Any, final: Any, held: Held, nodes: MessageNodes) -> list[int]:
        """Return those queries that match the message, of those whose slots hold.

        - `final`: for each query, whether its chain ends with its slots.
        """
        asked = list(zip(query_ids.tolist(), final.tolist(), strict=True))
        missing = [(each, ends) for each, ends in asked
                   if each not in self._known and (not ends or each in self._with_rest)]
        if missing:
            self._read(store, missing)
        rests = [(each, self._known.get(each)) for each, _ in asked]
        for each, rest in rests:
            if rest is not None:
                self._known.move_to_end(each)
        branches = (branch for _, rest in rests if rest is not None for branch in rest.branches)
        self._read_positions(store, {brinfo_id for _, brinfo_id, _ in branches})
        found = [each for each, rest in rests if rest is None or self._holds(rest, held, nodes)]
        while len(self._known) > MOST_RESTS:
            self._known.popitem(last=False)
        return found

    def _holds(self, rest: Rest, held: Held, nodes: MessageNodes) -> bool:
        return (
            all(key in held and held[key] > bound for key, bound in rest.edges)
            and all(any(_passes(test, node) for node in nodes.on(path)) for path, test in rest.texts)
            and (not rest.shape or brpred(decode_shape(rest.shape), self._branch_rows(rest, nodes)))
        )

    def _branch_rows(self, rest: Rest, nodes: MessageNodes) -> Iterator[BranchRow]:
        """Yield what `branch_row` has for a message and a query."""
        quotas = [branch.quota for branch in decode_shape(rest.shape).branches]
        for branch, brinfo_id, test in rest.branches:
            for tagpath_id, ways in self._positions.get(brinfo_id, {}).items():
                for node in nodes.at.get(tagpath_id, ()):
                    holds = _passes(test, node)
                    if holds or quotas[branch]:
                        for positions in ways:
                            yield branch, [node[3][place - 1] for place in positions], node[2], holds

    def _read(self, store: Store, missing: list[tuple[int, bool]]) -> None:
        self._known.update((query_id, Rest()) for query_id, _ in missing)
        for root, key, bound in _rows(store, rest_edges, [-query_id for query_id, final in missing if not final]):
            self._known[-root].edges.append((key, bound))
        more = [query_id for query_id, _ in missing if query_id in self._with_rest]
        for query_id, linear_path_id, *test in _rows(store, rest_texts, more):
            self._known[query_id].texts.append((linear_path_id, Test(*test)))
        for query_id, shape, branch, brinfo_id, *test in _rows(store, rest_branches, more):
            self._known[query_id].shape = shape
            self._known[query_id].branches.append((branch, brinfo_id, Test(*test)))

    def _read_positions(self, store: Store, brinfo_ids: set[int]) -> None:
        missing = sorted(brinfo_ids - self._positions.keys())
        self._positions.update((brinfo_id, {}) for brinfo_id in missing)
        for brinfo_id, tagpath_id, positions in _rows(store, positions_of, missing):
            self._positions[brinfo_id].setdefault(tagpath_id, []).append(positions)


def _rows(store: Store, step: Any, ids: list[int]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows that a step finds for some ids."""
    if ids:
        given = padded(ids)
        made: Step = step(len(given))
        for row in store.engine.rows(made, given):
            yield (*row.values(),)


def _passes(test: Test, node: NodeRow) -> bool:
    return passes(test, node[4], None if node[5] is None else to_number(node[5]))
