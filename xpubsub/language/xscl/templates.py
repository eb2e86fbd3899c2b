"""Query templates (section 4 of Hong 2007): shapes of join graphs, each shared by many correlations.

A *join graph* has a tree for each block, reduced to its minor, and the comparisons of all operators between them.
Its template has the same shape, with meta-variables var1, var2, … for the nodes: block by block, parents before their
children. Join graphs that differ only in names, or in the order of predicates or comparisons, have the same template;
the order of blocks matters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import accumulate

from xpubsub.ids import stable_id
from xpubsub.language.xscl.canonical import Graph, Vertex, canonical_order
from xpubsub.language.xscl.minor import KeptBlock, KeptNode, kept_blocks
from xpubsub.language.xscl.patterns import JoinPatterns, ValueJoin
from xpubsub.limits import Limits


@dataclass(frozen=True)
class JoinGraph:
    """The join graph of a correlation."""

    blocks: tuple[KeptBlock, ...]
    joins: tuple[ValueJoin, ...]


@dataclass(frozen=True)
class Edge:
    """A comparison of two meta-variables, the right one of a later block; `=` is a value join, others are residual."""

    op: str
    left: int
    right: int


@dataclass(frozen=True)
class Template:
    """The shape of a join graph, in canonical form."""

    trees: tuple[tuple[int, ...], ...]
    """For each message: the parent of each of its meta-variables, 0 for none."""
    edges: tuple[Edge, ...]
    needed: tuple[int, ...] | None = None
    """The meta-variables whose nodes outputs need; for the others, existence is enough. None means all."""

    @property
    def text(self) -> str:
        """The canonical text; equal templates have equal texts: `1(2 3)|4(5 6)|2=5 3=6`."""
        starts = accumulate(map(len, self.trees), initial=1)
        trees = (_dump(start, parents) for start, parents in zip(starts, self.trees, strict=False))
        return "|".join((*trees, " ".join(f"{each.left}{each.op}{each.right}" for each in self.edges)))

    @property
    def template_id(self) -> int:
        """The id, the same in every process."""
        needed = () if self.needed is None else (" ".join(map(str, self.needed)),)
        return stable_id("join template", self.text, *needed)

    @property
    def lifted(self) -> tuple[Edge, ...]:
        """The equalities of leaves that nothing else uses; only their parents count, each once."""
        if len(self.trees) != 2:
            return ()
        ends = Counter(number for edge in self.edges for number in (edge.left, edge.right))
        inner = {parent for parents in self.trees for parent in parents}
        alone = {number for number, times in ends.items() if times == 1 and self.parent(number)} - inner
        alone -= set(range(1, self.size + 1) if self.needed is None else self.needed)
        return tuple(edge for edge in self.edges if edge.op == "=" and {edge.left, edge.right} <= alone)

    def parent(self, number: int) -> int:
        """Return the parent of a meta-variable, 0 if it has none."""
        return [parent for parents in self.trees for parent in parents][number - 1]

    @property
    def size(self) -> int:
        """The number of meta-variables."""
        return sum(map(len, self.trees))


@dataclass(frozen=True)
class TemplateUse:
    """A template, and what its meta-variables stand for in one join graph."""

    template: Template
    nodes: tuple[int, ...]
    """The number of the pattern node that each meta-variable stands for: var1, var2, …"""


def join_graph(patterns: JoinPatterns, text: str, limits: Limits, also: Collection[int] = ()) -> JoinGraph:
    """Return the join graph of a correlation; the nodes of `also` stay even if they are not compared."""
    joins = tuple(join for operator in patterns.operators for join in operator.joins)
    return JoinGraph(kept_blocks(patterns, text, limits, also), joins)


def join_template_of(graph: JoinGraph, names: Mapping[int, int] | None = None) -> TemplateUse:
    """Return the template of a join graph, and what its meta-variables stand for.

    If a graph maps to its template in several ways, the names of the nodes decide, not the order of the text.
    """
    every = sorted((node.number for block in graph.blocks for node in block.nodes),
                   key=lambda number: (names[number] if names else 0, number))
    own = {0: 0, **{number: place for place, number in enumerate(every, start=1)}}
    rank = {every[place - 1]: at for at, place in enumerate(canonical_order(_abstract(graph, own)))}
    numbered = [_preorder(block.nodes, rank) for block in graph.blocks]
    nodes = tuple(number for tree in numbered for number in tree)
    var = {0: 0, **{number: place for place, number in enumerate(nodes, start=1)}}
    parent = {node.number: node.parent for block in graph.blocks for node in block.nodes}
    trees = tuple(tuple(var[parent[number]] for number in tree) for tree in numbered)
    edges = (Edge(join.op, var[join.left], var[join.right]) for join in graph.joins)
    return TemplateUse(Template(trees, tuple(sorted(edges, key=_edge_key))), nodes)


def _abstract(graph: JoinGraph, own: Mapping[int, int]) -> Graph:
    """Return the graph without names, its nodes renumbered."""
    vertices = (
        Vertex(own[node.number], own[node.parent], place)
        for place, block in enumerate(graph.blocks) for node in block.nodes)
    edges = ((join.op, own[join.left], own[join.right]) for join in graph.joins)
    return Graph(tuple(sorted(vertices)), tuple(sorted(edges)))


def _preorder(nodes: tuple[KeptNode, ...], rank: dict[int, int]) -> list[int]:
    """Return the nodes of a tree, parents before children, children in canonical order."""
    ordered = sorted(nodes, key=lambda node: -rank[node.number])
    found, waiting = [], [0]
    while waiting:
        above = waiting.pop()
        found.append(above)
        waiting += [node.number for node in ordered if node.parent == above]
    return found[1:]


def _edge_key(edge: Edge) -> tuple[bool, int, int, str]:
    return edge.op != "=", edge.left, edge.right, edge.op


def _dump(start: int, parents: tuple[int, ...]) -> str:
    """Return a tree as text: `1(2 3(4 5))`."""
    below: dict[int, list[int]] = {}
    for place, parent in enumerate(parents):
        below.setdefault(parent, []).append(start + place)

    def node(number: int) -> str:
        inner = " ".join(map(node, below.get(number, [])))
        return f"{number}({inner})" if inner else str(number)

    return node(start)
