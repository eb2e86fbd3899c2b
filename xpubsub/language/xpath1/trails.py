"""Follows a path as far as the core language can, for a necessary condition: what is not known is left open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from xpubsub.language.xpath.syntax import And, Axis, Expr, NodeTest, Number, Path, PathStep
from xpubsub.language.xpath1.reached import both_tests
from xpubsub.language.xpath1.steps import NODE
from xpubsub.language.xpath1.tree import AxisStep, Calling, Filtered, Location, Operation, Root, XPathTree, type_of

ANYWHERE = "anywhere"
ChainStart = Root | None | str
"""Where a chain of steps starts: at the document, at the context node (None), or anywhere in the message."""
StepChain = tuple[ChainStart, tuple[AxisStep, ...]]
Condition = Callable[[XPathTree, NodeTest | None], Expr | None]
"""Returns what must hold if a predicate is true of a node that passes a test."""


def chains(tree: XPathTree) -> list[StepChain]:
    """Return the ways of a node-set as chains of steps; predicates of other expressions become steps of their own."""
    match tree:
        case Root():
            return [(tree, ())]
        case Location(None, steps):
            return [(None, steps)]
        case Location(start, steps) if start is not None:
            return [(first, (*before, *steps)) for first, before in chains(start)]
        case Filtered(base, predicates):
            return [(first, (*before, AxisStep("self", NODE, predicates))) for first, before in chains(base)]
        case Operation("|", parts):
            return [chain for part in parts for chain in chains(part)]
        case Calling():
            return [(ANYWHERE, ())]
    raise AssertionError(tree)


@dataclass(frozen=True)
class Trail:
    """A path as far as it is known, and conditions found on the way."""

    here: NodeTest | None
    predicate: Condition
    absolute: bool
    steps: tuple[PathStep, ...] = ()
    conditions: tuple[Expr, ...] = ()
    below: bool = False
    """Whether the node reached is not that of the last step, but perhaps somewhere below it."""
    lost: bool = False
    """Whether the node reached can be anywhere in the message."""

    @classmethod
    def at(cls, start: object, here: NodeTest | None, predicate: Condition) -> Trail:
        """Return the beginning of a chain."""
        return cls(here, predicate, isinstance(start, Root) or here is None, lost=start == ANYWHERE)

    def condition(self, test: Callable[[Path], Expr]) -> Expr | None:
        """Return what must hold if a node at the end passes a test; None if nothing is known."""
        if not (self.lost or self.below):
            last = test(self._path)
            if last != self._path or self.steps:
                return _joined((*self.conditions, last))
        return _joined(self._left().conditions)

    def after(self, step: AxisStep) -> Trail:
        """Return the trail after one step."""
        match step.axis:
            case "child" | "descendant" | "attribute":
                moved = self._down(step)
            case "self":
                moved = self._self(step)
            case "descendant-or-self" if step.test.kind == "node":
                moved = replace(self, below=True)
            case _:
                moved = self._left()._anywhere(step)
        return moved._filtered(step.predicates)

    @property
    def _path(self) -> Path:
        return Path(self.absolute, self.steps)

    def _down(self, step: AxisStep) -> Trail:
        test = _down_test(step)
        if test is None:
            return replace(self, below=True)
        if self.lost:
            return self._restarted(test)
        axis: Axis = "descendant" if self.below or step.axis == "descendant" else "child"
        return replace(self, steps=(*self.steps, PathStep(axis, test)), below=False)

    def _restarted(self, test: NodeTest) -> Trail:
        """Go on with a new path, from the document down to any node that passes a test."""
        return replace(self, absolute=True, steps=(PathStep("descendant", test),), below=False, lost=False)

    def _left(self) -> Trail:
        """Leave the path: that it leads to a node remains as a condition."""
        if not self.steps:
            return replace(self, lost=True)
        return replace(self, conditions=(*self.conditions, self._path), steps=(), lost=True)

    def _anywhere(self, step: AxisStep) -> Trail:
        """Continue at a node that some other axis leads to."""
        if step.axis != "namespace" and step.test.kind == "name":
            return self._restarted(NodeTest("element", step.test.uri, step.test.local))
        if step.axis != "namespace" and step.test.kind == "text":
            return self._restarted(NodeTest("text"))
        return replace(self, lost=True, below=False)

    def _self(self, step: AxisStep) -> Trail:
        """Narrow the node reached by its name."""
        if step.test.kind != "name" or self.lost or self.below:
            return self
        wanted = NodeTest("element", step.test.uri, step.test.local)
        if self.steps:
            common = both_tests(self.steps[-1].test, wanted)
            if common is not None:
                return replace(self, steps=(*self.steps[:-1], replace(self.steps[-1], test=common)))
        elif not self.absolute and self.here is not None:
            common = both_tests(self.here, wanted)
            if common is not None:
                return replace(self, conditions=(*self.conditions, Path(False, (PathStep("self", common),))))
        return replace(self, conditions=(*self.conditions, Number(0.0)))

    def _filtered(self, predicates: tuple[XPathTree, ...]) -> Trail:
        """Add what predicates need; positions need nothing."""
        if self.lost or self.below or (self.absolute and not self.steps and self.here is not None):
            return self
        at = self.steps[-1].test if self.steps else None if self.absolute else self.here
        found = [self.predicate(each, at) for each in predicates if type_of(each) != "number"]
        known = tuple(each for each in found if each is not None)
        if not known:
            return self
        if not self.steps:
            return replace(self, conditions=(*self.conditions, *known))
        last = self.steps[-1]
        changed = replace(last, predicates=(*last.predicates, *known))
        return replace(self, steps=(*self.steps[:-1], changed))


def _down_test(step: AxisStep) -> NodeTest | None:
    """Return the test of a step down; None if the core language has none for it."""
    if step.axis == "attribute":
        return NodeTest("attribute", step.test.uri, step.test.local) if step.test.kind in ("name", "node") else None
    if step.test.kind == "text":
        return NodeTest("text")
    return NodeTest("element", step.test.uri, step.test.local) if step.test.kind == "name" else None


def _joined(conditions: tuple[Expr, ...]) -> Expr | None:
    given = tuple(dict.fromkeys(conditions))
    return given[0] if len(given) == 1 else And(given) if given else None
