"""The quality and the cost of each candidate, estimated from statistics."""

from __future__ import annotations

from typing import Protocol

from xpubsub.spill.candidates import Candidate
from xpubsub.spill.census import Census
from xpubsub.spill.cost import CostConstants, CostParts, UnitCost
from xpubsub.spill.guards import Guards
from xpubsub.spill.pattern_tree import SpillNode
from xpubsub.spill.quality import UnitQuality, Weights
from xpubsub.spill.statistics import Statistics


class SpillModel(Protocol):
    """What a policy asks about a candidate."""

    def quality(self, candidate: Candidate) -> float:
        """Return the unit quality ν; a candidate below another must not have more."""

    def cost(self, candidate: Candidate) -> float:
        """Return the unit processing cost C, in seconds."""


class Estimates:
    """The model of the paper, over the transformations of a tree."""

    def __init__(
        self, tree: SpillNode, statistics: Statistics, constants: CostConstants | None = None,
        weights: Weights | None = None,
    ) -> None:
        census, guards = Census(tree, statistics), Guards(tree)
        self._quality = UnitQuality(tree, census, guards, weights)
        self._cost = UnitCost(tree, census, guards, constants or CostConstants())

    def quality(self, candidate: Candidate) -> float:
        """Return equation (4)."""
        return self._quality.quality(candidate)

    def cost(self, candidate: Candidate) -> float:
        """Return the sum of equations (5), (6) and (7)."""
        return self._cost.cost(candidate)

    def qualities(self, candidate: Candidate) -> dict[str, float]:
        """Return the quality of each returned path."""
        return self._quality.by_path(candidate)

    def costs(self, candidate: Candidate) -> CostParts:
        """Return the cost part by part."""
        return self._cost.parts(candidate)
