"""Runs transformations, once it is known at which nodes their conditions hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

import pyarrow as pa

from xpubsub.arrow import ArrowFunction
from xpubsub.engines.base import Engine
from xpubsub.jobs.publish.timing import Timings
from xpubsub.match.where_filter import SearchedConditions, filtering
from xpubsub.output.factory import grouped, making, searched
from xpubsub.output.spilled_factory import Spilled, making_spilled
from xpubsub.plan.path_claims import BasedPath, Claims
from xpubsub.plan.spilling import AFTER_SPILLING, WHILE_SPILLING
from xpubsub.plan.transform_case import Sharing
from xpubsub.plan.transform_steps import FACTORY
from xpubsub.rows import BIND_FAILED, OUTPUT, RETURN_PATH, SETTLED_PATH, SPILLED_OUTPUT, table_of
from xpubsub.step import Pipeline, Step


@dataclass(frozen=True)
class TransformingPlan:
    """A plan for the transformations of a store."""

    steps: Pipeline
    """The steps from conditions to the notifications of filters and transformations."""
    sharing: Sharing
    claims: Claims
    settled: tuple[tuple[int, int], ...]
    """Ids of paths, each with its base, along which tuples cannot repeat."""
    definitions: dict[int, str]
    representatives: dict[int, int]
    """For each returned path, the path that represents it: both lead to the same nodes."""
    conditions: Callable[[], SearchedConditions]
    spilled: Spilled | None = None
    """The messages of which elements are spilled."""

    def run(self, engine: Engine, timings: Timings) -> Step:
        """Run all steps except the last and return that one: it adds the outputs to the notifications of filters."""
        *steps, last = self.steps
        engine.load("settled_path", table_of(list(self.settled), SETTLED_PATH))
        paths = [(each,) for each in dict.fromkeys(self.representatives.values())]
        engine.load("return_path", table_of(paths, RETURN_PATH))
        for step in steps:
            with timings.of(step.name):
                if step.function:
                    engine.map_arrow(step.name, step, *self._function(step.function))
                else:
                    engine.run(step)
        return last

    def _function(self, name: str) -> tuple[ArrowFunction, pa.Schema]:
        if name != FACTORY:
            return filtering(self.conditions()), BIND_FAILED
        if self.spilled is not None:
            finder = partial(grouped, self.representatives)
            return making_spilled(self.definitions, finder, self.spilled), SPILLED_OUTPUT
        if self.sharing.returns:
            return making(self.definitions, partial(grouped, self.representatives)), OUTPUT
        return making(self.definitions, partial(searched, partial(_foreseen, self.claims))), OUTPUT


def spilling_case(spilled: Spilled | None) -> str:
    """Return which run over spilled messages it is; empty if nothing is spilled."""
    return "" if spilled is None else AFTER_SPILLING if spilled.complete else WHILE_SPILLING


@lru_cache(maxsize=65536)
def _foreseen(claims: Claims, linear_path: str, base: int) -> tuple[bool, bool]:
    """Whether a search below the base finds each node once, and whether in document order."""
    path = BasedPath(linear_path, base)
    return claims.unique(path) is not None, claims.ordered(path) is not None
