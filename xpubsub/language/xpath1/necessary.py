"""Finds what must hold wherever an expression of XPath 1.0 holds, in the core language.

A necessary condition never misses: parts that the core language cannot say are dropped where that only lets more
through, a step up, back or aside goes on from any node of the message, and under `not()` only what is said exactly
counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from xpubsub.language.xpath.normal import FLIPPED
from xpubsub.language.xpath.syntax import And, Call, Compare, Expr, NodeTest, Number, Or, Path
from xpubsub.language.xpath1.constants import constant_value, core_constant, emptied, looks_at_context, node_sets
from xpubsub.language.xpath1.exact import Exact
from xpubsub.language.xpath1.extensions import NoValue
from xpubsub.language.xpath1.inexact import Inexact
from xpubsub.language.xpath1.libxml import evaluated
from xpubsub.language.xpath1.trails import Trail, chains
from xpubsub.language.xpath1.tree import (
    COMPARING,
    Calling,
    Chars,
    Operation,
    XPathTree,
    type_of,
)
from xpubsub.language.xpath1.truths import OPPOSITE, TRUE_EXPR, negated
from xpubsub.language.xpath1.value_tests import MOST_COUNTED


def necessary_filter(tree: XPathTree) -> Expr | None:
    """Return what holds of each message that matches; None if nothing is known."""
    return Necessary(None).truth(tree)


@dataclass(frozen=True)
class Necessary:
    """Finds necessary conditions of expressions at one context node: the document (None), or one that passes a test."""

    here: NodeTest | None

    def truth(self, tree: XPathTree) -> Expr | None:
        """Return what must hold if an expression is true."""
        try:
            return _unless_true(Exact(self.here).truth(tree))
        except Inexact:
            return self._inexact(tree)

    def _inexact(self, tree: XPathTree) -> Expr | None:
        match tree:
            case Operation("and", parts):
                return all_of(map(self.truth, parts))
            case Operation("or", parts):
                return one_of(map(self.truth, parts))
            case Calling("not", (part,)):
                return self._falsity(part)
            case Calling("boolean", (part,)):
                return self.truth(part)
            case Calling("contains" | "starts-with" as name, (text, part)):
                return self._text_call(name, text, part) or self._if_nothing(tree)
            case Calling("ends-with", (text, part)):
                return self._text_call("contains", text, part) or self._if_nothing(tree)
            case Calling("compare-dates", (_, _, *dates)):
                return all_of(self._tested(each, lambda path: path) for each in dates if type_of(each) == "nodes")
            case Operation(op, (left, right)) if op in COMPARING:
                return self._comparison(op, left, right) or self._if_nothing(tree)
        return self._tested(tree, lambda path: path) if type_of(tree) == "nodes" else self._if_nothing(tree)

    def _falsity(self, tree: XPathTree) -> Expr | None:
        """Return what must hold if an expression is false."""
        try:
            return _unless_true(negated(Exact(self.here).truth(tree)))
        except Inexact:
            pass
        match tree:
            case Operation("and", parts):
                return one_of(map(self._falsity, parts))
            case Operation("or", parts):
                return all_of(map(self._falsity, parts))
            case Calling("not", (part,)):
                return self.truth(part)
            case Calling("boolean", (part,)):
                return self._falsity(part)
            case Operation(op, (Calling("count", _) as left, right)) if op in OPPOSITE and _is_number(right):
                return self._inexact(Operation(OPPOSITE[op], (left, right)))
        return self._if_nothing(Calling("not", (tree,)))

    def _comparison(self, op: str, left: XPathTree, right: XPathTree) -> Expr | None:
        if "boolean" in (type_of(left), type_of(right)):
            return None
        if type_of(left) != "nodes" or constant_value(left) is not None:
            op, left, right = FLIPPED[op], right, left
        if type_of(left) == "nodes":
            constant = constant_value(right)
            if constant is not None and not isinstance(constant, bool):
                return self._tested(left, lambda path: Compare(op, path, core_constant(constant)))
            both = [each for each in (left, right) if type_of(each) == "nodes"]
            return all_of(self._tested(each, lambda path: path) for each in both)
        return self._of_value(op, left, right) or self._of_value(FLIPPED[op], right, left)

    def _of_value(self, op: str, call: XPathTree, other: XPathTree) -> Expr | None:
        if call == Calling("name") and op == "=" and self.here is not None:
            constant = constant_value(other)
            local = constant.rpartition(":")[2] if isinstance(constant, str) else ""
            return Necessary(self.here).truth(Operation("=", (Calling("local-name"), Chars(local)))) if local else None
        return self._of_first(op, call, other)

    def _of_first(self, op: str, call: XPathTree, other: XPathTree) -> Expr | None:
        """Return what a comparison of `string(nodes)` or `number(nodes)` needs: some of the nodes passes it."""
        constant = constant_value(other)
        if constant is None or isinstance(constant, bool) or not isinstance(call, Calling):
            return None
        compares = op == "=" and bool(constant) if isinstance(constant, str) else op != "!="
        match call:
            case Calling("count", (nodes,)) if isinstance(constant, float):
                return self._at_least(nodes, op, constant)
            case Calling("string" | "number", (nodes,)) if type_of(nodes) == "nodes" and compares:
                number = constant_value(Calling("number", (other,))) if call.name == "number" else constant
                if number is None or isinstance(number, bool):
                    return None
                return self._tested(nodes, lambda path: Compare(op, path, core_constant(number)))
        return None

    def _at_least(self, nodes: XPathTree, op: str, constant: float) -> Expr | None:
        """Return what a number of nodes needs: so many nodes where less is asked of them."""
        least = math.floor(constant) + 1 if op == ">" else math.ceil(constant) if op in (">=", "=") else 0
        if not 1 < least < MOST_COUNTED or len(chains(nodes)) != 1:
            return None
        return self._tested(nodes, lambda path: Call("at-least", path, Number(float(least))))

    def _text_call(self, name: str, text: XPathTree, part: XPathTree) -> Expr | None:
        needle = constant_value(part)
        nodes = text.arguments[0] if isinstance(text, Calling) and text.name == "string" and text.arguments else text
        if not isinstance(needle, str) or not needle or type_of(nodes) != "nodes":
            return None
        contains = Call(name, Path(False, ()), core_constant(needle))
        return self._tested(nodes, lambda path: _with_condition(path, contains))

    def _if_nothing(self, tree: XPathTree) -> Expr | None:
        """Return that one of the paths selects something, if the expression is false where none does."""
        sets = node_sets(tree)
        if not sets or looks_at_context(tree) or _holds_for_nothing(tree):
            return None
        return one_of(self._tested(each, lambda path: path) for each in sets)

    def _tested(self, tree: XPathTree, test: Callable[[Path], Expr]) -> Expr | None:
        """Return what must hold if some node of a node-set passes a test."""
        return one_of(self._chained(start, steps, test) for start, steps in chains(tree))

    def _chained(self, start: object, steps: Iterable[object], test: Callable[[Path], Expr]) -> Expr | None:
        trail = Trail.at(start, self.here, lambda tree, at: Necessary(at).truth(tree))
        for step in steps:
            trail = trail.after(step)  # type: ignore[arg-type]
        return trail.condition(test)


def all_of(parts: Iterable[Expr | None]) -> Expr | None:
    """Return the conjunction of what is known; None if nothing is."""
    known = tuple(dict.fromkeys(part for part in parts if part is not None))
    return known[0] if len(known) == 1 else And(known) if known else None


def one_of(parts: Iterable[Expr | None]) -> Expr | None:
    """Return the disjunction; None if nothing is known of one of the parts."""
    given = list(dict.fromkeys(parts))
    if None in given:
        return None
    known = tuple(part for part in given if part is not None)
    return known[0] if len(known) == 1 else Or(known) if known else Number(0.0)


def _is_number(tree: XPathTree) -> bool:
    """Whether an expression is a constant number, so that the opposite of comparing with it is a comparison, too."""
    return isinstance(constant_value(tree), float)


def _unless_true(expr: Expr) -> Expr | None:
    return None if expr == TRUE_EXPR else expr


def _with_condition(path: Path, condition: Expr) -> Expr:
    """Put a condition on the node at the end of a path."""
    if not path.steps:
        assert isinstance(condition, Call)
        return Call(condition.name, path, condition.right)
    *before, last = path.steps
    changed = type(last)(last.axis, last.test, (*last.predicates, condition))
    return Path(path.absolute, (*before, changed))


def _holds_for_nothing(tree: XPathTree) -> bool:
    """Whether an expression is true where none of its paths selects anything."""
    try:
        return bool(evaluated(Calling("boolean", (emptied(tree),))))
    except NoValue:
        return False
