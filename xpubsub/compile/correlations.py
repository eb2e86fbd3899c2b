"""Compiles correlations to rows: the edges of patterns, the join template, and the template of the output."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from xpubsub.compile.join_variables import PatternVariables, Row
from xpubsub.compile.shapes import Template, template_of
from xpubsub.compile.transformations import copy_use, want_of
from xpubsub.ids import stable_id
from xpubsub.language.flwr.block_tree import ResultTemplate, result_template
from xpubsub.language.flwr.syntax import Content, Copy, Element, Name
from xpubsub.language.xpath.syntax import Path
from xpubsub.language.xscl.minor import above_compared, kept_blocks
from xpubsub.language.xscl.patterns import JoinPatterns, join_patterns
from xpubsub.language.xscl.syntax import Correlation
from xpubsub.language.xscl.templates import Template as JoinTemplate
from xpubsub.language.xscl.templates import join_graph
from xpubsub.language.xscl.templates import template_of as join_template_of
from xpubsub.limits import Limits
from xpubsub.match.linear_paths import pieces
from xpubsub.match.uses import EXISTS, NUMBER, VALUE
from xpubsub.output.templates import brinfo_of, returned_id

_ROOT = "root {}"
"""A variable name that no subscription can contain, for the root of a block."""


@dataclass(frozen=True)
class CorrelationRows:
    """All rows of one correlation, without the correlation's id."""

    correlation_id: int
    canonical: str
    template: tuple[int, str]
    query: Row
    """(variables, window of each operator, whether each is FOLLOWED BY, greatest distance of messages in time)."""
    edges: tuple[Row, ...]
    pairs: tuple[Row, ...]
    hops: tuple[Row, ...]
    output: Row
    """(places mentioned in the output, the block of each, the stream to publish to)."""
    made_by: tuple[int, str]
    """The template of the output."""
    copied: tuple[int, ...]
    """The paths whose nodes the output copies."""
    parts: tuple[Row, ...]
    variable_conditions: tuple[Row, ...]
    conditions: tuple[tuple[Template, int | None], ...]
    linear_paths: tuple[Row, ...]
    brinfos: tuple[Row, ...]


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
        template = json.dumps([json.dumps(["s", self._result.nodes], ensure_ascii=False, separators=(",", ":"))])
        made_by = stable_id("template", template), template
        join_template = self._template
        windows = [each.window for each in self._patterns.operators]
        followed = [each.kind == "followed by" for each in self._patterns.operators]
        query = self._variables.joined(self._use.nodes), windows, followed, sum(windows)
        mentioned = [self._found.places[number] for number in self._patterns.outputs]
        output = mentioned, [self._variables.block[number] for number in self._patterns.outputs], self._tree.publish
        edges, pairs = self._variables.edges(self._found), self._variables.pairs
        canonical = json.dumps([join_template.text, query, edges, pairs, self._found.rows, output, template])
        based = tuple((*each, stable_id(path), returned_id(path, base)) for *each, path, base in edges)
        return CorrelationRows(
            stable_id("correlation", canonical), canonical, (join_template.template_id, _dumped(join_template)), query,
            based, pairs, self._found.rows, output, made_by, tuple(map(stable_id, self._result.copied)),
            tuple(_parts(self._result.nodes)),
            self._variables.conditions, tuple((template_of([each]), want_of(each)) for each in self._variables.queries),
            tuple(self._paths(edges)), tuple(self._brinfos(edges)))

    def _paths(self, edges: tuple[tuple[str, int, int, str, int], ...]) -> Iterator[Row]:
        uses = dict.fromkeys((path for *_, path, _ in edges), EXISTS)
        for *_, var2, path, _ in edges:
            uses[path] |= (VALUE if var2 in self._variables.compared else 0) | (
                NUMBER if var2 in self._variables.ordered else 0)
        for path in self._result.copied:
            uses[path] = uses.get(path, EXISTS) | copy_use(path)
        yield from ((path, stable_id(path), *pieces(path), use) for path, use in uses.items())

    def _brinfos(self, edges: tuple[tuple[str, int, int, str, int], ...]) -> Iterator[Row]:
        based = dict.fromkeys([*((path, base) for *_, path, base in edges), *self._result.returned])
        yield from ((path, stable_id(path), brinfo_of(base), returned_id(path, base)) for path, base in based)


def _dumped(template: JoinTemplate) -> str:
    edges = [[edge.op, edge.left, edge.right] for edge in template.edges]
    return json.dumps([template.trees, edges, template.needed])


def _default(patterns: JoinPatterns) -> Content:
    """Return the default output: copies of the blocks' roots inside `<match>`, or the root of a single block."""
    copies = tuple(Copy(Path(False, (), variable=_ROOT.format(block.root))) for block in patterns.blocks)
    return Element(Name("match"), content=copies) if len(copies) > 1 else copies[0]


def _parts(nodes: object) -> Iterator[Row]:
    """Yield what a template copies: (place, id of the path or None, id of the path with its base)."""
    found: dict[Row, None] = {}
    waiting = [nodes]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, list):
            continue
        if node and node[0] in ("v", "va"):
            found[node[1], None, None] = None
        elif node and node[0] in ("r", "ra"):
            found[node[3], stable_id(node[1]), returned_id(node[1], node[2])] = None
        else:
            waiting += node
    yield from found
