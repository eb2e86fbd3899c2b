"""Guards: the conditions around a path of a transformation; paths with the same guard are blocked together."""

from __future__ import annotations

from collections.abc import Iterable

from xpubsub.spill.effects import Effect
from xpubsub.spill.path_uses import PathUse
from xpubsub.spill.pattern_tree import SpillNode
from xpubsub.spill.reduced import is_undecided
from xpubsub.spill.tree_effects import tree_effects

Guard = frozenset[tuple[str, str]]
"""(linear path, what is needed of it) of each condition in the blocks around."""


class Guards:
    """The guards of all paths of a tree, and which of them a candidate leaves undecided.

    Thousands of transformations differ in constants only, and then share their guards.
    """

    def __init__(self, tree: SpillNode) -> None:
        self._tree = tree
        self._conditions: dict[tuple[str, int], set[tuple[str, str]]] = {}
        self._needs: dict[str, set[str]] = {}
        for use in tree.all_uses():
            if use.role == "where":
                place = use.transformation, use.blocks[-1]
                self._conditions.setdefault(place, set()).add((use.linear_path, use.need))
                self._needs.setdefault(use.linear_path, set()).add(use.need)
        self._effects: dict[str, dict[str, Effect]] = {}

    def guard(self, use: PathUse) -> Guard:
        """Return the guard of a path."""
        places = ((use.transformation, block) for block in use.blocks)
        return frozenset().union(*(self._conditions.get(place, ()) for place in places))

    def effects(self, spilled: str) -> dict[str, Effect]:
        """Return what a spilled path does to the paths of the tree."""
        if spilled not in self._effects:
            self._effects[spilled] = tree_effects(self._tree, spilled)
        return self._effects[spilled]

    def undecided(self, candidate: Iterable[str]) -> frozenset[tuple[str, str]]:
        """Return the conditions that cannot be decided under a candidate."""
        return frozenset(
            (path, need) for spilled in candidate for path, found in self.effects(spilled).items()
            for need in self._needs.get(path, ()) if is_undecided(need, found))
