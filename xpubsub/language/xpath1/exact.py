"""Rewrites expressions of XPath 1.0 into the core language, where it can say exactly the same."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from xpubsub.language.xpath.normal import FLIPPED
from xpubsub.language.xpath.syntax import And, Call, Compare, Expr, NodeTest, Not, Number, Or, Path, PathStep
from xpubsub.language.xpath1.comparisons import compared_paths
from xpubsub.language.xpath1.computed import ComputedValue, computed_value
from xpubsub.language.xpath1.constants import constant_value, core_constant, emptied, is_constant
from xpubsub.language.xpath1.inexact import Inexact
from xpubsub.language.xpath1.libxml import evaluated
from xpubsub.language.xpath1.positions import least_size
from xpubsub.language.xpath1.pulled import pulled_out
from xpubsub.language.xpath1.reached import any_of, at_most_one, both_tests, existing, ways_to
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
from xpubsub.language.xpath1.tree_values import tree_value
from xpubsub.language.xpath1.variables import bound_tree

MOST_COUNTED = 10**9
OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
"""The comparison that holds of two numbers where another does not."""
_ROOT_ELEMENT = AxisStep("child", AnyTest("name"))
TRUE_EXPR, FALSE_EXPR = Number(1.0), Number(0.0)


def exact_filter(tree: XPathTree) -> Expr:
    """Return `boolean(tree)` at the document node in the core language; raises `Inexact` if it cannot say it."""
    return Exact(None, with_trees=True).truth(at_document(tree))


@dataclass(frozen=True)
class Exact:
    """Rewrites what has the same context node: the document (None), or a node that passes a test."""

    here: NodeTest | None
    with_trees: bool = False
    """Whether it may ask for values that lxml computes from the tree around a node."""
    known: dict[tuple[XPathTree, NodeTest | None], Expr | None] = field(default_factory=dict, compare=False)
    """What has been found before, so that no part is looked at again and again: None if it is inexact."""

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
            return self._compared("!=", tree, "")
        if isinstance(tree, Calling) and tree.name in ("count", "string-length"):
            return self._compared("!=", tree, 0.0)
        return Or((self._compared("<", tree, 0.0), self._compared(">", tree, 0.0)))

    def _existence(self, tree: XPathTree) -> Expr:
        """Return that a node-set is not empty; a position at its end needs a group that is large enough."""
        try:
            return existing(ways_to(tree, self.here, self._inside, existence=True))
        except Inexact:
            pass
        try:
            return self._large_enough(tree)
        except Inexact:
            pass
        try:
            return self._of_tree("=", Calling("boolean", (tree,)), True)
        except Inexact:
            return self._existence_of_pulled(tree)

    def _large_enough(self, tree: XPathTree) -> Expr:
        match tree:
            case Filtered(base, (*before, last)) if (least := least_size(last)) is not None:
                return self._at_least(Filtered(base, tuple(before)) if before else base, least)
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
        return self._of_tree(op, nodes, constant)

    def _inside(self, tree: XPathTree, test: NodeTest | None) -> Expr:
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
                return self._text_call(name, text, part)
        return self._or_of_tree(self._computed_truth, tree)

    def _comparison(self, op: str, left: XPathTree, right: XPathTree) -> Expr:
        if "boolean" in (type_of(left), type_of(right)):
            return self._of_truths(op, left, right)
        constant = constant_value(right)
        if constant is not None:
            return self._compared(op, left, constant)
        constant = constant_value(left)
        if constant is None and type_of(left) == type_of(right) == "nodes":
            return self._or_of_tree(lambda _: compared_paths(op, left, right, self.here), Operation(op, (left, right)))
        if constant is None:
            return self._or_of_tree(self._computed_truth, Operation(op, (left, right)))
        return self._compared(FLIPPED[op], right, constant)

    def _of_truths(self, op: str, left: XPathTree, right: XPathTree) -> Expr:
        if op not in ("=", "!="):
            raise Inexact
        one, other = self.truth(left), self.truth(right)
        same = Or((And((one, other)), And((negated(one), negated(other)))))
        return same if op == "=" else negated(same)

    def _compared(self, op: str, tree: XPathTree, constant: str | float | bool) -> Expr:
        """Compare the value of an expression with a constant."""
        if isinstance(constant, bool):
            raise Inexact
        try:
            return self._without_tree(op, tree, constant)
        except Inexact:
            return self._of_tree(op, tree, constant)

    def _without_tree(self, op: str, tree: XPathTree, constant: str | float) -> Expr:
        if type_of(tree) == "nodes":
            found = ways_to(tree, self.here, self._inside)
            return any_of([each.with_test(lambda path: Compare(op, path, core_constant(constant))) for each in found])
        try:
            return self._of_function(op, tree, constant)
        except Inexact:
            return self._computed(op, computed_value(tree), constant)

    def _or_of_tree(self, without: Callable[[Any], Expr], tree: XPathTree) -> Expr:
        """Return the truth of a part, by what lxml says of it at its node if there is no other way."""
        try:
            return without(tree)
        except Inexact:
            return self._of_tree("=", tree, True)

    def _of_tree(self, op: str, tree: XPathTree, constant: str | float | bool) -> Expr:
        """Compare a value that lxml computes at the context node; the document has none where there are no nodes."""
        if not self.with_trees:
            raise Inexact
        path = tree_value(tree, self.here)
        value = _compared_as(op, tree, constant)
        if value is None:
            return _never_equal(op)
        found = Compare(op, path, core_constant(value))
        if self.here is not None or not _holds_without_nodes(op, tree, constant):
            return found
        return negated(Compare("=", path, core_constant("false"))) if constant is True else Or((negated(path), found))

    def _computed(self, op: str, value: ComputedValue, constant: str | float) -> Expr:
        """Compare a value computed from one node with a constant."""
        as_text = value.kind == "string" and isinstance(constant, str) and op in ("=", "!=")
        compared = constant if as_text else constant_value(Calling("number", (bound_tree(constant),)))
        if compared is None:
            return _never_equal(op)
        return self._value_test(op, value, compared)

    def _computed_truth(self, tree: XPathTree) -> Expr:
        """Return the truth of an expression that looks at one node."""
        return self._value_test("=", computed_value(tree), "true")

    def _value_test(self, op: str, value: ComputedValue, constant: str | float | bool) -> Expr:
        """Test a value computed from the first node; where there is no node, it is computed from the empty string."""
        path = self._one_path(value.source_call)
        if value.one_node and not at_most_one(path):
            raise Inexact
        computed, one = value.step_from(path), at_most_one(path)
        if value.source is None or not _holds_of_nothing(op, value, constant):
            return _first_test(op, computed, constant, one)
        opposite = OPPOSITE.get(op) if value.ordered or op in ("=", "!=") else None
        if opposite is not None:
            return negated(_first_test(opposite, computed, constant, one))
        return Or((negated(path), _first_test(op, computed, constant, one)))

    def _of_function(self, op: str, call: XPathTree, constant: str | float) -> Expr:
        match call:
            case Calling("count", (nodes,)):
                return self._counted(op, nodes, constant)
            case Calling("string" | "number", _):
                return self._first(op, call, constant)
            case Calling("string-length", _) if _whether_any(op, constant) is not None:
                some = self._first("!=", Calling("string", call.arguments), "")
                return some if _whether_any(op, constant) else negated(some)
            case Calling("local-name" | "namespace-uri" as name, ()) if isinstance(constant, str) and constant:
                return self._named(op, name, constant)
            case Calling("name", ()) if op == "=" and isinstance(constant, str) and constant.rpartition(":")[2]:
                local = self._named("=", "local-name", constant.rpartition(":")[2])
                return And((local, self._of_tree("=", call, constant)))
            case Calling("local-name" | "namespace-uri" as name, (Location(Root(), (step,)),)) if step == _ROOT_ELEMENT:
                if isinstance(constant, str) and constant and op in ("=", "!="):
                    wanted = (None, constant) if name == "local-name" else (constant, None)
                    root = Path(True, (PathStep("child", NodeTest("element", *wanted)),))
                    return root if op == "=" else negated(root)
        raise Inexact

    def _counted(self, op: str, nodes: XPathTree, constant: str | float) -> Expr:
        some = _whether_any(op, constant)
        if some is not None:
            found = existing(ways_to(nodes, self.here, self._inside, existence=True))
            return found if some else negated(found)
        if isinstance(constant, str):
            number = constant_value(Calling("number", (bound_tree(constant),)))
            return self._counted(op, nodes, number) if isinstance(number, float) else _never_equal(op)
        return bounded(op, constant, lambda least: self._at_least(nodes, least))

    def _at_least(self, nodes: XPathTree, least: int) -> Expr:
        """Return that there are so many nodes."""
        if least > MOST_COUNTED:
            raise Inexact
        if least <= 1:
            return TRUE_EXPR if least < 1 else existing(ways_to(nodes, self.here, self._inside, existence=True))
        path = self._one_path(Calling("string", (nodes,)))
        return FALSE_EXPR if at_most_one(path) else Call("at-least", path, Number(float(least)))

    def _named(self, op: str, name: str, constant: str) -> Expr:
        """Return a test of the context node's name."""
        if op not in ("=", "!="):
            raise Inexact
        wanted = (None, constant) if name == "local-name" else (constant, None)
        test = None if self.here is None or self.here.kind == "text" else NodeTest(self.here.kind, *wanted)
        common = None if test is None or self.here is None else both_tests(self.here, test)
        named: Expr = FALSE_EXPR if common is None else Path(False, (PathStep("self", common),))
        return named if op == "=" else negated(named)

    def _first(self, op: str, call: Calling, constant: str | float) -> Expr:
        """Compare the first node's value, as `string()` and `number()` do; no node has the value '' or NaN."""
        if call.arguments and type_of(call.arguments[0]) != "nodes":
            raise Inexact
        path = self._one_path(call)
        as_text = call.name == "string" and isinstance(constant, str) and op in ("=", "!=")
        if as_text and not constant:
            some = _first_test("!=", path, "", at_most_one(path))
            return some if op == "!=" else negated(some)
        value = constant if as_text else constant_value(Calling("number", (bound_tree(constant),)))
        if value is None:
            return _never_equal(op)
        if op == "!=":
            return negated(_first_test("=", path, value, at_most_one(path)))
        return _first_test(op, path, value, at_most_one(path))

    def _one_path(self, call: Calling) -> Path:
        if not call.arguments:
            return Path(False, ())
        found = ways_to(call.arguments[0], self.here, self._inside)
        if len(found) != 1 or found[0].conditions:
            raise Inexact
        return found[0].path

    def _text_call(self, name: str, text: XPathTree, part: XPathTree) -> Expr:
        needle = constant_value(_text_of(part))
        if not isinstance(needle, str):
            raise Inexact
        if not needle:
            return TRUE_EXPR
        inner = text.arguments[0] if isinstance(text, Calling) and text.name == "string" and text.arguments else text
        try:
            if type_of(inner) != "nodes" and inner != Calling("string"):
                return self._value_test(name, computed_value(_text_of(inner)), needle)
            path = self._one_path(Calling("string", () if inner == Calling("string") else (inner,)))
        except Inexact:
            return self._text_of_tree(name, _text_of(inner), needle)
        return Call(name, path, core_constant(needle))

    def _text_of_tree(self, name: str, text: XPathTree, needle: str) -> Expr:
        if not self.with_trees or (self.here is None and _holds_without_nodes(name, text, needle)):
            raise Inexact
        return Call(name, tree_value(text, self.here), core_constant(needle))


def bounded(op: str, constant: float, at_least: Callable[[int], Expr]) -> Expr:
    """Compare a whole number with a constant, given how to say that it is at least so much."""
    up, next_up = math.ceil(constant), math.floor(constant) + 1
    match op:
        case ">=" | ">":
            return at_least(up if op == ">=" else next_up)
        case "<" | "<=":
            return negated(at_least(up if op == "<" else next_up))
    if up + 1 != next_up:
        return FALSE_EXPR if op == "=" else TRUE_EXPR
    equal = And((at_least(up), negated(at_least(next_up))))
    return equal if op == "=" else negated(equal)


def negated(expr: Expr) -> Expr:
    """Return the opposite of an expression."""
    if expr in (TRUE_EXPR, FALSE_EXPR):
        return FALSE_EXPR if expr == TRUE_EXPR else TRUE_EXPR
    return expr.part if isinstance(expr, Not) else Not(expr)


def _first_test(op: str, path: Path, value: str | float | bool, one: bool) -> Expr:
    """Compare the first node at the end of a path; `one` says that there is one at most."""
    assert not isinstance(value, bool)
    constant = core_constant(value)
    return Compare(op, path, constant) if one and op in FLIPPED else Call(op, path, constant)


def _holds_of_nothing(op: str, value: ComputedValue, constant: str | float | bool) -> bool:
    """Whether a test holds of what is computed from the empty string, as where there is no node."""
    computed = Calling("string", (value.expression,)) if value.kind == "boolean" else value.expression
    sides = computed, bound_tree(constant)
    return bool(evaluated(Operation(op, sides) if op in FLIPPED else Calling(op, sides)))


def _never_equal(op: str) -> Expr:
    """Return a comparison with what is not a number."""
    return TRUE_EXPR if op == "!=" else FALSE_EXPR


def _compared_as(op: str, tree: XPathTree, constant: str | float | bool) -> str | float | None:
    """Return what the value of an expression is compared with; None if it is not a number, but should be one."""
    if isinstance(constant, bool):
        return "true"
    if type_of(tree) == "nodes" or (type_of(tree) == "string" and isinstance(constant, str) and op in ("=", "!=")):
        return constant
    number = constant_value(Calling("number", (bound_tree(constant),)))
    return number if isinstance(number, float) else None


def _holds_without_nodes(op: str, tree: XPathTree, constant: str | float | bool) -> bool:
    """Whether a test of an expression holds if all its node-sets are empty."""
    sides = emptied(tree), bound_tree(constant)
    return bool(evaluated(Operation(op, sides) if op in FLIPPED else Calling(op, sides)))


def _text_of(tree: XPathTree) -> XPathTree:
    return tree if type_of(tree) == "string" else Calling("string", (tree,))


def _whether_any(op: str, constant: str | float) -> bool | None:
    """Whether comparing a count asks for some (True) or none (False); None if it asks for a number of them."""
    if isinstance(constant, str):
        return None
    answers = {_holds(op, count, constant) for count in (1, 2, 10**15)}
    none = _holds(op, 0, constant)
    return (not none) if answers == {not none} else None


def _holds(op: str, number: float, constant: float) -> bool:
    return {"=": number == constant, "!=": number != constant, "<": number < constant, "<=": number <= constant,
            ">": number > constant, ">=": number >= constant}[op]
