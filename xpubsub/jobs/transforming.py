"""Carrying out transformations, once the conditions that they depend on are known to hold or not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import pyarrow as pa

from xpubsub.arrow import ArrowFunction
from xpubsub.engines.base import Engine
from xpubsub.jobs.timing import Timings
from xpubsub.language.linear import linear_steps
from xpubsub.plan.choose import Summary
from xpubsub.plan.choose_transform import TransformChoice
from xpubsub.plan.reads import CONDITION_BRANCHES, DEFINITIONS, LOOKS, PLACES, REPEATS
from xpubsub.plan.transform import FACTORY, FunctionStep, Places, Sharing, Steps, transformation_steps
from xpubsub.shred.factory import grouped, making, searched
from xpubsub.shred.rows import BIND_FAILED, OUTPUT, SETTLED_PATH
from xpubsub.shred.tables import table_of
from xpubsub.shred.where_filter import SearchedConditions, filtering
from xpubsub.step import Step, file_step
from xpubsub.store.store import Store

NOTIFICATION = file_step("notification", file="notification_all")


@dataclass(frozen=True)
class RepeatingPath:
    """A path by which a tuple may be bound more than once, and the step of its base."""

    linear_path_id: int
    linear_path: str
    base: int


@dataclass(frozen=True)
class Transforming:
    """What is known of the transformations of a store."""

    store: Store
    places: Places
    levels: int
    definitions: dict[int, str]
    repeating: tuple[RepeatingPath, ...]
    alternatives: bool
    """Whether some tuples may repeat whatever is known of paths."""

    @cached_property
    def conditions(self) -> SearchedConditions:
        """All conditions on nodes, for the plan that searches for them."""
        conditions = SearchedConditions()
        for row in self.store.rows(CONDITION_BRANCHES):
            conditions.add_branch(row)
        for row in self.store.rows(LOOKS):
            conditions.add_look(row)
        return conditions

    def plan(self, chosen: TransformChoice) -> TransformingPlan:
        """The steps of a plan, and what it takes for granted."""
        settled = tuple(each for each in self.repeating if chosen.claims and settled_by(each))
        may_repeat = self.alternatives or len(settled) < len(self.repeating)
        repeats = True if not chosen.claims else None if may_repeat else False
        sharing = replace(chosen.sharing, repeats=repeats)
        return TransformingPlan(self, sharing, settled, transformation_steps(self.places, self.levels, sharing))


@dataclass(frozen=True)
class TransformingPlan:
    """A plan for the transformations of a store."""

    known: Transforming
    sharing: Sharing
    settled: tuple[RepeatingPath, ...]
    """Paths that are known not to repeat."""
    steps: Steps

    def all_steps(self, filtered: Step) -> Steps:
        """All steps, from the notifications of filters to those of both."""
        return (replace(filtered, name="filter_notification"), *self.steps, NOTIFICATION)

    def run(self, engine: Engine, filtered: Step, timings: Timings) -> Step:
        """Run the steps; returns the last, which adds what was made to the notifications of filters."""
        *steps, last = self.all_steps(filtered)
        engine.load("settled_path", table_of([(each.linear_path_id, each.base) for each in self.settled], SETTLED_PATH))
        for step in steps:
            with timings.of(step.name):
                if isinstance(step, FunctionStep):
                    engine.map_arrow(step.name, step.source, *self._function(step.function))
                else:
                    engine.run(step)
        assert isinstance(last, Step)
        return last

    def _function(self, name: str) -> tuple[ArrowFunction, pa.Schema]:
        if name == FACTORY:
            return making(self.known.definitions, grouped if self.sharing.returns else searched), OUTPUT
        return filtering(self.known.conditions), BIND_FAILED


def settled_by(path: RepeatingPath) -> str | None:
    """By which claim it is known that a path does not repeat."""
    steps = linear_steps(path.linear_path)[path.base :]
    return "claim 1" if sum(descends for descends, _ in steps) <= 1 else None


def load_transforming(store: Store, summary: Summary) -> Transforming:
    """Read what a store knows of its transformations."""
    places = {row["depth"]: row["places"] for row in store.rows(PLACES)}
    definitions = {row["template_id"]: row["definition"] for row in store.rows(DEFINITIONS)}
    repeats = store.rows(REPEATS)
    paths = tuple(RepeatingPath(**row) for row in repeats if row["linear_path"] is not None)
    return Transforming(store, places, summary.levels, definitions, paths, len(paths) < len(repeats))
