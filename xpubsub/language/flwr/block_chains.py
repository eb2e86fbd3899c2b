"""Builds the chains of a block: each binds its variables step by step, with conditions as early as possible."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from xpubsub.language.flwr.blocks import BOUND_NODE, DOCUMENT_NODE, HIDDEN_BASE, BindStep, StepCondition
from xpubsub.language.flwr.syntax import Binding
from xpubsub.language.flwr.tags import Tags
from xpubsub.language.xpath.branches import condition_query, linear_path
from xpubsub.language.xpath.normal import Conjunction, Hop, Item
from xpubsub.language.xpath.syntax import NodeKind
from xpubsub.limits import Limits


@dataclass(frozen=True)
class BoundVariable:
    """A variable: the hops from the document to its node, and its place in the tuple."""

    hops: tuple[Hop, ...]
    at: int


@dataclass(frozen=True)
class TemplatePlace:
    """A place in the transformation."""

    block: int = 0
    depth: int = 0
    size: int = 0
    """Variables bound so far."""
    variables: dict[str, BoundVariable] = field(default_factory=dict)
    tags: Tags = field(default_factory=Tags)


class Collected:
    """The steps of all blocks, the conditions on them, and why tuples may repeat."""

    def __init__(self, text: str, limits: Limits) -> None:
        self._text = text
        self._limits = limits
        self.steps: list[BindStep] = []
        self.conditions: list[StepCondition] = []
        self.repeats: list[tuple[int, str | None, int]] = []

    def next_step(self) -> int:
        """Return the number of the next step."""
        return len(self.steps) + 1

    def condition(self, step: int, item: Item, hops: tuple[Hop, ...], looks_at: int) -> None:
        """Add a condition on the node at the end of some hops."""
        query = condition_query(replace(item, negated=False, variable=None), hops, self._text, self._limits)
        self.conditions.append(StepCondition(step, query, looks_at if hops else DOCUMENT_NODE, item.negated))


class Chain:
    """One way to bind the variables of a block."""

    def __init__(self, found: Collected, outer: TemplatePlace, block: int) -> None:
        self._found = found
        self._outer = outer
        self._block = block
        self._before = 0
        self._place = 0
        self._step_of: dict[str, int] = {}

    def bind(
        self, bindings: tuple[Binding, ...], selected: list[Conjunction], where: Conjunction, inner: TemplatePlace
    ) -> TemplatePlace:
        """Add the steps of all variables and the conditions on them; returns the place inside."""
        variables, first = dict(self._outer.variables), self._found.next_step()
        elsewhere = list(where)
        for number, (binding, (item, *beside)) in enumerate(zip(bindings, selected, strict=True), start=1):
            last = number == len(bindings)
            hops = self._variable(item, variables, last=last)
            variables[binding.variable] = BoundVariable(hops, self._outer.size + number)
            self._step_of[binding.variable] = self._before
            elsewhere += beside
        for each in elsewhere:
            self._condition(each, variables, first)
        return replace(inner, size=self._outer.size + len(bindings), variables=variables)

    def _variable(self, item: Item, variables: dict[str, BoundVariable], *, last: bool) -> tuple[Hop, ...]:
        """Add the steps of one variable: a hidden one up to each hop with conditions, then its own."""
        base = variables[item.variable] if item.variable is not None else BoundVariable((), 0)
        hops, base_at, start = base.hops, base.at, 0
        cuts = [index + 1 for index, hop in enumerate(item.hops) if hop.conditions and index + 1 < len(item.hops)]
        for cut in (*cuts, len(item.hops)):
            visible = cut == len(item.hops)
            onward = (*hops, *plain(item.hops[start:cut]))
            self._step(onward, len(hops), base_at, hidden=not visible, last=last and visible)
            if cut:
                for condition in item.hops[cut - 1].conditions:
                    self._found.condition(self._before, condition, onward, BOUND_NODE)
            hops, base_at, start = onward, HIDDEN_BASE, cut
        if cuts:
            self._found.repeats.append((self._block, linear_path(hops), len(base.hops) if base.at else 0))
        return hops

    def _step(self, hops: tuple[Hop, ...], base: int, base_at: int, *, hidden: bool, last: bool) -> None:
        self._place += 1
        number = self._found.next_step()
        self._found.steps.append(BindStep(
            number, self._block, self._outer.block, self._before, self._outer.depth + 1, self._place,
            linear_path(hops), base if base_at else 0, base_at, hidden, last))
        self._before = number

    def _condition(self, item: Item, variables: dict[str, BoundVariable], first: int) -> None:
        """Add a condition of `where`: evaluated where its variable is bound, or at the first step."""
        if item.variable is None:
            self._found.condition(first, item, (), DOCUMENT_NODE)
            return
        bound = variables[item.variable]
        step = self._step_of.get(item.variable)
        self._found.condition(step or first, item, bound.hops, bound.at if step is None else BOUND_NODE)


def plain(hops: tuple[Hop, ...]) -> tuple[Hop, ...]:
    """Return hops without their conditions."""
    return tuple(Hop(hop.axis, hop.test) for hop in hops if hop.axis != "self")


def node_kind(hops: tuple[Hop, ...]) -> NodeKind:
    """Return the kind of nodes at the end of some hops."""
    return hops[-1].test.kind if hops else "node"
