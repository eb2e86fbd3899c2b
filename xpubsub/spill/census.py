"""Statistics prepared for many candidates: which types of nodes each path has, and what of them a candidate leaves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from xpubsub.language.xpath.branches import DOCUMENT
from xpubsub.language.xpath.linear import components, linear_steps
from xpubsub.match.linear_paths import prefix_path
from xpubsub.match.path_automaton import PathAutomaton
from xpubsub.spill.effects import is_element
from xpubsub.spill.pattern_tree import SpillNode
from xpubsub.spill.statistics import Statistics

Types = frozenset[str]
"""Tag paths."""


@dataclass(frozen=True)
class Remaining:
    """What a candidate leaves of the elements of a unit."""

    missing: Types
    """The tag paths of spilled elements and of all that is in them."""
    outermost: Types
    """Those of the spilled elements that are in no other one."""
    lost: dict[str, float]
    """What the others lack of their content, where they lack anything."""


class Census:
    """The types of nodes of a unit, by path."""

    def __init__(self, tree: SpillNode, statistics: Statistics) -> None:
        self.statistics = statistics
        self.parents = _parents(statistics.elements)
        self.counts = dict.fromkeys(self.parents, 0.0) | {
            tagpath: each.count for tagpath, each in statistics.elements.items()}
        self.children: dict[str, list[str]] = {}
        for tagpath, around in self.parents.items():
            self.children.setdefault(around, []).append(tagpath)
        self._depths = {tagpath: len(components(tagpath)) for tagpath in self.parents}
        self.content = self._contents()
        self._types = self._matched(tree)
        self._covered: dict[str, Types] = {}

    def types(self, linear_path: str) -> Types:
        """Return the tag paths that a linear path selects; also one that is not in the tree."""
        if linear_path not in self._types:
            automaton = PathAutomaton([linear_path])
            self._types[linear_path] = frozenset(each for each in self.counts if automaton.matches(each))
        return self._types[linear_path]

    def count(self, linear_path: str, without: Types = frozenset()) -> float:
        """Return N: how many nodes of a path a unit has, those of some types left out; there is one document."""
        if linear_path == DOCUMENT:
            return 1.0
        return math.fsum(self.counts[each] for each in self.types(linear_path) if each not in without)

    def joined(self, base: str, linear_path: str) -> float:
        """Return how many bindings of the base each node of a path is joined with: N of the base · selectivity."""
        selectivity = self.statistics.selectivities.get((base, linear_path))
        return 1.0 if selectivity is None else self.count(base) * selectivity

    def own(self, tagpath: str) -> float:
        """Return the size of all elements of a type without what is in them."""
        return self.content[tagpath] - math.fsum(self.content[each] for each in self.children.get(tagpath, ()))

    def covered(self, spilled: str) -> Types:
        """Return the types of a path's nodes, and of all that is in them."""
        if spilled not in self._covered:
            found, todo = set(self.types(spilled)), list(self.types(spilled))
            while todo:
                more = [each for each in self.children.get(todo.pop(), ()) if each not in found]
                found.update(more)
                todo += more
            self._covered[spilled] = frozenset(found)
        return self._covered[spilled]

    def remaining(self, candidate: Iterable[str]) -> Remaining:
        """Return what a candidate leaves."""
        missing: Types = frozenset().union(*(self.covered(each) for each in candidate))
        outermost = frozenset(each for each in missing if self.parents[each] not in missing)
        return Remaining(missing, outermost, self._lost(outermost))

    def _lost(self, outermost: Types) -> dict[str, float]:
        """Return the size that is lost in each type around what is missing, from the inside out."""
        inside: dict[str, list[float]] = {}
        around: set[str] = set()
        for tagpath in outermost:
            inside.setdefault(self.parents[tagpath], []).append(self.content[tagpath])
            around.update(self._above(tagpath))
        lost: dict[str, float] = {}
        for tagpath in sorted(around, key=self._depths.__getitem__, reverse=True):
            lost[tagpath] = math.fsum(inside[tagpath])
            inside.setdefault(self.parents[tagpath], []).append(lost[tagpath])
        return lost

    def _above(self, tagpath: str) -> Iterator[str]:
        while (tagpath := self.parents[tagpath]) != DOCUMENT:
            yield tagpath

    def _contents(self) -> dict[str, float]:
        """Return the size of all elements of each type in a unit; never less than that of what is in them."""
        content: dict[str, float] = {}
        for tagpath in sorted(self.parents, key=self._depths.__getitem__, reverse=True):
            inside = math.fsum(content[each] for each in self.children.get(tagpath, ()))
            seen = self.statistics.elements.get(tagpath)
            content[tagpath] = max(seen.count * seen.size if seen else 0.0, inside)
        return content

    def _matched(self, tree: SpillNode) -> dict[str, Types]:
        """Return the types of all paths; attributes and texts that are not counted are taken to be one per element."""
        paths = {node.linear_path for node in tree.nodes()} | {use.linear_path for use in tree.all_uses()}
        automaton, found = PathAutomaton(paths), {path: set[str]() for path in paths}
        for tagpath in self.counts:
            for path in automaton.matches(tagpath):
                found[path].add(tagpath)
        for path in [path for path, types in found.items() if not types]:
            steps = linear_steps(path)
            if steps and not is_element(steps[-1][1]) and not steps[-1][0]:
                found[path] = found[prefix_path(path, len(steps) - 1)]
        return {path: frozenset(types) for path, types in found.items()}


def worthwhile(tree: SpillNode, statistics: Statistics, share: float = 0.01) -> SpillNode:
    """Return a tree without the nodes whose elements are less than a share of a unit: spilling them saves nothing.

    What is below such a node is still less. The tree is for choosing from; estimates need the whole one.
    """
    census = Census(tree, statistics)
    least = share * math.fsum(census.content[each] for each in census.children.get(DOCUMENT, ()))

    def kept(node: SpillNode) -> SpillNode:
        return replace(node, children=tuple(kept(child) for child in node.children if size(child) >= least))

    def size(node: SpillNode) -> float:
        return math.fsum(census.content[each] for each in census.types(node.linear_path))

    return kept(tree)


def _parents(tagpaths: Iterable[str]) -> dict[str, str]:
    """Return each tag path with that of the node around it; nodes of which only the inside was counted come too."""
    found: dict[str, str] = {}
    for tagpath in tagpaths:
        names = components(tagpath)
        for end in range(len(names), 0, -1):
            found["/" + "/".join(names[:end])] = "/" + "/".join(names[: end - 1])
    return found
