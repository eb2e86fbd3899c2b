"""The minimum candidate space: each distinct set of elements that can be spilled, once (section 4, Algorithm 1).

A candidate is a set of linear paths of which none is below another in the tree: whatever is below a spilled node goes
with it (Observation 4.1). Candidates form a lattice: one is *below* another if it spills all that the other spills.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from xpubsub.spill.pattern_tree import SpillNode

Candidate = frozenset[str]
NOTHING: Candidate = frozenset()
"""The candidate that spills nothing."""


def minimum_candidates(tree: SpillNode, limit: int | None = None) -> Iterator[Candidate]:
    """Yield the candidates of a tree as Algorithm 1 composes them, at most `limit`; `NOTHING` is the first.

    There may be exponentially many; they are made one by one.
    """
    return itertools.islice(_composed(tree.children), limit)


def _composed(children: tuple[SpillNode, ...]) -> Iterator[Candidate]:
    """Yield each union of one candidate, or none, of each child: S1 × S2 … × Sw."""
    if not children:
        yield NOTHING
        return
    for rest in _composed(children[1:]):
        for first in _with_root(children[0]):
            yield first | rest


def _with_root(node: SpillNode) -> Iterator[Candidate]:
    """Yield the candidates below a node, and the node itself."""
    yield from _composed(node.children)
    yield frozenset([node.linear_path])


def candidate_count(tree: SpillNode) -> int:
    """Return how many candidates a tree has, without making them."""
    return math.prod(1 + candidate_count(child) for child in tree.children)


def count_text(count: int) -> str:
    """Write how many candidates there are."""
    return str(count) if count < 10**9 else f"about 10^{len(str(count)) - 1}"


class Lattice:
    """The candidates of a tree, from `NOTHING` at the top to all roots at the bottom."""

    def __init__(self, tree: SpillNode) -> None:
        nodes = [node for node in tree.nodes() if node.edge]
        bits = {node.linear_path: 1 << number for number, node in enumerate(nodes)}
        self._own = bits
        self._children = {node.linear_path: [child.linear_path for child in node.children] for node in nodes}
        self._spilled: dict[str, int] = {}
        for node in reversed(nodes):
            inside = sum(self._spilled[child] for child in self._children[node.linear_path])
            self._spilled[node.linear_path] = bits[node.linear_path] | inside

    def spilled(self, candidate: Candidate) -> int:
        """Return the nodes of the tree that go with a candidate, as a set of bits."""
        return sum(self._spilled[path] for path in candidate)

    def below(self, candidate: Candidate) -> list[Candidate]:
        """Return the candidates one level below: those that spill exactly one more node of the tree."""
        spilled = self.spilled(candidate)
        return [
            candidate.difference(self._children[path]) | {path} for path, whole in self._spilled.items()
            if not spilled & self._own[path] and whole & ~spilled == self._own[path]
        ]

    def is_below(self, one: Candidate, other: Candidate) -> bool:
        """Return whether a candidate spills all that another spills, and more."""
        more, less = self.spilled(one), self.spilled(other)
        return more != less and more & less == less

    def adding(self, candidate: Candidate, path: str) -> Candidate:
        """Return a candidate that spills one more path, with all below it."""
        whole = self._spilled[path]
        return frozenset(each for each in candidate if not self._own[each] & whole) | {path}

    def open_paths(self, candidate: Candidate) -> list[str]:
        """Return the paths that a candidate does not spill yet."""
        spilled = self.spilled(candidate)
        return [path for path, own in self._own.items() if not spilled & own]

    def levels(self) -> Iterator[list[Candidate]]:
        """Yield all candidates level by level: each after all those that it is below of."""
        level = [NOTHING]
        while level:
            yield level
            level = list(dict.fromkeys(lower for each in level for lower in self.below(each)))
