"""Correlations (Hong 2007): witnesses of the batch, values in common, one conjunctive query for each template."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xpubsub.language.join_templates import Edge, Template
from xpubsub.step import Pipeline, Step, file_step

VIEW_PLANS = ("mmqjp-view", "mmqjp", "sequential")
_COMPARE = {"!=": "{left}.value <> {right}.value"}
"""Residual comparisons by operator; the others compare numbers."""


@dataclass(frozen=True)
class StoredTemplate:
    """A template of the store."""

    template_id: int
    template: Template


def witness_steps(levels: int) -> Pipeline:
    """Stage 1: what the messages of the batch bind, from path tuples and conditions."""
    positions = () if levels else (file_step("tagpath_position"),)
    about_nodes = (file_step("message_fact"), file_step("fact", reused=True))
    facts = about_nodes if levels > 1 else (file_step("fact", file="message_fact", reused=True),)
    return (
        file_step("correlation_wanted", reused=True), file_step("edge_wanted", reused=True),
        file_step("pair_wanted", reused=True), file_step("variable_compared"), *positions, *facts,
        file_step("edge_tuple", reused=True), file_step("variable_node", reused=True), file_step("variable_failed"),
        file_step("variable_holds"), file_step("variable_bad", reused=True), file_step("rbin_w", reused=True),
        file_step("rdoc_w", reused=True), file_step("rcopy_w", reused=True), file_step("rreturn_w", reused=True),
    )


SHARED: Pipeline = (
    file_step("rdoc_dead"), file_step("rdoc_live", reused=True), file_step("rdoc_time", reused=True),
    file_step("rdoc_shared"), file_step("rl", reused=True), file_step("rr", reused=True),
    file_step("rvj", reused=True), file_step("rdoc_joined", reused=True), file_step("rlink", reused=True),
    file_step("rvalue", reused=True),
)
"""Stage 2, what all templates share: values in common between messages, and the edges of those messages."""


def join_steps(templates: Sequence[StoredTemplate], places: int) -> Pipeline:
    """Stage 2: a conjunctive query for each template, then the nodes that outputs mention."""
    each = tuple(step for stored in templates for step in _template(stored))
    found = " union all ".join(f"select cid, doc_left, doc_right, nodes from {_rout(stored)}" for stored in templates)
    steps = [Step("rout_0", f"-- One row: nodes of two messages that fulfil a correlation.\n{found}", reused=True)]
    for place in range(1, places + 1):
        before = f"rout_{place - 1}"
        steps.append(file_step(f"rout_{place}", file="rout_step", reused=True, before=before, place=str(place)))
    return (*each, *steps, file_step("correlated", before=f"rout_{places}", reused=True))


OUTPUTS: Pipeline = (
    file_step("correlated_made", reused=True), file_step("rcopy_joined"), file_step("rreturn_joined"),
    file_step("part_base", reused=True), file_step("part_node"),
)
"""What the outputs are made of."""
TEXTS = file_step("correlated_text")


def _rout(stored: StoredTemplate) -> str:
    return f"rout_t{stored.template_id}"


def _template(stored: StoredTemplate) -> Iterator[Step]:
    """R_T of a template, and its conjunctive query."""
    number, size = stored.template_id, stored.template.size
    variables = ", ".join(f"list_extract(q.vars, {place}) as var{place}" for place in range(1, size + 1))
    header = f"-- One row: a correlation of the template {stored.template.text}."
    yield Step(
        f"rt_{number}",
        f"{header}\nselect q.cid, {variables}, q.wl, q.followed\nfrom join_query as q\n"
        f"semi join correlation_wanted as c on c.cid = q.cid\nwhere q.template_id = {number}")
    yield Step(_rout(stored), _Conjunction(stored).sql())


class _Conjunction:
    """The conjunctive query of a template, over values in common and edges."""

    def __init__(self, stored: StoredTemplate) -> None:
        self._stored = stored
        self._trees = stored.template.trees
        self._node: dict[int, str] = {}
        """By meta-variable: the expression of its node."""
        self._joins: list[str] = []

    def sql(self) -> str:
        template = self._stored.template
        if not template.edges:
            return self._alone()
        equal = [edge for edge in template.edges if edge.op == "="]
        for number, edge in enumerate(equal, start=1):
            self._value_join(f"e{number}", edge, first=number == 1)
        starts = 1
        for side, parents in enumerate(self._trees):
            self._structure(starts, parents, "doc_right" if side == len(self._trees) - 1 else "doc_left")
            starts += len(parents)
        self._times()
        residual = [self._residual(number, edge) for number, edge in enumerate(template.edges) if edge.op != "="]
        nodes = ", ".join(self._node[place] for place in range(1, template.size + 1))
        window = ("case when t.followed then r.time > l.time and r.time - l.time <= t.wl"
                  " else abs(r.time - l.time) <= t.wl end")
        joins, where = "\n".join(self._joins), " and ".join([window, *residual])
        return (f"-- One row: nodes of two messages that fulfil a correlation of the template {template.text}.\n"
                f"select t.cid, e1.doc_left, e1.doc_right, [{nodes}] as nodes\n"
                f"from rt_{self._stored.template_id} as t\n{joins}\nwhere {where}")

    def _alone(self) -> str:
        """Of one block there is nothing to join: its nodes in the messages of the batch."""
        template = self._stored.template
        self._joins.append("join rbin_w as e1 on e1.var1 = 0 and e1.var2 = t.var1")
        self._node[1] = "e1.node2"
        self._structure(1, self._trees[0], "docid", "rbin_w")
        nodes = ", ".join(self._node[place] for place in range(1, template.size + 1))
        return (f"-- One row: nodes of a message that fulfil a correlation of the template {template.text}.\n"
                f"select t.cid, e1.docid as doc_left, e1.docid as doc_right, [{nodes}] as nodes\n"
                f"from rt_{self._stored.template_id} as t\n" + "\n".join(self._joins))

    def _value_join(self, name: str, edge: Edge, *, first: bool) -> None:
        on = [f"{name}.var_left = t.var{edge.left}", f"{name}.var_right = t.var{edge.right}"]
        if not first:
            on += [f"{name}.doc_left = e1.doc_left", f"{name}.doc_right = e1.doc_right"]
        on += self._same(edge.left, f"{name}.node_left") + self._same(edge.right, f"{name}.node_right")
        self._joins.append(f"join rvj as {name} on {' and '.join(on)}")

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
