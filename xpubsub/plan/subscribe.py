"""The steps of subscribing: from compiled subscriptions to the new rows of each table."""

from __future__ import annotations

from dataclasses import dataclass

from xpubsub.plan.arrange import CALL_ALTERNATIVE, NEW_PREDICATE, NEW_SUMMARY
from xpubsub.step import Pipeline, Step, file_step, whole

NEW: Pipeline = (
    file_step("compiled_new", reused=True),
    file_step("new_query", reused=True),
    file_step("call_linear_path", reused=True),
    file_step("call_brinfo", reused=True),
    file_step("new_linear_path", reused=True),
    file_step("new_brinfo", reused=True),
    CALL_ALTERNATIVE,
)
"""The rows of a call that are new to the store."""

PATHS: tuple[tuple[str, Step], ...] = (
    ("path_match", file_step("new_path_match")),
    ("tagpath_brinfo", file_step("new_tagpath_brinfo")),
)
"""Path matches are written before the paths themselves, so that a stored path has all its matches."""

TAGPATH_COLLISION = file_step("tagpath_collision")

@dataclass(frozen=True)
class Kinds:
    """What a call contains: kinds of subscriptions, and what subscriptions may state."""

    transformations: bool = False
    correlations: bool = False
    checks: bool = False
    warnings: bool = False
    delays: bool = False
    variables: bool = False
    wholes: bool = False
    weights: bool = False

    @property
    def new(self) -> Pipeline:
        """The steps to the rows of a call that are new to the store."""
        transformations = (file_step("new_transformation_id", reused=True),) if self.transformations else ()
        return (*NEW, *transformations, *((file_step("new_correlation_id", reused=True),) if self.correlations else ()))

    @property
    def collisions(self) -> Pipeline:
        """The steps that find two different texts with the same id."""
        return (
            file_step("collision"),
            *((_collision("transformation"),) if self.transformations else ()),
            *((_collision("correlation"),) if self.correlations else ()),
            *((file_step("collision_check"),) if self.checks else ()),
        )

    @property
    def appends(self) -> tuple[tuple[str, Step], ...]:
        """The tables to append to, in an order that leaves nothing incomplete visible if it stops halfway."""
        conditions = _CONDITIONS if self.transformations or self.correlations else ()
        return (*_QUERIES, *conditions, *(_TRANSFORMATIONS if self.transformations else ()),
                *(_CORRELATIONS if self.correlations else ()), *(_CHECKS if self.checks else ()), *_SUBSCRIPTIONS,
                *(_DELAY if self.delays else ()), *(_VARIABLES if self.variables else ()),
                *(_WHOLE if self.wholes else ()), *(_WEIGHTS if self.weights else ()),
                *(_FULFILLED["transformation"] if self.transformations else ()),
                *(_FULFILLED["correlation"] if self.correlations else ()), _LAST)


KINDS = file_step("kinds")
ADDED, WARNINGS = file_step("added"), file_step("warning")
REMOVED, REMOVED_KINDS = file_step("removed"), file_step("removed_kind")

_QUERIES: tuple[tuple[str, Step], ...] = (
    *PATHS,
    ("query_linear_path", whole("new_linear_path")),
    ("linear_path_use", file_step("new_use")),
    ("linear_path_brinfo", whole("new_brinfo")),
    ("query_branch", file_step("new_branch")),
    ("query_branchpoint", file_step("new_branchpoint")),
    ("predicate_bucket", whole("new_bucket")),
    ("predicate_key", file_step("new_key")),
    ("predicate_pair", file_step("new_pair")),
    ("query_text", file_step("new_text")),
    ("query_predicate", NEW_PREDICATE),
    ("predicate_unroll", file_step("new_unroll")),
    ("lookup_subscription", file_step("new_lookup_subscription")),
    ("query_summary", NEW_SUMMARY),
)
_CONDITIONS = (("condition_query", file_step("new_condition_query")), ("output_template", file_step("new_template")))
_TRANSFORMATIONS = (
    ("transformation_step", file_step("new_step")),
    ("transformation_condition", file_step("new_condition")),
    ("template_return", file_step("new_return")),
    ("template_value", file_step("new_value")),
    ("block_repeat", file_step("new_repeat")),
    ("transformation_template", file_step("new_transformation_template")),
    ("transformation", file_step("new_transformation")),
)
_CORRELATIONS = (
    ("variable_condition", file_step("new_variable_condition")),
    ("join_part", file_step("new_join_part")),
    ("join_copy", file_step("new_join_copy")),
    ("join_edge", file_step("new_join_edge")),
    ("join_pair", file_step("new_join_pair")),
    ("join_hop", file_step("new_join_hop")),
    ("join_result", file_step("new_join_result")),
    ("join_template", file_step("new_join_template")),
    ("join_member", file_step("new_join_member")),
    ("correlation", file_step("new_correlation")),
)
_CHECKS = (
    ("query_check", file_step("new_check")),
    ("subscription_check", file_step("new_subscription_check")),
)
_SUBSCRIPTIONS = (
    ("stored_query", file_step("new_stored_query")),
    ("subscription_query", file_step("new_subscription_query")),
)
_DELAY = (("subscription_delay", file_step("new_delay")),)
_VARIABLES = (("subscription_variables", file_step("new_variables")),)
_WHOLE = (("subscription_whole", file_step("new_whole")),)
_WEIGHTS = (("subscription_weights", file_step("new_weights")),)
_FULFILLED = {
    "transformation": (("subscription_transformation", file_step("new_subscription_transformation")),),
    "correlation": (("subscription_correlation", file_step("new_subscription_correlation")),),
}
_LAST = ("subscription", file_step("new_subscription"))


def _collision(kind: str) -> Step:
    return file_step("collision_output", suffix=f"_{kind}", kind=kind, compiled=f"compiled_{kind}", id=f"{kind}_id")
