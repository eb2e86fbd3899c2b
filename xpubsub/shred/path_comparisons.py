"""Compares the values of two paths within a message, for each node that the paths start at.

The rows of a message are collected by the paths and by the nodes above them; when the message ends, each comparison is
a comparison of two sets of values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from xpubsub.language.xpath.numbers import to_number
from xpubsub.match.path_automaton import PathAutomaton
from xpubsub.match.positions import start_positions
from xpubsub.shred.node_rows import NodeRow

_SIDE = r"((?:\{[^}]*\}|[^{ ])+)"
_JOIN = re.compile(rf"{_SIDE} (=|!=|<=|>=|<|>) {_SIDE}")
_UP = re.compile(r"(?:\.\.(?:/\.\.)*|\.?)(?=/|$)")


class Values:
    """Values of nodes, as sets of texts and ranges of numbers."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = set(texts)

    @cached_property
    def numbers(self) -> list[float]:
        """The least and the greatest of the numbers among them; empty if there are none."""
        found = [number for number in map(to_number, self.texts) if number is not None]
        return [min(found), max(found)] if found else []


def holds(op: str, left: Values, right: Values) -> bool:
    """Whether some value on the left and some value on the right compare, as XPath 1.0 says of node-sets."""
    if op == "=":
        return not left.texts.isdisjoint(right.texts)
    if op == "!=":
        return bool(left.texts and right.texts) and len(left.texts | right.texts) > 1
    one, other = (left.numbers, right.numbers) if op[0] == "<" else (right.numbers, left.numbers)
    if not one or not other:
        return False
    return one[0] <= other[1] if len(op) == 2 else one[0] < other[1]


_NOTHING = Values(())


@dataclass(frozen=True)
class Side:
    """One side of a comparison: how far up it starts (None: at the document), and the path down (empty: none)."""

    up: int | None
    path: str

    @classmethod
    def of(cls, text: str) -> Side:
        """Read a side, as `.`, `./a`, `../../a` or `/a`."""
        found = _UP.match(text)
        above = found[0] if found else ""
        return cls(above.count("..") if above else None, text[len(above):])


@dataclass(frozen=True)
class PathComparison:
    """A comparison of two sides."""

    left: Side
    op: str
    right: Side

    @classmethod
    def of(cls, text: str) -> PathComparison:
        """Read a comparison, as `./a != ../b`."""
        found = _JOIN.fullmatch(text)
        assert found is not None, text
        return cls(Side.of(found[1]), found[2], Side.of(found[3]))


class ComparedPaths:
    """The paths that comparisons go down, and the tag paths at which they end."""

    def __init__(self, joins: Iterable[PathComparison]) -> None:
        self.paths = {side.path for join in joins for side in (join.left, join.right) if side.path}
        self._automaton = PathAutomaton(path if path.startswith("//") else f"/{path}" for path in self.paths)

    def ends(self, tagpath: str) -> list[tuple[str, tuple[int, ...]]]:
        """Return the paths that may end at a tag path, each with the depths of the nodes it may start at."""
        anywhere = self._automaton.matches(tagpath)
        short = [path[1:] for path in anywhere if path[1:] in self.paths]
        found = [*short, *(path for path in anywhere if path in self.paths)]
        return [(path, start_positions(tagpath, path)) for path in found]


@dataclass
class CollectedValues:
    """The values of one message, by path and by the node that the path starts at."""

    found: dict[str, dict[int, list[str]]] = field(default_factory=dict)
    sets: dict[tuple[str, int], Values] = field(default_factory=dict)

    def clear(self) -> None:
        """Forget all values."""
        self.found.clear()
        self.sets.clear()

    def add(self, row: NodeRow, ends: list[tuple[str, tuple[int, ...]]]) -> None:
        """Add the value of a node at the end of paths."""
        idpath, value = row[3], row[4] or ""
        for path, starts in ends:
            by_node = self.found.setdefault(path, {})
            for depth in starts:
                by_node.setdefault(idpath[depth - 1] if depth else 0, []).append(value)

    def holds(self, join: PathComparison, row: NodeRow) -> bool:
        """Whether a comparison holds at a node."""
        return holds(join.op, self._values(join.left, row), self._values(join.right, row))

    def _values(self, side: Side, row: NodeRow) -> Values:
        if not side.path:
            return Values([row[4] or ""])
        idpath = row[3]
        depth = 0 if side.up is None else len(idpath) - side.up
        if depth < 0:
            return _NOTHING
        key = side.path, idpath[depth - 1] if depth else 0
        known = self.sets.get(key)
        if known is None:
            known = self.sets[key] = Values(self.found.get(key[0], {}).get(key[1], ()))
        return known
