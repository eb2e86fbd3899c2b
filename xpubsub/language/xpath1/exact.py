"""Rewrites expressions of XPath 1.0 into the core language, where it can say exactly the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from xpubsub.language.xpath.normal import FLIPPED
from xpubsub.language.xpath.syntax import And, Expr, NodeTest, Or
from xpubsub.language.xpath1.comparisons import compared_paths
from xpubsub.language.xpath1.computed import computed_value
from xpubsub.language.xpath1.constants import constant_value, is_constant
from xpubsub.language.xpath1.inexact import Inexact
from xpubsub.language.xpath1.positions import least_size
from xpubsub.language.xpath1.pulled import pulled_out
from xpubsub.language.xpath1.reached import existing, ways_to
from xpubsub.language.xpath1.shared import at_document
from xpubsub.language.xpath1.steps import DEEP_STEP, NODE
from xpubsub.language.xpath1.tree import (
    COMPARING,
    AnyTest,
    AxisStep,
    Calling,
    Filtered,
    Location,
    Numeral,
    Operation,
    Root,
    XPathTree,
    type_of,
)
from xpubsub.language.xpath1.truths import FALSE_EXPR, TRUE_EXPR, negated
from xpubsub.language.xpath1.value_tests import ValueTests


def exact_filter(tree: XPathTree) -> Expr:
    """Return `boolean(tree)` at the document node in the core language; raises `Inexact` if it cannot say it."""
    return Exact(None, with_trees=True).truth(at_document(tree))


@dataclass(frozen=True)
class Exact(ValueTests):
    """Rewrites what has the same context node: the document (None), or a node that passes a test."""

    def truth(self, tree: XPathTree) -> Expr:
        """Return the truth of an expression."""
        key = tree, self.here
        if key not in self.known:
            try:
                self.known[key] = self._truth(tree)
            except Inexact:
                self.known[key] = None
        found = self.known[key]
        if found is None:
            raise Inexact
        return found

    def _truth(self, tree: XPathTree) -> Expr:
        if is_constant(tree) and not isinstance(tree, Root):
            value = constant_value(Calling("boolean", (tree,)))
            if value is None:
                raise Inexact
            return TRUE_EXPR if value else FALSE_EXPR
        kind = type_of(tree)
        if kind == "nodes":
            return self._existence(tree)
        if kind == "boolean":
            return self._boolean(tree)
        if kind == "string":
            return self.compared("!=", tree, "")
        if isinstance(tree, Calling) and tree.name in ("count", "string-length"):
            return self.compared("!=", tree, 0.0)
        return Or((self.compared("<", tree, 0.0), self.compared(">", tree, 0.0)))

    def _existence(self, tree: XPathTree) -> Expr:
        """Return that a node-set is not empty; a position at its end needs a group that is large enough."""
        try:
            return existing(ways_to(tree, self.here, self.inside, existence=True))
        except Inexact:
            pass
        try:
            return self._large_enough(tree)
        except Inexact:
            pass
        try:
            return self.of_tree("=", Calling("boolean", (tree,)), True)
        except Inexact:
            return self._existence_of_pulled(tree)

    def _large_enough(self, tree: XPathTree) -> Expr:
        match tree:
            case Filtered(base, (*before, last)) if (least := least_size(last)) is not None:
                return self.at_least(Filtered(base, tuple(before)) if before else base, least)
            case Location(start, (*steps, AxisStep(_, _, (*before, last)) as step)):
                least = least_size(last)
                if least is not None:
                    group = Location(None, (replace(step, predicates=tuple(before)),))
                    enough = Operation(">=", (Calling("count", (group,)), Numeral(str(least))))
                    return self._group(start, steps, step.axis, enough)
        raise Inexact

    def _group(self, start: XPathTree | None, steps: list[AxisStep], axis: str, enough: XPathTree) -> Expr:
        """Return that a node at the end of some steps has a group on an axis that is large enough."""
        deep = bool(steps) and steps[-1] == DEEP_STEP
        if deep and axis not in ("child", "attribute", "descendant"):
            raise Inexact
        before = tuple(steps[:-1] if deep else steps)
        here = self.truth(Location(start, (*before, AxisStep("self", NODE, (enough,)))))
        if not deep:
            return here
        below = self.truth(Location(start, (*before, AxisStep("descendant", AnyTest("name"), (enough,)))))
        return Or((here, below))

    def _existence_of_pulled(self, tree: XPathTree) -> Expr:
        """Return that a path exists whose last predicate compares values with a constant, as a comparison of values."""
        op, nodes, constant = pulled_out(tree)
        return self.of_tree(op, nodes, constant)

    def inside(self, tree: XPathTree, test: NodeTest | None) -> Expr:
        """Return the truth of an expression at a node that passes a test."""
        return replace(self, here=test).truth(tree)

    def _boolean(self, tree: XPathTree) -> Expr:
        match tree:
            case Operation("and", parts):
                return And(tuple(map(self.truth, parts)))
            case Operation("or", parts):
                return Or(tuple(map(self.truth, parts)))
            case Operation(op, (left, right)) if op in COMPARING:
                return self._comparison(op, left, right)
            case Calling("not", (part,)):
                return negated(self.truth(part))
            case Calling("boolean", (part,)):
                return self.truth(part)
            case Calling("contains" | "starts-with" as name, (text, part)) if is_constant(part):
                return self.text_call(name, text, part)
        return self._or_of_tree(self._computed_truth, tree)

    def _comparison(self, op: str, left: XPathTree, right: XPathTree) -> Expr:
        if "boolean" in (type_of(left), type_of(right)):
            return self._of_truths(op, left, right)
        constant = constant_value(right)
        if constant is not None:
            return self.compared(op, left, constant)
        constant = constant_value(left)
        if constant is None and type_of(left) == type_of(right) == "nodes":
            return self._or_of_tree(lambda _: compared_paths(op, left, right, self.here), Operation(op, (left, right)))
        if constant is None:
            return self._or_of_tree(self._computed_truth, Operation(op, (left, right)))
        return self.compared(FLIPPED[op], right, constant)

    def _of_truths(self, op: str, left: XPathTree, right: XPathTree) -> Expr:
        if op not in ("=", "!="):
            raise Inexact
        one, other = self.truth(left), self.truth(right)
        same = Or((And((one, other)), And((negated(one), negated(other)))))
        return same if op == "=" else negated(same)

    def _or_of_tree(self, without: Callable[[Any], Expr], tree: XPathTree) -> Expr:
        """Return the truth of a part, by what lxml says of it at its node if there is no other way."""
        try:
            return without(tree)
        except Inexact:
            return self.of_tree("=", tree, True)

    def _computed_truth(self, tree: XPathTree) -> Expr:
        """Return the truth of an expression that looks at one node."""
        return self.value_test("=", computed_value(tree), "true")
