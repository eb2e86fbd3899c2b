"""Query templates (section 4 of Hong 2007): the shape of a join graph, which many correlations share.

A *join graph* is what stays of the blocks on the left of an operator, a tree for each, what stays of the block on its
right, and the comparisons between them. Its template has the same shape, with meta-variables var1, var2, … for the
nodes: those of the left first, parents before their children. Join graphs that differ in names only, in the order of
predicates or in that of comparisons have the same template; left and right do not change places.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import accumulate

from xpubsub.ids import stable_id
from xpubsub.language.canonical import Graph, Vertex, canonical_order
from xpubsub.language.join_minor import KeptBlock, KeptNode, kept_blocks
from xpubsub.language.join_patterns import JoinPatterns, ValueJoin
from xpubsub.limits import Limits


@dataclass(frozen=True)
class JoinGraph:
    """One operator's join graph."""

    left: tuple[KeptBlock, ...]
    """One tree for each message of the left side."""
    right: KeptBlock
    joins: tuple[ValueJoin, ...]


@dataclass(frozen=True)
class Edge:
    """A comparison of two meta-variables, of the left and of the right; `=` is a value join, others are residual."""

    op: str
    left: int
    right: int


@dataclass(frozen=True)
class Template:
    """The shape of a join graph, in canonical form."""

    trees: tuple[tuple[int, ...], ...]
    """For each message, those of the left first: the parent of each of its meta-variables, 0 for none."""
    edges: tuple[Edge, ...]

    @property
    def text(self) -> str:
        """Equal templates have equal texts: `1(2 3)|4(5 6)|2=5 3=6`."""
        starts = accumulate(map(len, self.trees), initial=1)
        *left, right = (_dump(start, parents) for start, parents in zip(starts, self.trees, strict=False))
        return "|".join((" ".join(left), right, " ".join(f"{each.left}{each.op}{each.right}" for each in self.edges)))

    @property
    def template_id(self) -> int:
        """The same in every process."""
        return stable_id("join template", self.text)

    @property
    def size(self) -> int:
        """How many meta-variables there are."""
        return sum(map(len, self.trees))


@dataclass(frozen=True)
class TemplateUse:
    """A join graph as one of a template."""

    template: Template
    nodes: tuple[int, ...]
    """The number of the pattern node that each meta-variable stands for: var1, var2, …"""
    blocks: tuple[int, ...]
    """The place of each tree's block among the blocks of the graph, from 0; the last is the right one."""


def join_graphs(
    patterns: JoinPatterns, text: str, limits: Limits, also: Collection[int] = ()
) -> tuple[JoinGraph, ...]:
    """The join graph of each operator; the nodes of `also` stay whether they are compared or not.

    What one operator compares stays for all of them: the nodes of one message hang together.
    """
    blocks = kept_blocks(patterns, text, limits, also)
    return tuple(
        JoinGraph(blocks[:place], blocks[place], operator.joins)
        for place, operator in enumerate(patterns.operators, start=1))


def template_of(graph: JoinGraph) -> TemplateUse:
    """The template of a join graph, and what its meta-variables stand for."""
    blocks = (*graph.left, graph.right)
    order = canonical_order(_abstract(graph))
    rank = {number: place for place, number in enumerate(order)}
    left = sorted(range(len(graph.left)), key=lambda place: _first(blocks[place].nodes, rank))
    places = (*left, len(graph.left))
    numbered = [_preorder(blocks[place].nodes, rank) for place in places]
    nodes = tuple(number for tree in numbered for number in tree)
    var = {0: 0, **{number: place for place, number in enumerate(nodes, start=1)}}
    parent = {node.number: node.parent for block in blocks for node in block.nodes}
    trees = tuple(tuple(var[parent[number]] for number in tree) for tree in numbered)
    edges = (Edge(join.op, var[join.left], var[join.right]) for join in graph.joins)
    return TemplateUse(Template(trees, tuple(sorted(edges, key=_edge_key))), nodes, places)


def _abstract(graph: JoinGraph) -> Graph:
    """The graph without names."""
    vertices = {
        node.number: Vertex(node.parent, place == len(graph.left))
        for place, block in enumerate((*graph.left, graph.right)) for node in block.nodes}
    return Graph(vertices, tuple((join.op, join.left, join.right) for join in graph.joins))


def _first(nodes: tuple[KeptNode, ...], rank: dict[int, int]) -> int:
    return min(rank[node.number] for node in nodes if not node.parent)


def _preorder(nodes: tuple[KeptNode, ...], rank: dict[int, int]) -> list[int]:
    """The nodes of a tree, each before its children, and those in canonical order."""
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
    """A tree as text: `1(2 3(4 5))`."""
    below: dict[int, list[int]] = {}
    for place, parent in enumerate(parents):
        below.setdefault(parent, []).append(start + place)

    def node(number: int) -> str:
        inner = " ".join(map(node, below.get(number, [])))
        return f"{number}({inner})" if inner else str(number)

    return node(start)
