"""Compiles correlations to rows: the edges of patterns, the join template, and the template of the output."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from xpubsub.compile.join_variables import PatternEdge, PatternVariables
from xpubsub.compile.row_types import (
    BrinfoRow,
    CorrelationRow,
    JoinEdgeRow,
    JoinHopRow,
    JoinPairRow,
    JoinPartRow,
    PathRow,
    VariableConditionRow,
    based_row,
    path_row,
)
from xpubsub.compile.shapes import ShapeTemplate, shape_template
from xpubsub.compile.transformations import copy_use, want_of
from xpubsub.ids import stable_id
from xpubsub.language.flwr.block_tree import ResultTemplate, result_template
from xpubsub.language.flwr.syntax import Content, Copy, Element, Name
from xpubsub.language.xpath.syntax import Path
from xpubsub.language.xscl.minor import above_compared, kept_blocks
from xpubsub.language.xscl.patterns import JoinPatterns, join_patterns
from xpubsub.language.xscl.syntax import Correlation
from xpubsub.language.xscl.templates import Template as JoinTemplate
from xpubsub.language.xscl.templates import join_graph, join_template_of
from xpubsub.limits import Limits
from xpubsub.match.uses import EXISTS, NUMBER, VALUE
from xpubsub.output.templates import returned_id

_ROOT = "root {}"
"""A variable name that no subscription can contain, for the root of a block."""


@dataclass(frozen=True)
class CorrelationRows:
    """All rows of one correlation."""

    correlation_id: int
    correlation: CorrelationRow
    edges: tuple[JoinEdgeRow, ...]
    pairs: tuple[JoinPairRow, ...]
    hops: tuple[JoinHopRow, ...]
    copied: tuple[int, ...]
    """The paths whose nodes the output copies."""
    parts: tuple[JoinPartRow, ...]
    variable_conditions: tuple[VariableConditionRow, ...]
    conditions: tuple[tuple[ShapeTemplate, int | None], ...]
    """The conditions as queries, each with the bits that must be set at its node."""
    linear_paths: tuple[PathRow, ...]
    brinfos: tuple[BrinfoRow, ...]


def correlation_rows(tree: Correlation, text: str, limits: Limits) -> CorrelationRows:
    """Return the rows of a parsed correlation."""
    return _Compiler(tree, text, limits).rows()


class _Compiler:
    def __init__(self, tree: Correlation, text: str, limits: Limits) -> None:
        self._tree = tree
        self._patterns = join_patterns(tree, text, limits)
        graph = join_graph(self._patterns, text, limits, above_compared(self._patterns))
        shown = kept_blocks(self._patterns, text, limits, self._patterns.outputs)
        self._variables = PatternVariables(graph.blocks, shown, graph.joins, text, limits)
        self._use = join_template_of(graph, self._variables.join_ids)
        self._found = self._variables.hops_to(self._use.nodes, self._patterns.outputs)
        self._template = replace(self._use.template, needed=self._found.needed)
        self._edges = self._variables.edges(self._found)
        self._result = self._made(text, limits)

    def _made(self, text: str, limits: Limits) -> ResultTemplate:
        """Return the template of the output over the nodes that it mentions."""
        places = {number: place for place, number in enumerate(self._patterns.outputs, start=1)}
        names = dict(self._patterns.variables)
        names.update({_ROOT.format(number): number for number in places})
        bound = {name: (self._variables.hops[number], places[number]) for name, number in names.items()
                 if number in places}
        return result_template(self._tree.result or _default(self._patterns), bound, text, limits)

    def rows(self) -> CorrelationRows:
        row = self._row()
        return CorrelationRows(
            stable_id("correlation", row.canonical), row,
            edges=tuple(_edge_row(edge) for edge in self._edges), pairs=self._variables.pairs, hops=self._found.rows,
            copied=tuple(map(stable_id, self._result.copied)), parts=tuple(_parts(self._result.nodes)),
            variable_conditions=self._variables.conditions,
            conditions=tuple((shape_template([each]), want_of(each)) for each in self._variables.queries),
            linear_paths=tuple(self._paths()), brinfos=tuple(self._brinfos()))

    def _row(self) -> CorrelationRow:
        operators, outputs = self._patterns.operators, self._patterns.outputs
        template = json.dumps([json.dumps(["s", self._result.nodes], ensure_ascii=False, separators=(",", ":"))])
        windows = [each.window for each in operators]
        row = CorrelationRow(
            canonical="", join_template_id=self._template.template_id, join_template=_dumped(self._template),
            vars=self._variables.joined(self._use.nodes), windows=windows,
            followed=[each.kind == "followed by" for each in operators], reach=sum(windows),
            mentioned=[self._found.places[number] for number in outputs],
            blocks=[self._variables.block[number] for number in outputs], publish=self._tree.publish,
            template_id=stable_id("template", template), template=template)
        return row._replace(canonical=self._canonical(row))

    def _canonical(self, row: CorrelationRow) -> str:
        """Return a text that is the same for all correlations with the same meaning."""
        query = row.vars, row.windows, row.followed, row.reach
        output = row.mentioned, row.blocks, row.publish
        joined = self._edges, self._variables.pairs, self._found.rows
        return json.dumps([self._template.text, query, *joined, output, row.template])

    def _paths(self) -> Iterator[PathRow]:
        uses = dict.fromkeys((edge.linear_path for edge in self._edges), EXISTS)
        for edge in self._edges:
            uses[edge.linear_path] |= (VALUE if edge.var2 in self._variables.compared else 0) | (
                NUMBER if edge.var2 in self._variables.ordered else 0)
        for path in self._result.copied:
            uses[path] = uses.get(path, EXISTS) | copy_use(path)
        yield from (path_row(path, use) for path, use in uses.items())

    def _brinfos(self) -> Iterator[BrinfoRow]:
        based = dict.fromkeys([*((edge.linear_path, edge.base) for edge in self._edges), *self._result.returned])
        yield from (based_row(path, base) for path, base in based)


def _edge_row(edge: PatternEdge) -> JoinEdgeRow:
    path_id, brinfo_id = stable_id(edge.linear_path), returned_id(edge.linear_path, edge.base)
    return JoinEdgeRow(edge.stream, edge.var1, edge.var2, path_id, brinfo_id)


def _dumped(template: JoinTemplate) -> str:
    edges = [[edge.op, edge.left, edge.right] for edge in template.edges]
    return json.dumps([template.trees, edges, template.needed])


def _default(patterns: JoinPatterns) -> Content:
    """Return the default output: copies of the blocks' roots inside `<match>`, or the root of a single block."""
    copies = tuple(Copy(Path(False, (), variable=_ROOT.format(block.root))) for block in patterns.blocks)
    return Element(Name("match"), content=copies) if len(copies) > 1 else copies[0]


def _parts(nodes: object) -> Iterator[JoinPartRow]:
    """Yield what a template copies."""
    found: dict[JoinPartRow, None] = {}
    waiting = [nodes]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, list):
            continue
        if node and node[0] in ("v", "va"):
            found[JoinPartRow(node[1], None, None)] = None
        elif node and node[0] in ("r", "ra"):
            found[JoinPartRow(node[3], stable_id(node[1]), returned_id(node[1], node[2]))] = None
        else:
            waiting += node
    yield from found
