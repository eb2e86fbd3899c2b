"""Statistics prepared for many candidates: which types of nodes each path has, and what of them a candidate leaves.

All is kept in arrays with one place per type, parents before children. Sums are always made in the same order: so a
candidate that takes more away never leaves more, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from xpubsub.language.xpath.branches import DOCUMENT
from xpubsub.language.xpath.linear import components, linear_steps
from xpubsub.match.linear_paths import prefix_path
from xpubsub.match.path_automaton import PathAutomaton
from xpubsub.spill.effects import Effect, is_element
from xpubsub.spill.pattern_tree import SpillNode
from xpubsub.spill.statistics import Statistics

Numbers = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
TypePlaces = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Remaining:
    """What a candidate leaves of the elements of a unit; each array has one place per type."""

    missing: Mask
    """Whether they are spilled, or inside spilled ones."""
    outermost: Mask
    """Whether they are spilled, and not inside spilled ones."""
    share: Numbers
    """Which share of their content is lost: 1 - S, S being the shape indicator."""


class Census:
    """The types of nodes of a unit, by path."""

    def __init__(self, tree: SpillNode, statistics: Statistics) -> None:
        self.statistics = statistics
        self.tagpaths = _with_ancestors(statistics.elements)
        self._place = {tagpath: place for place, tagpath in enumerate(self.tagpaths)}
        names = [components(tagpath) for tagpath in self.tagpaths]
        parents = ["/" + "/".join(each[:-1]) for each in names]
        self.parent = np.array([self._place.get(each, len(names)) for each in parents], np.intp)
        """The place of the node around; the document's is behind the last."""
        depths = np.array([len(each) for each in names], np.intp)
        self._levels = [np.flatnonzero(depths == depth) for depth in range(1, max(map(len, names), default=0) + 1)]
        seen = [statistics.elements.get(tagpath) for tagpath in self.tagpaths]
        self.counts = np.array([each.count if each else 0.0 for each in seen])
        sizes = np.array([each.count * each.size if each else 0.0 for each in seen])
        self.content, self.inside = self._contents(sizes)
        """The size of all elements of a type, never less than that of what is in them; and the latter."""
        self._types = self._matched(tree)
        self._covered: dict[str, Mask] = {}
        self._paths_of: list[list[str]] = [[] for _ in self.tagpaths]
        for path, types in self._types.items():
            for place in types:
                self._paths_of[place].append(path)

    def types(self, linear_path: str) -> TypePlaces:
        """Return the types that a linear path selects; also one that is not in the tree."""
        if linear_path not in self._types:
            automaton = PathAutomaton([linear_path])
            self._types[linear_path] = _places(
                place for place, tagpath in enumerate(self.tagpaths) if automaton.matches(tagpath))
        return self._types[linear_path]

    def count(self, linear_path: str) -> float:
        """Return N: how many nodes of a path a unit has; there is one document."""
        return 1.0 if linear_path == DOCUMENT else float(self.counts[self.types(linear_path)].sum())

    def joined(self, base: str, linear_path: str) -> float:
        """Return how many bindings of the base each node of a path is joined with: N of the base · selectivity."""
        selectivity = self.statistics.selectivities.get((base, linear_path))
        return 1.0 if selectivity is None else self.count(base) * selectivity

    def covered(self, spilled: str) -> Mask:
        """Return the types of a path's nodes, and of all that is in them."""
        if spilled not in self._covered:
            mask = np.zeros(len(self.tagpaths) + 1, np.bool_)
            mask[self.types(spilled)] = True
            for level in self._levels:
                mask[level] |= mask[self.parent[level]]
            self._covered[spilled] = mask[:-1]
        return self._covered[spilled]

    def remaining(self, candidate: Iterable[str]) -> Remaining:
        """Return what a candidate leaves."""
        missing = np.zeros(len(self.tagpaths) + 1, np.bool_)
        for spilled in candidate:
            missing[:-1] |= self.covered(spilled)
        lost = np.zeros(len(missing))
        for level in reversed(self._levels):
            lost[level] = np.where(missing[level], self.content[level], lost[level])
            np.add.at(lost, self.parent[level], lost[level])
        gone = missing[:-1]
        share = np.divide(lost[:-1], self.content, out=np.zeros(len(gone)), where=self.content > 0)
        return Remaining(gone, gone & ~missing[self.parent], np.where(gone, 1.0, share))

    def effects(self, spilled: str) -> dict[str, Effect]:
        """Return what a spilled path does to the paths of the tree, as far as messages have shown."""
        remaining, found = self.remaining([spilled]), dict[str, Effect]()
        for effect, places in ((Effect.SAM, remaining.share > 0), (Effect.SRAM, remaining.missing)):
            for place in np.flatnonzero(places):
                found.update(dict.fromkeys(self._paths_of[place], effect))
        return {path: effect for path, effect in found.items() if effect is Effect.SRAM or _has_inside(path)}

    def _contents(self, sizes: Numbers) -> tuple[Numbers, Numbers]:
        content, inside = np.append(sizes, 0.0), np.zeros(len(sizes) + 1)
        for level in reversed(self._levels):
            content[level] = np.maximum(content[level], inside[level])
            np.add.at(inside, self.parent[level], content[level])
        return content[:-1], inside[:-1]

    def _matched(self, tree: SpillNode) -> dict[str, TypePlaces]:
        """Return the types of all paths; attributes and texts that are not counted are taken to be one per element."""
        paths = {node.linear_path for node in tree.nodes()} | {use.linear_path for use in tree.all_uses()}
        automaton, found = PathAutomaton(paths), {path: list[int]() for path in paths}
        for place, tagpath in enumerate(self.tagpaths):
            for path in automaton.matches(tagpath):
                found[path].append(place)
        for path in [path for path, types in found.items() if not types]:
            steps = linear_steps(path)
            if steps and not is_element(steps[-1][1]) and not steps[-1][0]:
                found[path] = found[prefix_path(path, len(steps) - 1)]
        return {path: _places(types) for path, types in found.items()}


def _has_inside(linear_path: str) -> bool:
    steps = linear_steps(linear_path)
    return not steps or is_element(steps[-1][1])


def _with_ancestors(tagpaths: Iterable[str]) -> list[str]:
    """Return tag paths with those of all nodes around, also if only what is inside was counted; parents first."""
    found: dict[str, int] = {}
    for tagpath in tagpaths:
        names = components(tagpath)
        found.update({"/" + "/".join(names[:end]): end for end in range(1, len(names) + 1)})
    return sorted(found, key=found.__getitem__)


def _places(places: Iterable[int]) -> TypePlaces:
    return np.fromiter(places, np.intp)
