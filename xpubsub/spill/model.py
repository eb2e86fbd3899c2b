"""The quality and the cost of each candidate, estimated from statistics."""

from __future__ import annotations

from typing import Protocol

from xpubsub.spill.candidates import Candidate
from xpubsub.spill.census import Census, Mask, Remaining
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
    """The model of the paper, over the transformations of a tree.

    With `observed`, a condition counts as undecided only if messages have shown its nodes among what is spilled: for
    an engine that decides message by message. Without, as in the paper, if they might be there in any message.
    """

    def __init__(
        self, tree: SpillNode, statistics: Statistics, constants: CostConstants | None = None,
        weights: Weights | None = None, *, observed: bool = False,
    ) -> None:
        self._census = Census(tree, statistics)
        self._guards = Guards(tree, self._census.effects if observed else None)
        self._quality = UnitQuality(tree, self._census, self._guards, weights)
        self._cost = UnitCost(tree, self._census, self._guards, constants or CostConstants())
        self._last: tuple[Candidate, Remaining, Mask] | None = None

    def quality(self, candidate: Candidate) -> float:
        """Return equation (4)."""
        return self._quality.quality(*self._left(candidate))

    def cost(self, candidate: Candidate) -> float:
        """Return the sum of equations (5), (6) and (7)."""
        return self.costs(candidate).total

    def qualities(self, candidate: Candidate) -> dict[str, float]:
        """Return the quality of each returned path."""
        return self._quality.by_path(*self._left(candidate))

    def costs(self, candidate: Candidate) -> CostParts:
        """Return the cost part by part."""
        return self._cost.parts(candidate, *self._left(candidate))

    def _left(self, candidate: Candidate) -> tuple[Remaining, Mask]:
        """Return what a candidate leaves, and which guards it blocks; quality and cost are asked for together."""
        if self._last is None or self._last[0] != candidate:
            self._last = candidate, self._census.remaining(candidate), self._guards.blocked(candidate)
        return self._last[1:]
