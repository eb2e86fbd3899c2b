"""Blocks: a transformation as variables to be bound one after the other, conditions on their nodes, and a template.

A *block* is a `for`, or a path whose nodes are copied. It binds its variables to nodes step by step, each step a linear
path from the document with its base, an earlier node, marked on it; a step of a path that has predicates is a *hidden*
variable, bound on the way and then forgotten. With `or` a block has several chains of steps: whatever comes out of one
of them is bound. The template says what is made of the nodes that are bound.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from xpubsub.language.branches import Query, condition_query, linear_path
from xpubsub.language.flwr_syntax import Binding, Content, Copy, Element, Flwr, Sequence, Text, Transformation
from xpubsub.language.normal import TRUE, Conjunction, Hop, Item, Normalizer
from xpubsub.language.syntax import NodeKind, Path
from xpubsub.language.tags import Tags, escaped_text
from xpubsub.limits import Limits

DOCUMENT_NODE, BOUND_NODE = -1, 0
"""Where a condition looks: at the document, at the node that the step binds, or (from 1) at a variable's node."""
HIDDEN_BASE = -1
"""The base of a step that goes on from a hidden variable; 0 is the document, others are places in the tuple."""
TemplateNode = list[object]
"""Text, element, variable or block of a template, as JSON has it."""


@dataclass(frozen=True)
class BindStep:
    """One step: nodes of a linear path below a base become bound."""

    step: int
    block: int
    parent: int
    """The block whose tuples the first step of a chain starts from; 0 is the message."""
    after: int
    """The step before it in its chain, 0 for the first."""
    depth: int
    place: int
    linear_path: str
    base_position: int
    """The step of the linear path at which the base stands; 0 for the document."""
    base_at: int
    hidden: bool
    last: bool


@dataclass(frozen=True)
class StepCondition:
    """What must hold, or must not, once a step is bound."""

    step: int
    query: Query
    looks_at: int
    negated: bool


@dataclass(frozen=True)
class BlockTree:
    """A transformation, compiled."""

    steps: tuple[BindStep, ...]
    conditions: tuple[StepCondition, ...]
    template: TemplateNode
    outermost: frozenset[int]
    """The blocks of which one must bind something."""
    copied: frozenset[str]
    """The linear paths whose nodes are copied."""


@dataclass(frozen=True)
class _Bound:
    """A variable: the hops from the document to its node, and its place in the tuple."""

    hops: tuple[Hop, ...]
    at: int


@dataclass(frozen=True)
class _Place:
    """Where in the transformation something stands."""

    block: int = 0
    depth: int = 0
    size: int = 0
    """Variables bound so far."""
    variables: dict[str, _Bound] = field(default_factory=dict)
    tags: Tags = field(default_factory=Tags)


def block_tree(tree: Transformation, text: str, limits: Limits) -> BlockTree:
    """Compile a transformation."""
    return _Compiler(text, limits).tree(tree)


class _Compiler:
    def __init__(self, text: str, limits: Limits) -> None:
        self._text = text
        self._limits = limits
        self._normal = Normalizer(text, limits)
        self._steps: list[BindStep] = []
        self._conditions: list[StepCondition] = []
        self._outermost: set[int] = set()
        self._copied: set[str] = set()
        self._blocks = 0

    def tree(self, tree: Transformation) -> BlockTree:
        template: TemplateNode = ["s", self._content(tree.result, _Place())]
        return BlockTree(
            tuple(self._steps), tuple(self._conditions), template, frozenset(self._outermost), frozenset(self._copied))

    def _content(self, content: Content, place: _Place) -> list[TemplateNode]:
        match content:
            case Text(value):
                return [["t", escaped_text(value)]]
            case Sequence(parts):
                return [node for part in parts for node in self._content(part, place)]
            case Element():
                return [self._element(content, place)]
            case Copy(path):
                return [self._copy(path, place)]
            case Flwr(bindings, where, result):
                conditions = TRUE if where is None else self._normal.boolean(where)
                inner = self._block(bindings, list(conditions), place)
                if not place.block:
                    self._outermost.add(inner.block)
                return [["f", inner.block, len(bindings), self._content(result, inner)]]

    def _element(self, element: Element, place: _Place) -> TemplateNode:
        opening, closing, tags = place.tags.element(element)
        inside = replace(place, tags=tags)
        nodes = [node for part in element.content for node in self._content(part, inside)]
        attributes = [node for node in nodes if node[0] in ("a", "va")]
        return ["e", opening, closing, attributes, nodes[len(attributes) :]]

    def _copy(self, path: Path, place: _Place) -> TemplateNode:
        """A variable's own node, or a block for the nodes of a path."""
        if path.variable is not None and not path.steps:
            bound = place.variables[path.variable]
            self._copied.add(linear_path(bound.hops))
            return ["va" if kind_of(bound.hops) == "attribute" else "v", bound.at, place.tags.has_default]
        inner = self._block((Binding("", path),), [()], place)
        hops = inner.variables[""].hops
        self._copied.add(linear_path(hops))
        return ["a" if kind_of(hops) == "attribute" else "p", inner.block, place.tags.has_default]

    def _block(self, bindings: tuple[Binding, ...], where: list[Conjunction], place: _Place) -> _Place:
        """Compile the chains of a block; returns the place inside it."""
        self._blocks += 1
        inner = replace(place, block=self._blocks, depth=place.depth + 1)
        paths = [self._normal.selected(binding.path) for binding in bindings]
        for condition, *selected in self._normal.product([tuple(where), *paths]):
            chain = _Chain(self, place, self._blocks)
            inner = chain.bind(bindings, selected, condition, inner)
        if not where:
            inner = _Chain(self, place, self._blocks).names(bindings, [each[0] for each in paths], inner)
        return inner

    def step(self, step: BindStep) -> None:
        """Take in a step."""
        self._steps.append(step)

    def next_step(self) -> int:
        """The number of the step to come."""
        return len(self._steps) + 1

    def condition(self, step: int, item: Item, hops: tuple[Hop, ...], looks_at: int) -> None:
        """Take in a condition on the node at the end of some hops."""
        query = condition_query(replace(item, negated=False, variable=None), hops, self._text, self._limits)
        self._conditions.append(StepCondition(step, query, looks_at if hops else DOCUMENT_NODE, item.negated))


class _Chain:
    """One way to bind the variables of a block."""

    def __init__(self, compiler: _Compiler, outer: _Place, block: int) -> None:
        self._compiler = compiler
        self._outer = outer
        self._block = block
        self._before = 0
        self._place = 0
        self._step_of: dict[str, int] = {}

    def bind(
        self, bindings: tuple[Binding, ...], selected: list[Conjunction], where: Conjunction, inner: _Place
    ) -> _Place:
        """Add the steps of all variables and the conditions on them; returns the place inside."""
        variables, first = dict(self._outer.variables), self._compiler.next_step()
        elsewhere = list(where)
        for number, (binding, (item, *beside)) in enumerate(zip(bindings, selected, strict=True), start=1):
            last = number == len(bindings)
            hops = self._variable(item, variables, last=last)
            variables[binding.variable] = _Bound(hops, self._outer.size + number)
            self._step_of[binding.variable] = self._before
            elsewhere += beside
        for each in elsewhere:
            self._condition(each, variables, first)
        return replace(inner, size=self._outer.size + len(bindings), variables=variables)

    def names(self, bindings: tuple[Binding, ...], selected: list[Conjunction], inner: _Place) -> _Place:
        """The place inside a block that never binds anything."""
        variables = dict(self._outer.variables)
        for number, (binding, (item, *_)) in enumerate(zip(bindings, selected, strict=True), start=1):
            base = variables[item.variable].hops if item.variable is not None else ()
            variables[binding.variable] = _Bound((*base, *_plain(item.hops)), self._outer.size + number)
        return replace(inner, size=self._outer.size + len(bindings), variables=variables)

    def _variable(self, item: Item, variables: dict[str, _Bound], *, last: bool) -> tuple[Hop, ...]:
        """The steps of one variable: hidden ones up to each hop with conditions, then its own."""
        base = variables[item.variable] if item.variable is not None else _Bound((), 0)
        hops, base_at, start = base.hops, base.at, 0
        cuts = [index + 1 for index, hop in enumerate(item.hops) if hop.conditions and index + 1 < len(item.hops)]
        for cut in (*cuts, len(item.hops)):
            visible = cut == len(item.hops)
            onward = (*hops, *_plain(item.hops[start:cut]))
            self._step(onward, len(hops), base_at, hidden=not visible, last=last and visible)
            if cut:
                for condition in item.hops[cut - 1].conditions:
                    self._compiler.condition(self._before, condition, onward, BOUND_NODE)
            hops, base_at, start = onward, HIDDEN_BASE, cut
        return hops

    def _step(self, hops: tuple[Hop, ...], base: int, base_at: int, *, hidden: bool, last: bool) -> None:
        self._place += 1
        number = self._compiler.next_step()
        self._compiler.step(BindStep(
            number, self._block, self._outer.block, self._before, self._outer.depth + 1, self._place,
            linear_path(hops), base if base_at else 0, base_at, hidden, last))
        self._before = number

    def _condition(self, item: Item, variables: dict[str, _Bound], first: int) -> None:
        """A condition of `where`: looked at where its variable is bound, or at once."""
        if item.variable is None:
            self._compiler.condition(first, item, (), DOCUMENT_NODE)
            return
        bound = variables[item.variable]
        step = self._step_of.get(item.variable)
        self._compiler.condition(step or first, item, bound.hops, bound.at if step is None else BOUND_NODE)


def _plain(hops: tuple[Hop, ...]) -> tuple[Hop, ...]:
    return tuple(Hop(hop.axis, hop.test) for hop in hops if hop.axis != "self")


def kind_of(hops: tuple[Hop, ...]) -> NodeKind:
    """What kind of nodes are at the end of some hops."""
    return hops[-1].test.kind if hops else "node"
