"""Relations that all join templates share (Hong 2007, section 5): R_T, shared values, edges and times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xpubsub.language.xscl.templates import Template
from xpubsub.step import Pipeline, Step, file_step

_NO_PAIR = "select cast(0 as bigint) as var_left, cast(0 as bigint) as var_right where false"
_NO_PAIR_UP = ("select cast(0 as bigint) as var_left, cast(0 as bigint) as var_right, cast(0 as bigint) as up_left,"
               " cast(0 as bigint) as up_right where false")


@dataclass(frozen=True)
class StoredTemplate:
    """A join template in the store."""

    template_id: int
    template: Template
    fewest_pairs: int
    """The least number of variable pairs that one of its correlations compares for equality."""

    @property
    def rounds(self) -> int:
        """How often kept messages are joined with one another, to reach all blocks from one message."""
        return max(0, len(self.template.trees) - 2)

    @property
    def values(self) -> tuple[str, str]:
        """The relations of shared values that the template reads: between nodes, and between the nodes above them."""
        if self.rounds:
            return f"value_pair_far_{self.rounds}", ""
        if self.fewest_pairs > 1:
            return f"value_pair_enough_{self.fewest_pairs}", f"value_pair_enough_above_{self.fewest_pairs}"
        return "value_pair", "value_pair_above"

    def members(self, correlation_id: int | None = None) -> Step:
        """Return the step to R_T: the correlations of the template, or one of them."""
        columns = [f"list_extract(q.vars, {place}) as var{place}" for place in range(1, self.template.size + 1)]
        for place in range(1, len(self.template.trees)):
            columns += [f"list_extract(q.windows, {place}) as wl{place}",
                        f"list_extract(q.followed, {place}) as followed{place}"]
        only = f"q.template_id = {self.template_id}"
        if correlation_id is not None:
            only += f" and q.correlation_id = {correlation_id}"
        return Step(
            f"rt_t{self.template_id}" if correlation_id is None else f"rt_q{correlation_id}",
            f"-- One row: a correlation of the template {self.template.text}.\n"
            f"select q.correlation_id, {', '.join(columns)}\nfrom join_member as q\n"
            f"semi join correlation_wanted as c on c.correlation_id = q.correlation_id\nwhere {only}", reused=True)

    def pairs(self, *, up: bool) -> Iterator[str]:
        """Yield queries for the variable pairs of its equalities, with or without the variables above them."""
        for edge in self.template.edges:
            if edge.op == "=" and (edge in self.template.lifted) == up:
                ends = {"left": edge.left, "right": edge.right}
                shown = [f"var{number} as var_{side}" for side, number in ends.items()]
                shown += [f"var{self.template.parent(number)} as up_{side}" for side, number in ends.items() if up]
                yield f"select {', '.join(shown)} from rt_t{self.template_id}"


WANTED: Pipeline = (
    file_step("correlation_wanted", reused=True), file_step("edge_wanted", reused=True),
    file_step("pair_wanted", reused=True), file_step("variable_compared", reused=True),
)
"""The steps that only depend on subscriptions, and that stage 1 reads."""


def standing_steps(templates: Sequence[StoredTemplate]) -> Pipeline:
    """Return the steps that only depend on subscriptions: the wanted edges and pairs, and R_T of each template."""
    plain = " union ".join(query for stored in templates for query in stored.pairs(up=False))
    up = " union ".join(query for stored in templates for query in stored.pairs(up=True))
    return (
        *WANTED,
        *(stored.members() for stored in templates),
        Step("pair_plain", f"-- One row: two variables that are compared.\nselect distinct var_left, var_right from"
             f" ({plain or _NO_PAIR}) as p", reused=True),
        Step("pair_up", "-- One row: two compared variables, and those above, whose nodes are joined.\nselect distinct"
             f" var_left, up_left, var_right, up_right from ({up or _NO_PAIR_UP}) as p", reused=True),
    )


def view_steps(templates: Sequence[StoredTemplate]) -> Pipeline:
    """Return the steps to shared values, and to the edges and times of the messages that share them.

    For correlations of more than two blocks, kept messages that the batch reaches are also joined with one another,
    round by round. A template skips messages that share values for fewer variable pairs than it compares.
    """
    rounds = max((stored.rounds for stored in templates), default=0)
    pairs = f"value_pair_far_{rounds}" if rounds else "value_pair"
    return (
        file_step("shared_value"), file_step("rl", reused=True), file_step("rr", reused=True),
        file_step("value_pair", reused=True), file_step("value_pair_above", reused=True), *_far(rounds),
        file_step("joined_message", reused=True, tables={"value_pair": pairs}), file_step("near_message"),
        file_step("message_time", reused=True, tables={"kept_message": "near_message"}),
        file_step("joined_edge", reused=True),
        file_step("joined_value", reused=True), *_enough(templates),
    )


def _far(rounds: int) -> Iterator[Step]:
    """Yield the steps to values shared between kept messages, round by round."""
    if rounds:
        yield from (file_step("pair_far", reused=True), file_step("far_value", reused=True))
    for number in range(1, rounds + 1):
        before, reached = f"value_pair_far_{number - 1}" if number > 1 else "value_pair", f"reached_message_{number}"
        yield file_step("reached_message", suffix=f"_{number}", reused=True, tables={"value_pair": before})
        tables = {"value_pair": before, "reached_message": reached}
        yield file_step("value_pair_far", suffix=f"_{number}", reused=True, tables=tables)


def _enough(templates: Sequence[StoredTemplate]) -> Iterator[Step]:
    """Yield the steps to shared values of messages that share enough, for each number that a template needs."""
    fewest = sorted({stored.fewest_pairs for stored in templates if not stored.rounds and stored.fewest_pairs > 1})
    if fewest:
        yield file_step("value_pair_count", reused=True)
    for number in fewest:
        above = {"value_pair": "value_pair_above"}
        yield file_step("value_pair_enough", suffix=f"_{number}", reused=True, fewest=str(number))
        yield file_step("value_pair_enough", suffix=f"_above_{number}", reused=True, tables=above, fewest=str(number))
