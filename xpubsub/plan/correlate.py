"""Correlations (Hong 2007): witnesses of the batch, values in common, one conjunctive query for each template."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xpubsub.language.join_templates import Template
from xpubsub.plan.choose import named_plan
from xpubsub.plan.conjunction import Conjunction
from xpubsub.plan.facts import fact_steps
from xpubsub.step import Pipeline, Step, file_step

CORRELATE_PLANS = ("mmqjp-view", "mmqjp", "sequential")
"""Values in common are found once for all templates; for each template; or for each correlation, by itself."""


@dataclass(frozen=True)
class StoredTemplate:
    """A template of the store."""

    template_id: int
    template: Template
    fewest_pairs: int
    """How many different pairs of variables each of its correlations compares for equality at least."""

    @property
    def rounds(self) -> int:
        """How often kept messages are joined with one another, to reach all blocks from one."""
        return max(0, len(self.template.trees) - 2)

    @property
    def values(self) -> str:
        """The relation of values in common that is enough for it."""
        if self.rounds:
            return f"rvj_far_{self.rounds}"
        return f"rvj_from_{self.fewest_pairs}" if self.fewest_pairs > 1 else "rvj"


def standing_steps(templates: Sequence[StoredTemplate]) -> Pipeline:
    """What is the same for all batches until subscriptions change: what is asked for, and R_T of each template."""
    return (
        file_step("correlation_wanted", reused=True), file_step("edge_wanted", reused=True),
        file_step("pair_wanted", reused=True), file_step("variable_compared", reused=True),
        *(_Unit(stored, "mmqjp").members() for stored in templates),
    )


def witness_steps(levels: int) -> Pipeline:
    """Stage 1: what the messages of the batch bind, from path tuples and conditions."""
    return (
        *fact_steps(levels), file_step("edge_tuple", reused=True), file_step("variable_node", reused=True),
        file_step("variable_failed"), file_step("variable_holds"), file_step("variable_bad", reused=True),
        file_step("rbin_w", reused=True), file_step("rdoc_w", reused=True), file_step("rcopy_w", reused=True),
        file_step("rreturn_w", reused=True),
    )


_KEPT: Pipeline = (file_step("rdoc_dead"), file_step("rdoc_live", reused=True))
_SHARED: Pipeline = (
    file_step("rdoc_shared"), file_step("rl", reused=True), file_step("rr", reused=True),
    file_step("rvj", reused=True),
)
"""What all templates share: values in common between messages."""
_BASES: Pipeline = (
    file_step("rdoc_time", reused=True, kept="rdoc_live"), file_step("rbin_any", reused=True),
    file_step("rdoc_any", reused=True),
    Step("rlink", "select docid, var1, var2, node1, node2 from rbin_any", reused=True),
    Step("rvalue", "select docid, node, value, number from rdoc_any", reused=True),
)
"""The same where nothing is shared: all edges and values, kept and of the batch."""


_NOTHING = ("select cast(0 as bigint) as cid, cast([] as bigint[]) as docs, cast(0 as bigint) as last,"
            " cast(0 as double) as time, cast([] as integer[]) as nodes where false")


def _views(templates: Sequence[StoredTemplate]) -> Pipeline:
    """What all templates share: values in common, and the edges and times of the messages that have some.

    For correlations of more than two blocks kept messages are joined, too: those that the batch reaches, by rounds.
    Messages that have fewer values in common than a template asks for are left out for it.
    """
    far: list[Step] = []
    pairs, rounds = "rvj", max((stored.rounds for stored in templates), default=0)
    for number in range(1, rounds + 1):
        reached = f"rdoc_reached_{number}"
        far += [file_step(reached, file="rdoc_joined", reused=True, pairs=pairs),
                file_step(f"rvj_far_{number}", file="rvj_far", reused=True, before=pairs, reached=reached)]
        pairs = f"rvj_far_{number}"
    first = (file_step("pair_far", reused=True), file_step("rvalue_far", reused=True)) if rounds else ()
    fewest = sorted({stored.fewest_pairs for stored in templates if stored.values.startswith("rvj_from_")})
    some = (file_step(f"rvj_from_{pairs}", file="rvj_from", reused=True, fewest=str(pairs)) for pairs in fewest)
    return (*_SHARED, *first, *far, file_step("rdoc_joined", reused=True, pairs=pairs), file_step("rdoc_near"),
            file_step("rdoc_time", reused=True, kept="rdoc_near"), file_step("rlink", reused=True),
            file_step("rvalue", reused=True), *((file_step("rvj_shared", reused=True),) if fewest else ()), *some)


def chosen_plan(asked: str) -> str:
    """The plan for correlations among those asked for."""
    return named_plan(asked, CORRELATE_PLANS) or CORRELATE_PLANS[0]


def join_steps(
    templates: Sequence[StoredTemplate], places: int, plan: str, cids: Sequence[tuple[int, int]]
) -> Pipeline:
    """Stage 2: conjunctive queries for each template, or for each correlation (with its template) by itself."""
    by_id = {stored.template_id: stored for stored in templates}
    units = [_Unit(by_id[template_id], plan, cid) for template_id, cid in cids] if plan == "sequential" else [
        _Unit(stored, plan) for stored in templates]
    each = tuple(step for unit in units for step in unit.steps())
    found = " union all ".join(f"select cid, docs, last, time, nodes from {unit.found}" for unit in units)
    header = "-- One row: nodes of messages that fulfil a correlation."
    steps = [Step("rout_0", f"{header}\n{found or _NOTHING}", reused=True)]
    for place in range(1, places + 1):
        before = f"rout_{place - 1}"
        steps.append(file_step(f"rout_{place}", file="rout_step", reused=True, before=before, place=str(place)))
    views = _views(templates) if plan == "mmqjp-view" else _BASES
    return (*_KEPT, *views, *each, *steps, file_step("correlated", before=f"rout_{places}", reused=True))


OUTPUTS: Pipeline = (
    file_step("correlated_made", reused=True), file_step("part_base", reused=True), file_step("rcopy_joined"),
    file_step("rreturn_joined"), file_step("part_node"),
)
"""What the outputs are made of."""
TEXTS = file_step("correlated_text")
OUTPUT = file_step("correlation_output", reused=True)
NOTIFICATIONS = file_step("notification_correlation", reused=True)


@dataclass(frozen=True)
class _Unit:
    """What one conjunctive query answers: all correlations of a template, or one of them."""

    stored: StoredTemplate
    plan: str
    cid: int | None = None

    @property
    def name(self) -> str:
        return f"t{self.stored.template_id}" if self.cid is None else f"q{self.cid}"

    @property
    def found(self) -> str:
        return f"rout_{self.name}"

    def members(self) -> Step:
        """R_T: the correlations of the template, or one of them."""
        template = self.stored.template
        columns = [f"list_extract(q.vars, {place}) as var{place}" for place in range(1, template.size + 1)]
        for place in range(1, len(template.trees)):
            columns += [f"list_extract(q.windows, {place}) as wl{place}",
                        f"list_extract(q.followed, {place}) as followed{place}"]
        only = f"q.template_id = {self.stored.template_id}" + ("" if self.cid is None else f" and q.cid = {self.cid}")
        header = f"-- One row: a correlation of the template {template.text}."
        return Step(
            f"rt_{self.name}",
            f"{header}\nselect q.cid, {', '.join(columns)}\nfrom join_member as q\n"
            f"semi join correlation_wanted as c on c.cid = q.cid\nwhere {only}", reused=True)

    def steps(self) -> Iterator[Step]:
        """Values in common unless they are shared, and the conjunctive query; of one correlation R_T before them."""
        template, queries, values = self.stored.template, f"rt_{self.name}", self.stored.values
        if self.cid is not None:
            yield self.members()
        if self.plan != "mmqjp-view":
            values, kept = f"rvj_{self.name}", "true" if self.stored.rounds else "false"
            yield file_step(values, file="rvj_own", reused=True, queries=queries, kept=kept)
        yield Step(self.found, Conjunction(template, queries, values).sql(), ordered=True)
