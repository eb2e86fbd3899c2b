"""The plans for correlations (Hong 2007): witnesses, shared values, one conjunctive query per join template."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xpubsub.plan.conjunction import ConjunctiveQuery
from xpubsub.plan.facts import FACTS, FactCase
from xpubsub.plan.join_views import StoredTemplate, view_steps
from xpubsub.plan.listing import Listing, steps_of, unless, when
from xpubsub.plan.request import CORRELATION_PLANS, PlanRequest
from xpubsub.step import Pipeline, Step, file_step

WITNESSES: Listing = (
    unless("part", file_step("rdoc_ts_w", reused=True)),
    when("part", file_step("rdoc_ts_w", "part")),
    *FACTS,
    file_step("edge_tuple", reused=True),
    file_step("variable_node", reused=True),
    file_step("variable_failed"),
    file_step("variable_holds"),
    file_step("variable_bad", reused=True),
    file_step("rbin_w", reused=True),
    file_step("rdoc_w", reused=True),
    file_step("rcopy_w", reused=True),
    file_step("rreturn_w", reused=True),
)
"""Stage 1: the nodes that patterns bind in the messages of the batch, from path tuples and conditions."""

WITNESS_TABLES = ("rbin_w", "rdoc_w", "rcopy_w", "rreturn_w")
"""The relations of stage 1 that stage 2 reads."""
FOUND: Pipeline = (
    file_step("rdoc_ts_w", reused=True), file_step("rbin_w", "found", reused=True),
    file_step("rdoc_w", "found", reused=True), file_step("rcopy_w", "found", reused=True),
    file_step("rreturn_w", "found", reused=True),
)
"""The same relations from those that workers have found (`rbin_w_found`, …), with the docids of the messages."""


@dataclass(frozen=True)
class WitnessCase(FactCase):
    """The properties that decide which steps of `WITNESSES` run."""

    part: bool = False
    """Whether the messages are only a part of the batch, numbered elsewhere."""


def witness_steps(levels: int, *, part: bool = False) -> Pipeline:
    """Return the steps of stage 1, for queries with this many levels of branches."""
    return steps_of(WITNESSES, WitnessCase(levels, part))


_KEPT: Pipeline = (file_step("dead_message"), file_step("kept_message", reused=True))
_BASES: Pipeline = (
    file_step("message_time", reused=True), file_step("edge_any", reused=True),
    file_step("value_any", reused=True),
    file_step("joined_edge", "any", reused=True),
    file_step("joined_value", "any", reused=True),
)
"""What the joins read if nothing is shared: all edges and values of kept messages and of the batch."""


_NOTHING = ("select cast(0 as bigint) as correlation_id, cast([] as bigint[]) as docs, cast(0 as bigint) as last,"
            " cast(0 as double) as time, cast([] as integer[]) as nodes where false")


def chosen_plan(request: PlanRequest) -> str:
    """Return the plan, which finds shared values once for all templates, per template, or per correlation."""
    return request.correlations or CORRELATION_PLANS[0]


def join_steps(
    templates: Sequence[StoredTemplate], places: int, plan: str, correlation_ids: Sequence[tuple[int, int]]
) -> Pipeline:
    """Return the steps of stage 2: a conjunctive query for each template, or for each correlation."""
    by_id = {stored.template_id: stored for stored in templates}
    alone = [_Unit(by_id[template_id], plan, correlation_id) for template_id, correlation_id in correlation_ids]
    units = alone if plan == "sequential" else [_Unit(stored, plan) for stored in templates]
    each = tuple(step for unit in units for step in unit.steps())
    found = " union all ".join(f"select correlation_id, docs, last, time, nodes from {unit.found}" for unit in units)
    header = "-- One row: nodes of messages that fulfil a correlation."
    steps = [Step("rout", f"{header}\n{found or _NOTHING}", reused=True)]
    for place in range(1, places + 1):
        before = {"rout": steps[-1].name}
        steps.append(file_step("rout_step", suffix=f"_{place}", reused=True, tables=before, place=str(place)))
    views = view_steps(templates) if plan == "mmqjp-view" else _BASES
    return (*_KEPT, *views, *each, *steps, file_step("correlated", reused=True, tables={"rout": steps[-1].name}))


OUTPUT_PARTS: Pipeline = (
    file_step("correlated_made", reused=True), file_step("part_base", reused=True), file_step("rcopy_joined"),
    file_step("rreturn_joined"), file_step("part_node"),
)
"""The steps that collect the parts of outputs."""
TEXTS = file_step("correlated_text")
CORRELATION_OUTPUT = file_step("correlation_output", reused=True)
CORRELATION_NOTIFICATIONS = file_step("notification_correlation", reused=True)


@dataclass(frozen=True)
class _Unit:
    """The correlations that one conjunctive query evaluates: all of a template, or one of them."""

    stored: StoredTemplate
    plan: str
    correlation_id: int | None = None

    @property
    def name(self) -> str:
        return f"t{self.stored.template_id}" if self.correlation_id is None else f"q{self.correlation_id}"

    @property
    def found(self) -> str:
        return f"rout_{self.name}"

    def steps(self) -> Iterator[Step]:
        """Yield R_T (for a single correlation), the shared values (unless found for all), and the conjunctive query."""
        stored = self.stored
        members = stored.members(self.correlation_id)
        if self.correlation_id is not None:
            yield members
        values, above = stored.values
        if self.plan != "mmqjp-view":
            values, above = f"value_pair_own_{self.name}", ""
            kept = "true" if stored.rounds else "false"
            yield file_step(
                "value_pair_own", suffix=f"_{self.name}", reused=True, tables={"rt": members.name}, kept=kept)
        yield Step(self.found, ConjunctiveQuery(stored.template, members.name, values, above).sql(), ordered=True)
