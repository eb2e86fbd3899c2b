"""The plans for transformations (Diao 2003): path tuples of `for` paths, conditions on them, and returned nodes.

The three plans differ in what they share. `f` (PathSharing-F) shares only the paths of `for`; a tree search checks
conditions and follows returned paths, tuple by tuple. `fw` also shares conditions. `fwr` also shares returned paths,
whose nodes are grouped once for all templates.
"""

from __future__ import annotations

from xpubsub.language.flwr.blocks import BindStep
from xpubsub.plan import transform_steps as make
from xpubsub.plan.facts import FACTS
from xpubsub.plan.listing import Listing, steps_of, unless, when
from xpubsub.plan.narrowing import by_transformation
from xpubsub.plan.spilling import AFFECTED_BLOCKS
from xpubsub.plan.transform_case import TransformationCase
from xpubsub.step import Pipeline, file_step

TRANSFORMATION: Listing = (
    *FACTS,
    when("narrowed", by_transformation),
    when("searches", file_step("searched_node", reused=True)),
    make.path_tuple,
    when("some_repeat", file_step("may_repeat", reused=True)),
    make.blocks,
    file_step("transformed"),
    when("spilling", *AFFECTED_BLOCKS),
    make.bound,
    unless("spilling", file_step("made")),
    when("spilling", file_step("made", "spilled")),
    when(
        "returns_shared",
        make.return_tuple,
        file_step("returned"),
    ),
    when("valued", file_step("node_value")),
    make.output,
    make.notification_all,
)
"""From notifications of filters to those of filters and transformations; the case differs for `f`, `fw` and `fwr`."""


def transformation_steps(case: TransformationCase) -> Pipeline:
    """Return all steps from conditions to outputs."""
    return steps_of(TRANSFORMATION, case)


def bound_counts(step: BindStep) -> Pipeline:
    """Return the steps that count the nodes a step bound, and at how many of them each condition fails."""
    bound = {"bind_bound": f"bind_bound_{step.depth}_{step.place}"}
    if step.depth == step.place == 1:
        count = file_step("path_bound_count", step=str(step.step))
    else:
        count = file_step("step_bound_count", step=str(step.step), tables=bound)
    return (count, file_step("bind_explained", tables=bound))
