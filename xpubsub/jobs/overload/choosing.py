"""Chooses, for a running job, what to spill: from its transformations, what messages have shown, and measured times."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from xpubsub.jobs.overload.measured_costs import MeasuredCosts
from xpubsub.jobs.overload.seen_elements import SeenElements
from xpubsub.jobs.overload.settings import Overload
from xpubsub.jobs.overload.transformations import StoredTransformations
from xpubsub.jobs.overload.tried_choices import TriedChoices
from xpubsub.spill.candidates import NOTHING, Candidate
from xpubsub.spill.choose import choose_spill
from xpubsub.spill.cost import CostConstants
from xpubsub.spill.model import Estimates
from xpubsub.spill.narrowing import seen_tree
from xpubsub.spill.pattern_tree import SpillNode
from xpubsub.spill.search import Budget, ChosenSpill
from xpubsub.spill.statistics import Statistics

_SHARE = 0.05
"""Which share of the time may be spent on the model."""
_SAME = 0.1
"""By how much the load may change before there is another choice."""
_CHEAPEST = 1e-7
"""Seconds that a unit costs at least."""


class Modelled(NamedTuple):
    """What a choice is made from."""

    tree: SpillNode
    """The paths of the transformations."""
    space: SpillNode
    """The tag paths from which to choose."""
    model: Estimates
    """Quality and cost; costs are in proportion to each other."""


def modelled(
    transformations: StoredTransformations, statistics: Statistics, constants: CostConstants
) -> Modelled:
    """Return what a choice is made from, given what messages have shown, and what operations cost."""
    tree = transformations.tree()
    space = transformations.allowed(seen_tree(tree, statistics))
    return Modelled(tree, space, Estimates(tree, statistics, constants, transformations.weights(), observed=True))


@dataclass(frozen=True)
class MeasuredModel:
    """A model, what a unit costs beside it whatever is spilled, and what was learnt of choices."""

    model: Estimates
    fixed: float
    tried: TriedChoices

    def quality(self, candidate: Candidate) -> float:
        """Return the unit quality."""
        return self.model.quality(candidate)

    def cost(self, candidate: Candidate) -> float:
        """Return the unit processing cost."""
        return (self.model.cost(candidate) + self.fixed) * self.tried.ratio(candidate)


class Chooser:
    """Chooses for one batch after the other.

    The model of quality and cost is made again when subscriptions have changed, and otherwise so seldom that it takes
    a twentieth of the time at most. Between, choices differ only if the load does.
    """

    def __init__(
        self, overload: Overload, transformations: StoredTransformations, seed: int = 0,
        constants: CostConstants | None = None,
    ) -> None:
        self._overload, self._transformations, self._seed = overload, transformations, seed
        self._constants = constants
        """What operations cost; measured when the first choice is made, unless given."""
        self._seen = SeenElements()
        self.known: Modelled | None = None
        self._next = self._next_look = 0.0
        self._costs, self._tried = MeasuredCosts(), TriedChoices()
        self._chosen: tuple[float, ChosenSpill] | None = None
        """The load at which the last choice was made, given what had been learnt of it; and the choice."""

    def look(self, messages: Iterable[bytes]) -> None:
        """Take note of what a batch is made of, if that takes no more than its share of the time."""
        started = time.monotonic()
        if started >= self._next_look:
            self._seen.look(messages)
            self._next_look = time.monotonic() + (time.monotonic() - started) / _SHARE

    def learn(self, messages: int, seconds: float, spilled: Candidate) -> None:
        """Take note of how long a batch took of which some paths were spilled."""
        expected = self._costs.expected(messages, self._cost(spilled))
        if expected is not None:
            self._tried.learn(spilled, expected, seconds)
        self._costs.learn(messages, self._cost(spilled), seconds)

    def choose(self, rate: float) -> ChosenSpill:
        """Return what to spill, given how many messages arrive per second."""
        started = time.monotonic()
        if self._transformations.changed or self.known is None or started > self._next:
            self._transformations.refresh(self._overload.budget)
            self.known = self._prepared()
            self._next = time.monotonic() + (time.monotonic() - started) / _SHARE
        factor, fixed = self._costs.line()
        load = max(rate, 1e-3) * factor
        model = MeasuredModel(self.known.model, fixed / factor, self._tried)
        if self._chosen is None or not 1 - _SAME < self._chosen[0] / self._felt(load) < 1 + _SAME:
            self._seed += 1
            budget = Budget(seconds=self._overload.budget)
            found = choose_spill(self._overload.policy, self.known.space, model, load, budget, self._seed)
            self._chosen = load * self._tried.ratio(found.candidate), found
        return self._chosen[1]

    def _felt(self, load: float) -> float:
        """Return a load as the last choice bears it, by what was learnt of that choice."""
        return load * (self._tried.ratio(self._chosen[1].candidate) if self._chosen is not None else 1.0)

    def _prepared(self) -> Modelled:
        """Make the model again; `learn` measures how its costs become seconds."""
        if self._constants is None:
            self._constants = self._transformations.measured_constants()
        before = self._cost(NOTHING)
        found = modelled(self._transformations, self._seen.statistics(), self._constants)
        self._chosen = None
        self._costs.rescale(max(found.model.cost(NOTHING), _CHEAPEST) / before)
        return found

    def _cost(self, spilled: Candidate) -> float:
        """Return what the model says of a unit; 1 if there is no model."""
        return 1.0 if self.known is None else max(self.known.model.cost(spilled), _CHEAPEST)
