"""The quality of a reduced output: how many nodes of each returned path it has, and how full (Appendix D.1)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from xpubsub.spill.census import Census, Mask, Numbers, Remaining
from xpubsub.spill.guards import Guards
from xpubsub.spill.path_uses import PathUse
from xpubsub.spill.pattern_tree import SpillNode

Weights = Mapping[tuple[str, str], float]
"""By (transformation, linear path): what a node of a returned path is worth to the subscriber; 1 unless given."""


def unit_quality(substructures: Iterable[tuple[float, float]]) -> float:
    """Return equation (4): the sum of N · S over the types of all substructures of a unit."""
    return math.fsum(cardinality * shape for cardinality, shape in substructures)


class UnitQuality:
    """The quality gained by running the reduced queries of all transformations on one unit.

    Its parts are the types of nodes of each returned path, under each guard. A candidate below another never has
    more quality: each part loses at least as much, and sums are made in the same order.
    """

    def __init__(self, tree: SpillNode, census: Census, guards: Guards, weights: Weights | None = None) -> None:
        self._census = census
        worth: dict[tuple[str, int, int, bool], float] = {}
        for use in tree.all_uses():
            if use.role == "return":
                each = self._worth(use, weights or {})
                for place in census.types(use.linear_path):
                    key = use.linear_path, int(place), guards.number(use), use.need == "copy"
                    worth[key] = worth.get(key, 0.0) + each * float(census.counts[place])
        self._paths = [path for path, _, _, _ in worth]
        self._type = np.array([place for _, place, _, _ in worth], np.intp)
        self._guard = np.array([guard for _, _, guard, _ in worth], np.intp)
        self._copied = np.array([copied for _, _, _, copied in worth], np.bool_)
        self._parts = np.array(list(worth.values()), np.float64)

    def quality(self, remaining: Remaining, blocked: Mask) -> float:
        """Return the unit quality of what a candidate leaves, given the guards that it blocks."""
        return float(self._parts.sum() - self._losses(remaining, blocked).sum())

    def by_path(self, remaining: Remaining, blocked: Mask) -> dict[str, float]:
        """Return the quality of each returned path (Figure 15)."""
        found: dict[str, float] = {}
        for path, quality in zip(self._paths, self._parts - self._losses(remaining, blocked), strict=True):
            found[path] = found.get(path, 0.0) + float(quality)
        return found

    def _losses(self, remaining: Remaining, blocked: Mask) -> Numbers:
        """Return what each part loses: all if it is blocked or missing, else (1 - S) of what is copied."""
        all_or_part = remaining.missing[self._type] | self._copied
        share = np.where(all_or_part, remaining.share[self._type], 0.0)
        losses: Numbers = self._parts * np.where(blocked[self._guard], 1.0, share)
        return losses

    def _worth(self, use: PathUse, weights: Weights) -> float:
        """Return what one node of a returned path adds to the quality."""
        weight = weights.get((use.transformation, use.linear_path), 1.0)
        passing = self._census.statistics.passing.get(use.transformation, 1.0)
        joined = 1.0 if use.base == use.linear_path else self._census.joined(use.base, use.linear_path)
        return weight * passing * joined
