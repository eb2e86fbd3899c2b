"""Compiles the tree of a transformation to blocks, steps, conditions and a template."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from xpubsub.language.flwr.block_chains import BoundVariable, Chain, Collected, TemplatePlace, node_kind, plain
from xpubsub.language.flwr.blocks import BlockTree, TemplateNode
from xpubsub.language.flwr.syntax import Binding, Content, Copy, Element, Flwr, Sequence, Text, Transformation
from xpubsub.language.flwr.tags import escaped_text
from xpubsub.language.xpath.branches import linear_path
from xpubsub.language.xpath.normal import TRUE, Disjunction, Hop, Item, Normalizer
from xpubsub.language.xpath.syntax import Path
from xpubsub.limits import Limits


def block_tree(tree: Transformation, text: str, limits: Limits) -> BlockTree:
    """Compile a transformation."""
    return _Compiler(text, limits).tree(tree)


@dataclass(frozen=True)
class ResultTemplate:
    """A result without blocks, as a template."""

    nodes: list[TemplateNode]
    copied: frozenset[str]
    """The linear paths whose nodes are copied."""
    returned: tuple[tuple[str, int], ...]
    """The paths that are copied: (linear path, step at which the base stands)."""


def result_template(
    result: Content, variables: Mapping[str, tuple[tuple[Hop, ...], int]], text: str, limits: Limits
) -> ResultTemplate:
    """Compile a result alone, given for each variable the hops to its node, and its place in the tuple."""
    return _Compiler(text, limits).result(result, {name: BoundVariable(*each) for name, each in variables.items()})


class Blocks:
    """Compiles blocks one by one, and collects their steps."""

    def __init__(self, text: str, limits: Limits) -> None:
        self.normal = Normalizer(text, limits)
        self.found = Collected(text, limits)
        self._blocks = 0

    def block(self, bindings: tuple[Binding, ...], where: Disjunction, place: TemplatePlace) -> TemplatePlace | None:
        """Compile the chains of a block; returns the place inside it, None if it can never bind anything."""
        paths = [self.normal.selected(binding.path) for binding in bindings]
        ways = self.normal.product([where, *paths])
        if not ways:
            return None
        self._blocks += 1
        inner = replace(place, block=self._blocks, depth=place.depth + 1)
        if len(ways) > 1:
            self.found.repeats.append((self._blocks, None, 0))
        for condition, *selected in ways:
            chain = Chain(self.found, place, self._blocks)
            inner = chain.bind(bindings, selected, condition, inner)
        return inner


class _Compiler:
    def __init__(self, text: str, limits: Limits) -> None:
        self._blocks = Blocks(text, limits)
        self._normal = self._blocks.normal
        self._outermost: set[int] = set()
        self._copied: set[str] = set()
        self._returned: dict[tuple[str, int], None] = {}

    def tree(self, tree: Transformation) -> BlockTree:
        template: TemplateNode = ["s", self._content(tree.result, TemplatePlace())]
        found = self._blocks.found
        return BlockTree(
            tuple(found.steps), tuple(found.conditions), template, frozenset(self._outermost), frozenset(self._copied),
            tuple(self._returned), tuple(found.repeats))

    def result(self, result: Content, variables: dict[str, BoundVariable]) -> ResultTemplate:
        nodes = self._content(result, TemplatePlace(1, 1, len(variables), variables))
        return ResultTemplate(nodes, frozenset(self._copied), tuple(self._returned))

    def _content(self, content: Content, place: TemplatePlace) -> list[TemplateNode]:
        match content:
            case Text(value):
                return [["t", escaped_text(value)]]
            case Sequence(parts):
                return [node for part in parts for node in self._content(part, place)]
            case Element():
                return [self._element(content, place)]
            case Copy(path):
                return self._copy(path, place)
            case Flwr():
                return self._flwr(content, place)

    def _flwr(self, flwr: Flwr, place: TemplatePlace) -> list[TemplateNode]:
        """Return a block; nothing if it can never bind anything."""
        conditions = TRUE if flwr.where is None else self._normal.boolean(flwr.where)
        inner = self._blocks.block(flwr.bindings, conditions, place)
        if inner is None:
            return []
        if not place.block:
            self._outermost.add(inner.block)
        return [["f", inner.block, len(flwr.bindings), self._content(flwr.result, inner)]]

    def _element(self, element: Element, place: TemplatePlace) -> TemplateNode:
        opening, closing, tags = place.tags.element(element)
        inside = replace(place, tags=tags)
        nodes = [node for part in element.content for node in self._content(part, inside)]
        attributes = [node for node in nodes if node[0] in ("a", "va", "ra")]
        return ["e", opening, closing, attributes, nodes[len(attributes) :]]

    def _copy(self, path: Path, place: TemplatePlace) -> list[TemplateNode]:
        """Return a variable's own node, or a block for the nodes of a path."""
        if path.variable is not None and not path.steps:
            bound = place.variables[path.variable]
            self._copied.add(linear_path(bound.hops))
            return [["va" if node_kind(bound.hops) == "attribute" else "v", bound.at, place.tags.has_default]]
        ways = self._normal.selected(path)
        if _plain_path(ways):
            return [self._returned_path(ways[0][0], place)]
        inner = self._blocks.block((Binding("", path),), TRUE, place)
        if inner is None:
            return []
        hops = inner.variables[""].hops
        self._copied.add(linear_path(hops))
        return [["a" if node_kind(hops) == "attribute" else "p", inner.block, place.tags.has_default]]

    def _returned_path(self, item: Item, place: TemplatePlace) -> TemplateNode:
        """Return a path without predicates: what it copies depends only on its base."""
        base = place.variables[item.variable] if item.variable is not None else BoundVariable((), 0)
        hops = (*base.hops, *plain(item.hops))
        path, base_position = linear_path(hops), len(base.hops) if base.at else 0
        self._copied.add(path)
        self._returned[path, base_position] = None
        kind = "ra" if node_kind(hops) == "attribute" else "r"
        return [kind, path, base_position, base.at, place.tags.has_default]


def _plain_path(ways: Disjunction) -> bool:
    """Whether a path has steps, and no predicates."""
    if len(ways) != 1 or len(ways[0]) != 1:
        return False
    [item] = ways[0]
    return bool(item.hops) and not any(hop.conditions for hop in item.hops)
