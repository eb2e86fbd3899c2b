"""Correlations (Hong 2007): witnesses of the batch, values in common, one conjunctive query for each template."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xpubsub.language.join_templates import Edge, Template
from xpubsub.plan.choose import named_plan
from xpubsub.plan.facts import fact_steps
from xpubsub.step import Pipeline, Step, file_step

CORRELATE_PLANS = ("mmqjp-view", "mmqjp", "sequential")
"""Values in common are found once for all templates; for each template; or for each correlation, by itself."""
_COMPARE = {"!=": "{left}.value <> {right}.value"}
"""Residual comparisons by operator; the others compare numbers."""


@dataclass(frozen=True)
class StoredTemplate:
    """A template of the store."""

    template_id: int
    template: Template


def witness_steps(levels: int) -> Pipeline:
    """Stage 1: what the messages of the batch bind, from path tuples and conditions."""
    return (
        file_step("correlation_wanted", reused=True), file_step("edge_wanted", reused=True),
        file_step("pair_wanted", reused=True), file_step("variable_compared"), *fact_steps(levels),
        file_step("edge_tuple", reused=True), file_step("variable_node", reused=True), file_step("variable_failed"),
        file_step("variable_holds"), file_step("variable_bad", reused=True), file_step("rbin_w", reused=True),
        file_step("rdoc_w", reused=True), file_step("rcopy_w", reused=True), file_step("rreturn_w", reused=True),
    )


_KEPT: Pipeline = (
    file_step("rdoc_dead"), file_step("rdoc_live", reused=True), file_step("rdoc_time", reused=True),
)
_VIEWS: Pipeline = (
    file_step("rdoc_shared"), file_step("rl", reused=True), file_step("rr", reused=True),
    file_step("rvj", reused=True), file_step("rdoc_joined", reused=True), file_step("rlink", reused=True),
    file_step("rvalue", reused=True),
)
"""What all templates share: values in common between messages, and the edges of those messages."""
_BASES: Pipeline = (
    file_step("rbin_any", reused=True), file_step("rdoc_any", reused=True),
    Step("rlink", "select docid, var1, var2, node1, node2 from rbin_any", reused=True),
    Step("rvalue", "select docid, node, value, number from rdoc_any", reused=True),
)
"""The same where nothing is shared: all edges and values, kept and of the batch."""


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
    found = " union all ".join(f"select cid, doc_left, doc_right, nodes from {unit.found}" for unit in units)
    nothing = ("select cast(0 as bigint) as cid, cast(0 as bigint) as doc_left, cast(0 as bigint) as doc_right,"
               " cast([] as integer[]) as nodes where false")
    header = "-- One row: nodes of two messages that fulfil a correlation."
    steps = [Step("rout_0", f"{header}\n{found or nothing}", reused=True)]
    for place in range(1, places + 1):
        before = f"rout_{place - 1}"
        steps.append(file_step(f"rout_{place}", file="rout_step", reused=True, before=before, place=str(place)))
    views = _VIEWS if plan == "mmqjp-view" else _BASES
    return (*_KEPT, *views, *each, *steps, file_step("correlated", before=f"rout_{places}", reused=True))


OUTPUTS: Pipeline = (
    file_step("correlated_made", reused=True), file_step("rcopy_joined"), file_step("rreturn_joined"),
    file_step("part_base", reused=True), file_step("part_node"),
)
"""What the outputs are made of."""
TEXTS = file_step("correlated_text")


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

    def steps(self) -> Iterator[Step]:
        """R_T of the template, values in common unless they are shared, and the conjunctive query."""
        template, queries = self.stored.template, f"rt_{self.name}"
        variables = ", ".join(f"list_extract(q.vars, {place}) as var{place}" for place in range(1, template.size + 1))
        only = f"q.template_id = {self.stored.template_id}" + ("" if self.cid is None else f" and q.cid = {self.cid}")
        header = f"-- One row: a correlation of the template {template.text}."
        yield Step(
            queries,
            f"{header}\nselect q.cid, {variables}, q.wl, q.followed\nfrom join_query as q\n"
            f"semi join correlation_wanted as c on c.cid = q.cid\nwhere {only}", reused=True)
        values = "rvj"
        if self.plan != "mmqjp-view":
            values = f"rvj_{self.name}"
            yield file_step(values, file="rvj_own", reused=True, queries=queries)
        yield Step(self.found, _Conjunction(template, queries, values).sql())


class _Conjunction:
    """The conjunctive query of a template, over values in common and edges."""

    def __init__(self, template: Template, queries: str, values: str) -> None:
        self._template = template
        self._queries = queries
        self._values = values
        self._node: dict[int, str] = {}
        """By meta-variable: the expression of its node."""
        self._joins: list[str] = []

    def sql(self) -> str:
        template = self._template
        if not template.edges:
            return self._alone()
        equal = [edge for edge in template.edges if edge.op == "="]
        for number, edge in enumerate(equal, start=1):
            self._value_join(f"e{number}", edge, first=number == 1)
        starts = 1
        for side, parents in enumerate(self._template.trees):
            self._structure(starts, parents, "doc_right" if side == len(self._template.trees) - 1 else "doc_left")
            starts += len(parents)
        self._times()
        residual = [self._residual(number, edge) for number, edge in enumerate(template.edges) if edge.op != "="]
        nodes = ", ".join(self._node[place] for place in range(1, template.size + 1))
        window = ("case when t.followed then r.time > l.time and r.time - l.time <= t.wl"
                  " else abs(r.time - l.time) <= t.wl end")
        joins, where = "\n".join(self._joins), " and ".join([window, *residual])
        return (f"-- One row: nodes of two messages that fulfil a correlation of the template {template.text}.\n"
                f"select t.cid, e1.doc_left, e1.doc_right, [{nodes}] as nodes\n"
                f"from {self._queries} as t\n{joins}\nwhere {where}")

    def _alone(self) -> str:
        """Of one block there is nothing to join: its nodes in the messages of the batch."""
        template = self._template
        self._joins.append("join rbin_w as e1 on e1.var1 = 0 and e1.var2 = t.var1")
        self._node[1] = "e1.node2"
        self._structure(1, self._template.trees[0], "docid", "rbin_w")
        nodes = ", ".join(self._node[place] for place in range(1, template.size + 1))
        return (f"-- One row: nodes of a message that fulfil a correlation of the template {template.text}.\n"
                f"select t.cid, e1.docid as doc_left, e1.docid as doc_right, [{nodes}] as nodes\n"
                f"from {self._queries} as t\n" + "\n".join(self._joins))

    def _value_join(self, name: str, edge: Edge, *, first: bool) -> None:
        on = [f"{name}.var_left = t.var{edge.left}", f"{name}.var_right = t.var{edge.right}"]
        if not first:
            on += [f"{name}.doc_left = e1.doc_left", f"{name}.doc_right = e1.doc_right"]
        on += self._same(edge.left, f"{name}.node_left") + self._same(edge.right, f"{name}.node_right")
        self._joins.append(f"join {self._values} as {name} on {' and '.join(on)}")

    def _same(self, place: int, expression: str) -> list[str]:
        """A node that is known must be the same; one that is not is known from now on."""
        if place in self._node:
            return [f"{expression} = {self._node[place]}"]
        self._node[place] = expression
        return []

    def _structure(self, start: int, parents: Sequence[int], doc: str, edges: str = "rlink") -> None:
        """The edges of a tree, from its leaves up: a node is known before its parent is."""
        for offset in range(len(parents) - 1, -1, -1):
            parent, child = parents[offset], start + offset
            if not parent:
                continue
            name = f"s{child}"
            on = [f"{name}.docid = e1.{doc}", f"{name}.var1 = t.var{parent}", f"{name}.var2 = t.var{child}"]
            on += self._same(child, f"{name}.node2") + self._same(parent, f"{name}.node1")
            self._joins.append(f"join {edges} as {name} on {' and '.join(on)}")

    def _times(self) -> None:
        self._joins.append("join rdoc_time as l on l.docid = e1.doc_left")
        self._joins.append("join rdoc_time as r on r.docid = e1.doc_right")

    def _residual(self, number: int, edge: Edge) -> str:
        left, right = f"v{number}", f"w{number}"
        for name, doc, place in ((left, "doc_left", edge.left), (right, "doc_right", edge.right)):
            on = f"{name}.docid = e1.{doc} and {name}.node = {self._node[place]}"
            self._joins.append(f"join rvalue as {name} on {on}")
        compare = _COMPARE.get(edge.op, f"{{left}}.number {edge.op} {{right}}.number")
        return compare.format(left=left, right=right)
