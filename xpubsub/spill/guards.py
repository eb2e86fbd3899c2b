"""Guards: the conditions around a path of a transformation; paths with the same guard are blocked together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from xpubsub.spill.census import Mask
from xpubsub.spill.effects import Effect
from xpubsub.spill.path_uses import PathUse
from xpubsub.spill.pattern_tree import SpillNode
from xpubsub.spill.reduced import is_undecided
from xpubsub.spill.tree_effects import tree_effects

_Condition = tuple[str, str]
"""A linear path, and what is needed of it."""


class Guards:
    """The guards of all paths of a tree, by number, and which of them a candidate leaves undecided.

    A guard is the set of conditions in the blocks around a path. Thousands of transformations differ in constants
    only, and then share their guards. `effects` says what a spilled path does to the paths of the tree: by default
    what it may do to any message (`tree_effects`), which a condition that is decided without looking needs; or what
    it does as far as messages have shown (`Census.effects`), if conditions are decided message by message.
    """

    def __init__(self, tree: SpillNode, effects: Callable[[str], dict[str, Effect]] | None = None) -> None:
        self._look = effects or partial(tree_effects, tree)
        self._conditions: dict[tuple[str, int], set[_Condition]] = {}
        for use in tree.all_uses():
            if use.role == "where":
                place = use.transformation, use.blocks[-1]
                self._conditions.setdefault(place, set()).add((use.linear_path, use.need))
        self._numbers: dict[frozenset[_Condition], int] = {}
        self._numbered = {(use.transformation, use.blocks): self._number(use) for use in tree.all_uses()}
        self._guarded: dict[str, list[tuple[str, int]]] = {}
        for guard, number in self._numbers.items():
            for path, need in guard:
                self._guarded.setdefault(path, []).append((need, number))
        self._effects: dict[str, dict[str, Effect]] = {}
        self._blocked: dict[str, Mask] = {}

    def number(self, use: PathUse) -> int:
        """Return the number of the guard of a path."""
        return self._numbered[use.transformation, use.blocks]

    def effects(self, spilled: str) -> dict[str, Effect]:
        """Return what a spilled path does to the paths of the tree."""
        if spilled not in self._effects:
            self._effects[spilled] = self._look(spilled)
        return self._effects[spilled]

    def blocked(self, candidate: Iterable[str]) -> Mask:
        """Return for each guard whether a candidate leaves one of its conditions undecided."""
        mask = np.zeros(len(self._numbers), np.bool_)
        for spilled in candidate:
            if spilled not in self._blocked:
                self._blocked[spilled] = self._undecided(spilled)
            mask |= self._blocked[spilled]
        return mask

    def _undecided(self, spilled: str) -> Mask:
        mask = np.zeros(len(self._numbers), np.bool_)
        for path, found in self.effects(spilled).items():
            for need, number in self._guarded.get(path, ()):
                if is_undecided(need, found):
                    mask[number] = True
        return mask

    def _number(self, use: PathUse) -> int:
        places = ((use.transformation, block) for block in use.blocks)
        guard = frozenset[_Condition]().union(*(self._conditions.get(place, ()) for place in places))
        return self._numbers.setdefault(guard, len(self._numbers))
