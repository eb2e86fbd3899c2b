"""The quality of a reduced output: how many nodes of each returned path it has, and how full (Appendix D.1)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from xpubsub.spill.candidates import Candidate
from xpubsub.spill.census import Census, Remaining
from xpubsub.spill.guards import Guard, Guards
from xpubsub.spill.path_uses import PathUse
from xpubsub.spill.pattern_tree import SpillNode

Weights = Mapping[tuple[str, str], float]
"""By (transformation, linear path): what a node of a returned path is worth to the subscriber; 1 unless given."""


def unit_quality(substructures: Iterable[tuple[float, float]]) -> float:
    """Return equation (4): the sum of N · S over the types of all substructures of a unit."""
    return math.fsum(cardinality * shape for cardinality, shape in substructures)


@dataclass(frozen=True)
class _Part:
    """What the nodes of one type are worth as results of one path."""

    linear_path: str
    tagpath: str
    guard: Guard
    copied: bool
    worth: float


class UnitQuality:
    """The quality gained by running the reduced queries of all transformations on one unit.

    A candidate below another never has more: each part loses at least as much, and the sum is rounded only once.
    """

    def __init__(self, tree: SpillNode, census: Census, guards: Guards, weights: Weights | None = None) -> None:
        self._census = census
        self._guards = guards
        self._parts = self._collected(tree, weights or {})
        self._by_type: dict[str, list[int]] = {}
        self._by_condition: dict[tuple[str, str], list[int]] = {}
        for number, part in enumerate(self._parts):
            self._by_type.setdefault(part.tagpath, []).append(number)
            for condition in part.guard:
                self._by_condition.setdefault(condition, []).append(number)
        self.full = math.fsum(part.worth for part in self._parts)

    def quality(self, candidate: Candidate) -> float:
        """Return the unit quality under a candidate."""
        return self.full - math.fsum(self._losses(candidate).values())

    def by_path(self, candidate: Candidate) -> dict[str, float]:
        """Return the quality of each returned path (Figure 15)."""
        losses, found = self._losses(candidate), dict[str, list[float]]()
        for number, part in enumerate(self._parts):
            found.setdefault(part.linear_path, []).append(part.worth - losses.get(number, 0.0))
        return {path: math.fsum(values) for path, values in found.items()}

    def _losses(self, candidate: Candidate) -> dict[int, float]:
        """Return what each part loses, where it loses anything."""
        remaining = self._census.remaining(candidate)
        losses = {
            number: self._parts[number].worth * self._share(self._parts[number], remaining)
            for tagpath in (*remaining.missing, *remaining.lost) for number in self._by_type.get(tagpath, ())
        }
        for condition in self._guards.undecided(candidate):
            for number in self._by_condition.get(condition, ()):
                losses[number] = self._parts[number].worth
        return losses

    def _share(self, part: _Part, remaining: Remaining) -> float:
        """Return which share of a part is lost: all of it, or (1 - S) of what is copied."""
        if part.tagpath in remaining.missing:
            return 1.0
        whole = self._census.content[part.tagpath]
        return remaining.lost[part.tagpath] / whole if part.copied and whole else 0.0

    def _collected(self, tree: SpillNode, weights: Weights) -> list[_Part]:
        worth: dict[tuple[str, str, Guard, bool], list[float]] = {}
        for use in tree.all_uses():
            if use.role == "return":
                each = self._worth(use, weights)
                guard, copied = self._guards.guard(use), use.need == "copy"
                for tagpath in self._census.types(use.linear_path):
                    key = use.linear_path, tagpath, guard, copied
                    worth.setdefault(key, []).append(each * self._census.counts[tagpath])
        return [_Part(*key, math.fsum(values)) for key, values in worth.items()]

    def _worth(self, use: PathUse, weights: Weights) -> float:
        """Return what one node of a returned path adds to the quality."""
        weight = weights.get((use.transformation, use.linear_path), 1.0)
        passing = self._census.statistics.passing.get(use.transformation, 1.0)
        joined = 1.0 if use.base == use.linear_path else self._census.joined(use.base, use.linear_path)
        return weight * passing * joined
