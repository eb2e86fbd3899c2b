"""Slices of R_L that are cached between batches (Hong 2007, section 5): using, extending and evicting them."""

from __future__ import annotations

from xpubsub.plan.correlate import chosen_plan
from xpubsub.plan.request import NO_CACHE, PlanRequest
from xpubsub.step import Pipeline, Step, file_step

_LONGEST = 256
"""The length of the longest value that may have a slice, in characters."""
_SLICED: dict[str, Pipeline] = {
    "shared_value": (file_step("value_missed", reused=True), file_step("shared_value", "missed")),
    "rl": (file_step("rl", "sliced", reused=True),),
}
BATCH_VALUES = file_step("batch_value")
LAST_OF_BATCH = file_step("last_of_batch")
SLICE_NEW = file_step("slice_new", longest=str(_LONGEST))
MESSAGE_TO_KEEP = file_step("message_to_keep", reused=True)


def with_slices(request: PlanRequest, bound: int) -> bool:
    """Whether the requested plan uses slices, given the limit of rows."""
    return bound > 0 and chosen_plan(request) == "mmqjp-view" and NO_CACHE not in request.omitted


def sliced(steps: Pipeline) -> Pipeline:
    """Replace the steps to R_L with those that read slices."""
    return tuple(other for step in steps for other in _SLICED.get(step.name, (step,)))


def slice_left(bound: int) -> Step:
    """Return the step to the part of `slice_held` that stays within a number of rows."""
    return file_step("slice_left", bound=str(bound))
