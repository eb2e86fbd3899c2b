"""Carrying out transformations, once the conditions that they depend on are known to hold or not."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xpubsub.engines.base import Engine
from xpubsub.jobs.timing import Timings
from xpubsub.plan.choose import Summary
from xpubsub.plan.reads import DEFINITIONS, PLACES
from xpubsub.plan.transform import transformation_steps
from xpubsub.shred.factory import making
from xpubsub.shred.rows import OUTPUT
from xpubsub.step import Pipeline, Step, file_step
from xpubsub.store.store import Store

NOTIFICATION = file_step("notification", file="notification_all")


@dataclass(frozen=True)
class Transforming:
    """What is known of the transformations of a store."""

    steps: Pipeline
    definitions: dict[int, str]

    def all_steps(self, filtered: Step) -> Pipeline:
        """All steps, from the notifications of filters to those of both."""
        return (replace(filtered, name="filter_notification"), *self.steps, NOTIFICATION)

    def run(self, engine: Engine, filtered: Step, timings: Timings) -> Step:
        """Make the relation `output`; returns the step that adds it to the notifications of filters."""
        *steps, produced, last = self.all_steps(filtered)
        for step in steps:
            with timings.of(step.name):
                engine.run(step)
        with timings.of("output"):
            engine.map_arrow("output", produced, making(self.definitions), OUTPUT)
        return last


def load_transforming(store: Store, summary: Summary) -> Transforming:
    """Read what a store knows of its transformations."""
    places = {row["depth"]: row["places"] for row in store.rows(PLACES)}
    definitions = {row["template_id"]: row["definition"] for row in store.rows(DEFINITIONS)}
    return Transforming(transformation_steps(places, summary.levels), definitions)
