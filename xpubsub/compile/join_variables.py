"""Numbers the variables of a correlation's patterns: variables with the same meaning have the same id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from xpubsub.compile.row_types import JoinHopRow, JoinPairRow, VariableConditionRow
from xpubsub.compile.transformations import query_id_of
from xpubsub.ids import stable_id
from xpubsub.language.xpath.branches import Query, condition_query, linear_path
from xpubsub.language.xpath.normal import Conjunction, Hop
from xpubsub.language.xscl.minor import KeptBlock, KeptNode
from xpubsub.language.xscl.patterns import ValueJoin
from xpubsub.limits import Limits

DOCUMENT_VARIABLE = 0
NEVER = 0
"""A condition that never holds."""


class PatternEdge(NamedTuple):
    """Two variables, the second bound to nodes of a linear path from the document through a node of the first."""

    stream: str
    var1: int
    var2: int
    linear_path: str
    base: int
    """The step of the path at which the first variable stands."""


@dataclass(frozen=True)
class FoundNodes:
    """How the nodes that an output mentions are found from the joined nodes."""

    rows: tuple[JoinHopRow, ...]
    edges: tuple[tuple[int, int], ...]
    """The edges, by pattern nodes."""
    places: dict[int, int]
    """By pattern node: its place among the found nodes."""
    needed: tuple[int, ...]
    """The places of joined nodes that outputs mention, or from which other nodes are found."""


class PatternVariables:
    """The variables of the joined nodes and of the shown nodes, a superset that may have fewer conditions."""

    def __init__(
        self, joined: Sequence[KeptBlock], shown: Sequence[KeptBlock], joins: Sequence[ValueJoin], text: str,
        limits: Limits,
    ) -> None:
        self._text = text
        self._limits = limits
        self._joined, self._shown = list(joined), list(shown)
        self._joins = joins
        self.hops: dict[int, tuple[Hop, ...]] = {}
        self._conditions: dict[VariableConditionRow, None] = {}
        self.queries: dict[Query, None] = {}
        self.block = {node.number: place for blocks in (joined, shown)
                      for place, block in enumerate(blocks, start=1) for node in block.nodes}
        """By pattern node: the block, from 1."""
        self.join_ids = self._ids(self._joined)
        """By joined pattern node: its variable."""
        self._show_ids = self._ids(self._shown)

    @property
    def conditions(self) -> tuple[VariableConditionRow, ...]:
        """The conditions of all variables."""
        return tuple(self._conditions)

    @property
    def pairs(self) -> tuple[JoinPairRow, ...]:
        """The comparisons, each once."""
        return tuple(sorted(
            {JoinPairRow(join.op, self.join_ids[join.left], self.join_ids[join.right]) for join in self._joins}))

    @property
    def compared(self) -> set[int]:
        """The variables whose values are compared."""
        return {self.join_ids[number] for join in self._joins for number in (join.left, join.right)}

    @property
    def ordered(self) -> set[int]:
        """The variables whose numbers are compared."""
        return {self.join_ids[number] for join in self._joins if join.op not in ("=", "!=")
                for number in (join.left, join.right)}

    def joined(self, nodes: Sequence[int]) -> list[int]:
        """Return the variables of joined nodes."""
        return [self.join_ids[number] for number in nodes]

    def _ids(self, blocks: Sequence[KeptBlock]) -> dict[int, int]:
        ids: dict[int, int] = {}
        for block in blocks:
            for node in block.nodes:
                self.hops[node.number] = (*self.hops.get(node.parent, ()), *node.hops)
                ids[node.number] = self._variable(block.stream, node)
        return ids

    def _variable(self, stream: str, node: KeptNode) -> int:
        hops = self.hops[node.number]
        looks = [] if () in node.conditions else [self._looks(each, hops) for each in node.conditions]
        looks = looks if node.conditions else [[(NEVER, False)]]
        var = stable_id("variable", stream, linear_path(hops), repr(looks))
        for number, alternative in enumerate(looks, start=1):
            rows = (VariableConditionRow(var, number, query_id, negated) for query_id, negated in alternative)
            self._conditions.update(dict.fromkeys(rows))
        return var

    def _looks(self, conjunction: Conjunction, hops: tuple[Hop, ...]) -> list[tuple[int, bool]]:
        """Return the conditions at the node at the end of some hops, each with whether it must not hold."""
        looks = []
        for item in conjunction:
            query = condition_query(replace(item, negated=False), hops, self._text, self._limits)
            self.queries[query] = None
            looks.append((query_id_of(query), item.negated))
        return looks

    def hops_to(self, nodes: Sequence[int], outputs: Sequence[int]) -> FoundNodes:
        """Return how to get from the joined nodes to those that the output mentions, along edges of shown nodes."""
        places = {number: place for place, number in enumerate(nodes, start=1)}
        edges = [(node.parent, node.number) for block in self._shown for node in block.nodes if node.parent]
        edges.sort(key=lambda edge: [self._show_ids[number] for number in edge])
        rows: list[JoinHopRow] = []
        used: list[tuple[int, int]] = []
        sources: list[int] = []
        while not all(number in places for number in outputs):
            parent, child = next(edge for edge in edges if (edge[0] in places) != (edge[1] in places))
            upward = child in places
            known, new = (child, parent) if upward else (parent, child)
            rows.append(JoinHopRow(
                place=len(rows) + 1, from_at=places[known], upward=upward, block=self.block[child],
                var1=self._show_ids[parent], var2=self._show_ids[child]))
            sources.append(places[known])
            places[new] = len(places) + 1
            used.append((parent, child))
        needed = sorted(place for place in {*(places[number] for number in outputs), *sources} if place <= len(nodes))
        return FoundNodes(tuple(rows), tuple(used), places, tuple(needed))

    def edges(self, found: FoundNodes) -> tuple[PatternEdge, ...]:
        """Return all edges whose nodes are needed: those of the join, and those along which outputs are found."""
        compared = {number for join in self._joins for number in (join.left, join.right)}
        edges: dict[PatternEdge, None] = {}
        for block in self._joined:
            for node in block.nodes:
                if node.parent or node.number in compared or not self._joins:
                    edges[self._edge(block.stream, node.parent, node.number, self.join_ids)] = None
        for block in self._shown:
            own = {node.number for node in block.nodes}
            for parent, child in found.edges:
                if child in own:
                    edges[self._edge(block.stream, parent, child, self._show_ids)] = None
        return tuple(sorted(edges))

    def _edge(self, stream: str, parent: int, child: int, ids: dict[int, int]) -> PatternEdge:
        return PatternEdge(
            stream, ids[parent] if parent else DOCUMENT_VARIABLE, ids[child], linear_path(self.hops[child]),
            base=len(self.hops[parent]) if parent else 0)
