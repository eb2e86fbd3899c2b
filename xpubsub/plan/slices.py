"""Slices of R_L that are kept between batches (Hong 2007, section 5): what they spare, what they gain, what goes."""

from __future__ import annotations

from xpubsub.plan.correlate import chosen_plan
from xpubsub.plan.request import NO_CACHE, PlanRequest
from xpubsub.step import Pipeline, Step, file_step

_LONGEST = 256
"""Characters of a value that may have a slice."""
_SLICED: dict[str, Pipeline] = {
    "shared_value": (file_step("value_missed", reused=True), file_step("shared_value", "missed")),
    "rl": (file_step("rl", "sliced", reused=True),),
}
BATCH_VALUES = file_step("batch_value")
LAST_OF_BATCH = file_step("last_of_batch")
SLICE_NEW = file_step("slice_new", longest=str(_LONGEST))
MESSAGE_TO_KEEP = file_step("message_to_keep", reused=True)


def with_slices(request: PlanRequest, bound: int) -> bool:
    """Whether the plan that is asked for makes use of slices of so many rows."""
    return bound > 0 and chosen_plan(request) == "mmqjp-view" and NO_CACHE not in request.omitted


def sliced(steps: Pipeline) -> Pipeline:
    """The steps of a plan with those in place of R_L's that make use of slices."""
    return tuple(other for step in steps for other in _SLICED.get(step.name, (step,)))


def slice_left(bound: int) -> Step:
    """What stays of the slices in `slice_held` within a number of rows."""
    return file_step("slice_left", bound=str(bound))
