"""Rewrites paths of XPath 1.0 into paths of the core language; steps up become predicates on the node above."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from xpubsub.language.xpath.syntax import And, Axis, Expr, NodeTest, Number, Or, Path, PathStep
from xpubsub.language.xpath1.inexact import Inexact
from xpubsub.language.xpath1.positions import always_one_left, is_position
from xpubsub.language.xpath1.steps import DEEP_STEP
from xpubsub.language.xpath1.tree import AnyTest, AxisStep, Filtered, Location, Operation, Root, XPathTree
from xpubsub.language.xpath1.upwards import above_only, conjuncts

Inside = Callable[[XPathTree, NodeTest | None], Expr]
"""Rewrites a predicate of a node that passes a test."""
_ELEMENT = NodeTest("element")


@dataclass(frozen=True)
class Reached:
    """One of the ways that an expression takes to nodes: a path, and conditions on the node that it starts at."""

    path: Path
    conditions: tuple[Expr, ...] = ()
    deep: bool = False
    """Whether the next step may start at any node below, too."""

    def with_test(self, test: Callable[[Path], Expr]) -> Expr:
        """Return that some node at the end passes a test."""
        tested = test(self.path)
        return And((*self.conditions, tested)) if self.conditions else tested

    @property
    def last(self) -> NodeTest | None:
        """The test that nodes at the end pass; None if there is no step."""
        return self.path.steps[-1].test if self.path.steps else None

    def then(self, step: PathStep) -> Reached:
        """Go one step further."""
        return replace(self, path=replace(self.path, steps=(*self.path.steps, step)), deep=False)

    def back(self) -> Reached:
        """Undo the last step."""
        return replace(self, path=replace(self.path, steps=self.path.steps[:-1]))

    def filtered(self, *conditions: Expr) -> Reached:
        """Put conditions on the node reached so far."""
        given = tuple(each for each in conditions if each != Number(1.0))
        if not given:
            return self
        if not self.path.steps:
            return replace(self, conditions=(*self.conditions, *given))
        last = self.path.steps[-1]
        test = last.test
        for each in _parts(given):
            named = _own_name(each)
            if named is not None:
                found = both_tests(test, named)
                if found is None:
                    return replace(self, conditions=(*self.conditions, Number(0.0)))
                test = found
        rest = tuple(each for each in _parts(given) if _own_name(each) is None)
        changed = PathStep(last.axis, test, (*last.predicates, *rest))
        return replace(self, path=replace(self.path, steps=(*self.path.steps[:-1], changed)))


def _parts(conditions: tuple[Expr, ...]) -> list[Expr]:
    return [part for each in conditions for part in (_parts(each.parts) if isinstance(each, And) else [each])]


def _own_name(expr: Expr) -> NodeTest | None:
    """Return the test if an expression only tests the context node itself."""
    match expr:
        case Path(False, (PathStep("self", test, ()),), _, None) if test.kind != "node":
            return test
    return None


def both_tests(one: NodeTest, other: NodeTest) -> NodeTest | None:
    """Return the test that a node passes if it passes two; None if no node does."""
    if one.kind != other.kind:
        return None
    merged = []
    for mine, its in ((one.uri, other.uri), (one.local, other.local)):
        if mine is not None and its is not None and mine != its:
            return None
        merged.append(mine if its is None else its)
    return NodeTest(one.kind, *merged)


def at_most_one(path: Path) -> bool:
    """Whether a path selects one node at most: the node itself, or an attribute of it; or of the root element."""
    steps = path.steps
    if path.absolute and steps and steps[0].axis == "child" and steps[0].test.kind == "element":
        steps = steps[1:]
    if len(steps) > 1 or any(step.axis == "descendant" for step in steps):
        return False
    return not steps or (steps[0].test.kind == "attribute" and None not in (steps[0].test.uri, steps[0].test.local))


def existing(ways: list[Reached]) -> Expr:
    """Return that some way reaches a node."""
    return any_of([each.with_test(lambda path: path) for each in ways])


def any_of(parts: list[Expr]) -> Expr:
    """Return that one of some expressions is true."""
    return parts[0] if len(parts) == 1 else Or(tuple(parts)) if parts else Number(0.0)


def ways_to(tree: XPathTree, here: NodeTest | None, inside: Inside, *, existence: bool = False) -> list[Reached]:
    """Return the ways of an expression to nodes, from a node that passes a test (None: the document).

    - `existence`: whether it only matters if there are any, so that the last position does not.
    """
    return _Ways(here, inside).ways(tree, existence)


@dataclass(frozen=True)
class _Ways:
    here: NodeTest | None
    inside: Inside

    def ways(self, tree: XPathTree, existence: bool) -> list[Reached]:
        match tree:
            case Root():
                return [Reached(Path(True, ()))]
            case Operation("|", parts):
                return [way for part in parts for way in self.ways(part, existence)]
            case Filtered(base, predicates):
                return self._filtered(base, predicates, existence)
            case Location(start, steps):
                return self._location(start, steps, existence)
        raise Inexact

    def _filtered(self, base: XPathTree, predicates: tuple[XPathTree, ...], existence: bool) -> list[Reached]:
        kept = _without_last_position(predicates) if existence else predicates
        if any(map(is_position, kept)):
            raise Inexact
        return [way for each in self.ways(base, existence and not kept) for way in self._predicates(each, kept)]

    def _location(self, start: XPathTree | None, steps: tuple[AxisStep, ...], existence: bool) -> list[Reached]:
        ways = [Reached(Path(self.here is None, ()))] if start is None else self.ways(start, existence=False)
        if existence and steps:
            last = steps[-1]
            steps = (*steps[:-1], replace(last, predicates=_without_last_position(last.predicates)))
        for step in steps:
            ways = [further for way in ways for further in self._step(way, step)]
        if any(way.deep for way in ways) and not existence:
            raise Inexact
        return [replace(way, deep=False) for way in ways]

    def _step(self, way: Reached, step: AxisStep) -> list[Reached]:
        if any(map(is_position, step.predicates)):
            raise Inexact
        if step == DEEP_STEP:
            return [replace(way, deep=True)]
        return [further for moved in self._moved(way, step) for further in self._predicates(moved, step.predicates)]

    def _moved(self, way: Reached, step: AxisStep) -> list[Reached]:
        """Return the ways after a step without its predicates."""
        match step.axis:
            case "child" | "attribute" | "descendant":
                axis: Axis = "descendant" if way.deep or step.axis == "descendant" else "child"
                return [way.then(PathStep(axis, _core_test(step)))]
            case "self":
                return self._deep_self(way, step.test) if way.deep else self._selves(way, step.test)
            case "descendant-or-self":
                return self._deep_self(way, step.test)
            case "parent":
                return self._parents(way, step.test)
        raise Inexact

    def _deep_self(self, way: Reached, test: AnyTest) -> list[Reached]:
        if test.kind not in ("name", "text"):
            raise Inexact
        below = way.then(PathStep("descendant", _core_test(AxisStep("child", test))))
        return [below, *self._selves(replace(way, deep=False), test)]

    def _selves(self, way: Reached, test: AnyTest) -> list[Reached]:
        """Return the ways on which the node reached passes a test."""
        if test.kind == "node":
            return [way]
        at = way.last if way.path.steps else None if way.path.absolute else self.here
        if test.kind not in ("name", "text"):
            raise Inexact
        wanted = NodeTest("text") if test.kind == "text" else NodeTest("element", test.uri, test.local)
        common = None if at is None else both_tests(at, wanted)
        if common is None:
            return []
        return [way.filtered(Path(False, (PathStep("self", common),)))] if common != at else [way]

    def _parents(self, way: Reached, test: AnyTest) -> list[Reached]:
        """Return the ways to the parent: the last step becomes a condition on it."""
        if not way.deep and way.path.absolute and not way.path.steps:
            return []
        if way.deep or not way.path.steps:
            raise Inexact
        last = way.path.steps[-1]
        child, above = replace(last, axis="child"), way.back()
        ways = []
        if above.path.steps or not above.path.absolute:
            found = Path(False, (child,))
            ways += self._selves(above.filtered(found), test)
        elif test.kind == "node":
            ways.append(above.filtered(Path(True, (child,))))
        if last.axis == "descendant" and test.kind in ("name", "node"):
            name = _ELEMENT if test.kind == "node" else NodeTest("element", test.uri, test.local)
            ways.append(above.then(PathStep("descendant", name)).filtered(Path(False, (child,))))
        return ways

    def _predicates(self, way: Reached, predicates: tuple[XPathTree, ...]) -> list[Reached]:
        ways = [way]
        for part in conjuncts(predicates):
            ways = [further for each in ways for further in self._predicate(each, part)]
        return ways

    def _predicate(self, way: Reached, part: XPathTree) -> list[Reached]:
        """Put a condition on the node reached, or on its parent if it is only about that."""
        above = above_only(part)
        if above is not None and way.path.steps:
            return self._condition_above(way, above)
        if way.path.absolute and not way.path.steps and self.here is not None:
            raise Inexact
        at = way.last if way.path.steps else self.here
        return [way.filtered(self.inside(part, at))]

    def _condition_above(self, way: Reached, condition: XPathTree) -> list[Reached]:
        last, above = way.path.steps[-1], way.back()
        if above.path.absolute and not above.path.steps and self.here is not None:
            raise Inexact
        ways = self._predicate(above, condition)
        if last.axis == "descendant":
            ways += self._predicate(above.then(PathStep("descendant", _ELEMENT)), condition)
        return [way.then(replace(last, axis="child")) for way in ways]


def _core_test(step: AxisStep) -> NodeTest:
    if step.axis == "attribute":
        if step.test.kind not in ("name", "node"):
            raise Inexact
        return NodeTest("attribute", step.test.uri, step.test.local)
    if step.test.kind == "text":
        return NodeTest("text")
    if step.test.kind != "name":
        raise Inexact
    return NodeTest("element", step.test.uri, step.test.local)


def _without_last_position(predicates: tuple[XPathTree, ...]) -> tuple[XPathTree, ...]:
    """Drop positions at the end that leave a node if there is one."""
    while predicates and always_one_left(predicates[-1]):
        predicates = predicates[:-1]
    return predicates
