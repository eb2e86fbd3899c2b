"""A search for the best candidate: what it looks at, the best so far, and when it must end."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

from xpubsub.spill.candidates import Candidate, Lattice
from xpubsub.spill.model import SpillModel
from xpubsub.spill.pattern_tree import SpillNode

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Budget:
    """How long a choice may take."""

    seconds: float = 0.5
    candidates: int = 20_000


class OutOfBudget(Exception):
    """The budget is used up; never leaves the package."""


@dataclass(frozen=True)
class Estimate:
    """One candidate, looked at."""

    candidate: Candidate
    quality: float
    """The unit quality."""
    cost: float
    """The unit processing cost, in seconds."""
    rate: float
    """Units processed per second: the arrival rate, or 1 / cost if that is less."""
    consumes: bool
    """Whether all that arrives is processed."""

    @property
    def total(self) -> float:
        """The output quality per second: equation (3)."""
        return self.quality * self.rate

    @property
    def ratio(self) -> float:
        """Quality per cost."""
        return self.quality / self.cost if self.cost > 0 else math.inf


class Search:
    """Looks at candidates and counts them.

    What consumes all input, and lets something out, comes first, then what has the higher total quality; of equals,
    what spills less.
    """

    def __init__(self, tree: SpillNode, model: SpillModel, arrival_rate: float, budget: Budget) -> None:
        self.lattice = Lattice(tree)
        self.arrival_rate = arrival_rate
        self.seen: dict[Candidate, Estimate] = {}
        self._model = model
        self._most = budget.candidates
        self._end = time.monotonic() + budget.seconds

    def look(self, candidate: Candidate) -> Estimate:
        """Estimate a candidate."""
        if candidate not in self.seen:
            self.seen[candidate] = self._estimate(candidate)
        return self.seen[candidate]

    def look_in_time(self, candidate: Candidate) -> Estimate:
        """Estimate a candidate, if the budget allows it."""
        if self.is_over():
            raise OutOfBudget
        return self.look(candidate)

    def is_over(self) -> bool:
        """Return whether the budget is used up."""
        return len(self.seen) >= self._most or time.monotonic() > self._end

    def best(self) -> Estimate:
        """Return the best candidate seen so far."""
        return min(self.seen.values(), key=self.rank)

    def rank(self, each: Estimate) -> tuple[bool, float, int, list[str]]:
        """Return a key by which the best candidate is the first."""
        spilled = self.lattice.spilled(each.candidate).bit_count()
        return not (each.consumes and each.quality > 0), -each.total, spilled, sorted(each.candidate)

    def _estimate(self, candidate: Candidate) -> Estimate:
        quality, cost = self._model.quality(candidate), self._model.cost(candidate)
        consumes = cost * self.arrival_rate <= 1 + _ROUNDING
        rate = self.arrival_rate if consumes else 1 / cost
        return Estimate(candidate, quality, cost, rate, consumes)


@dataclass(frozen=True)
class ChosenSpill:
    """The candidate to spill, and why."""

    candidate: Candidate
    quality: float
    """Its unit quality."""
    cost: float
    """Its unit processing cost, in seconds."""
    rate: float
    """Units processed per second: the arrival rate, or 1 / cost if that is less."""
    considered: int
    """How many candidates were looked at."""
    reasons: tuple[str, ...] = ()
    policy: str = ""
    consumes: bool = True
    """Whether all that arrives is processed."""
    seen: tuple[Estimate, ...] = field(default=(), repr=False)
    """The candidates that were looked at, best first."""

    @property
    def total(self) -> float:
        """The output quality per second: equation (3)."""
        return self.quality * self.rate
