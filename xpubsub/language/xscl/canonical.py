"""Finds the canonical order of a small graph: the nodes of some trees and the labelled edges between them.

Colours are refined until they are stable. Where nodes still share a colour, each is tried in turn, and the order that
gives the least text wins. Two orders with the same text are a symmetry of the graph; choices that a symmetry maps onto
a choice already tried are skipped. The result is exact, and fast for graphs with many equal parts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

_REMEMBERED = 4_096
"""How many graphs have their order cached at a time."""
Colours = dict[int, int]
_Signature = tuple[int, int, tuple[int, ...], tuple[tuple[str, int], ...]]
_Text = tuple[list[tuple[int, int]], list[tuple[str, int, int]]]
_Mark = TypeVar("_Mark", tuple[int, int], _Signature)


@dataclass(frozen=True, order=True)
class Vertex:
    """A node: its number, its parent (0 for none) and the place of its tree."""

    number: int
    parent: int
    tree: int


@dataclass(frozen=True)
class Graph:
    """Nodes, and (label, node, node of a later tree) edges."""

    vertices: tuple[Vertex, ...]
    edges: tuple[tuple[str, int, int], ...]


@lru_cache(maxsize=_REMEMBERED)
def canonical_order(graph: Graph) -> tuple[int, ...]:
    """Return the nodes in an order that depends only on the shape; among equal orders, the least by node numbers."""
    search = _Search(graph)
    search.explore(search.initial(), ())
    return tuple(search.best_order)


class _Search:
    def __init__(self, graph: Graph) -> None:
        self._vertices = {vertex.number: vertex for vertex in graph.vertices}
        self._edges = graph.edges
        self._children: dict[int, list[int]] = defaultdict(list)
        for number, vertex in self._vertices.items():
            self._children[vertex.parent].append(number)
        self._joined: dict[int, list[tuple[str, int]]] = defaultdict(list)
        for op, left, right in graph.edges:
            self._joined[left].append((op, right))
            self._joined[right].append((op, left))
        self._best: _Text | None = None
        self._best_path: tuple[int, ...] = ()
        self.best_order: list[int] = []
        self._symmetries: list[dict[int, int]] = []

    def initial(self) -> Colours:
        """Return colours by tree, and by position among alike siblings that are not compared (any order will do)."""
        seen: Counter[tuple[int, int, str]] = Counter()
        marks: dict[int, tuple[int, int]] = {}
        for number, vertex in sorted(self._vertices.items()):
            shape = self._shape(number)
            key = vertex.parent, vertex.tree, shape
            marks[number] = vertex.tree, seen[key] if shape else 0
            seen[key] += 1
        return _ranked(marks)

    def explore(self, colours: Colours, path: tuple[int, ...]) -> int:
        """Try all orders below a choice of nodes; returns the number of choices to continue with."""
        colours = self._refined(colours)
        tried: set[int] = set()
        for number in _first_cell(colours):
            if tried.isdisjoint(self._orbit(number, path)):
                back = self.explore(_singled_out(colours, number), (*path, number))
                if back < len(path):
                    return back
                tried.add(number)
        return len(path) if tried else self._leaf(colours, path)

    def _leaf(self, colours: Colours, path: tuple[int, ...]) -> int:
        order = sorted(colours, key=colours.__getitem__)
        text = self._text(colours)
        if self._best is None or text < self._best:
            self._best, self._best_path, self.best_order = text, path, order
        elif text == self._best:
            self._symmetries.append(dict(zip(self.best_order, order, strict=True)))
            return next(at for at, pair in enumerate(zip(path, self._best_path, strict=True)) if pair[0] != pair[1])
        return len(path)

    def _text(self, colours: Colours) -> _Text:
        nodes = ((colours[each], colours.get(vertex.parent, -1)) for each, vertex in self._vertices.items())
        edges = ((op, colours[left], colours[right]) for op, left, right in self._edges)
        return sorted(nodes), sorted(edges)

    def _orbit(self, number: int, path: tuple[int, ...]) -> set[int]:
        """Return the nodes that known symmetries exchange with a node, using only symmetries that fix the path."""
        found, waiting = {number}, [number]
        able = [each for each in self._symmetries if all(each[fixed] == fixed for fixed in path)]
        while waiting:
            at = waiting.pop()
            for symmetry in able:
                new = {symmetry[at]} - found
                found |= new
                waiting += new
        return found

    def _refined(self, colours: Colours) -> Colours:
        while True:
            finer = _ranked({number: self._signature(number, colours) for number in colours})
            if len(set(finer.values())) == len(set(colours.values())):
                return finer
            colours = finer

    def _signature(self, number: int, colours: Colours) -> _Signature:
        below = sorted(colours[child] for child in self._children[number])
        joined = sorted((op, colours[other]) for op, other in self._joined[number])
        return colours[number], colours.get(self._vertices[number].parent, -1), tuple(below), tuple(joined)

    def _shape(self, number: int) -> str:
        """Return the shape of a subtree without compared nodes, else an empty string."""
        inner = [self._shape(child) for child in self._children[number]]
        return "" if self._joined[number] or not all(inner) else f"({''.join(sorted(inner))})"


def _ranked(marks: dict[int, _Mark]) -> Colours:
    """Rank each mark among the distinct ones."""
    places = {mark: place for place, mark in enumerate(sorted(set(marks.values())))}
    return {number: places[mark] for number, mark in marks.items()}


def _singled_out(colours: Colours, chosen: int) -> Colours:
    """Put one node before the others of its colour."""
    return {number: 2 * colour + (number != chosen) for number, colour in colours.items()}


def _first_cell(colours: Colours) -> Iterable[int]:
    """Return the nodes of the first colour that several share, by number."""
    shared = [colour for colour, count in Counter(colours.values()).items() if count > 1]
    return sorted(number for number, colour in colours.items() if colour == min(shared)) if shared else ()
