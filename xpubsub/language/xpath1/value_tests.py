"""Compares values with constants in the core language: of nodes, of functions, and what is computed."""

from __future__ import annotations

from dataclasses import dataclass, field

from xpubsub.language.xpath.normal import FLIPPED
from xpubsub.language.xpath.syntax import And, Call, Compare, Expr, NodeTest, Number, Or, Path, PathStep
from xpubsub.language.xpath1.computed import ComputedValue, computed_value
from xpubsub.language.xpath1.constants import constant_value, core_constant, emptied
from xpubsub.language.xpath1.inexact import Inexact
from xpubsub.language.xpath1.libxml import evaluated
from xpubsub.language.xpath1.reached import any_of, at_most_one, both_tests, existing, ways_to
from xpubsub.language.xpath1.shared import is_absolute
from xpubsub.language.xpath1.tree import (
    AnyTest,
    AxisStep,
    Calling,
    Location,
    Operation,
    Root,
    XPathTree,
    type_of,
)
from xpubsub.language.xpath1.tree_values import tree_value
from xpubsub.language.xpath1.truths import FALSE_EXPR, OPPOSITE, TRUE_EXPR, bounded, negated, never_equal, whether_any
from xpubsub.language.xpath1.variables import bound_tree

MOST_COUNTED = 10**9
_ROOT_ELEMENT = AxisStep("child", AnyTest("name"))


@dataclass(frozen=True)
class ValueTests:
    """Tests of values that are seen from the same context node: the document (None), or a node that passes a test."""

    here: NodeTest | None
    with_trees: bool = False
    """Whether it may ask for values that lxml computes from the tree around a node."""
    known: dict[tuple[XPathTree, NodeTest | None], Expr | None] = field(default_factory=dict, compare=False)
    """What has been found before, so that no part is looked at again and again: None if it is inexact."""

    def inside(self, tree: XPathTree, test: NodeTest | None) -> Expr:
        """Return the truth of an expression at a node that passes a test."""
        raise NotImplementedError

    def compared(self, op: str, tree: XPathTree, constant: str | float | bool) -> Expr:
        """Compare the value of an expression with a constant."""
        if isinstance(constant, bool):
            raise Inexact
        try:
            return self._without_tree(op, tree, constant)
        except Inexact:
            return self.of_tree(op, tree, constant)

    def _without_tree(self, op: str, tree: XPathTree, constant: str | float) -> Expr:
        if type_of(tree) == "nodes":
            found = ways_to(tree, self.here, self.inside)
            return any_of([each.with_test(lambda path: Compare(op, path, core_constant(constant))) for each in found])
        try:
            return self._of_function(op, tree, constant)
        except Inexact:
            return self._computed(op, computed_value(tree), constant)

    def of_tree(self, op: str, tree: XPathTree, constant: str | float | bool) -> Expr:
        """Compare a value that lxml computes at the context node; the document has none where there are no nodes."""
        if not self.with_trees:
            raise Inexact
        here = None if is_absolute(tree) else self.here
        path = tree_value(tree, here)
        value = _compared_as(op, tree, constant)
        if value is None:
            return never_equal(op)
        found = Compare(op, path, core_constant(value))
        if here is not None or not _holds_without_nodes(op, tree, constant):
            return found
        return negated(Compare("=", path, core_constant("false"))) if constant is True else Or((negated(path), found))

    def _computed(self, op: str, value: ComputedValue, constant: str | float) -> Expr:
        """Compare a value computed from one node with a constant."""
        as_text = value.kind == "string" and isinstance(constant, str) and op in ("=", "!=")
        compared = constant if as_text else constant_value(Calling("number", (bound_tree(constant),)))
        if compared is None:
            return never_equal(op)
        return self.value_test(op, value, compared)

    def value_test(self, op: str, value: ComputedValue, constant: str | float | bool) -> Expr:
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
            case Calling("string-length", _) if whether_any(op, constant) is not None:
                some = self._first("!=", Calling("string", call.arguments), "")
                return some if whether_any(op, constant) else negated(some)
            case Calling("local-name" | "namespace-uri" as name, ()) if isinstance(constant, str) and constant:
                return self._named(op, name, constant)
            case Calling("name", ()) if op == "=" and isinstance(constant, str) and constant.rpartition(":")[2]:
                local = self._named("=", "local-name", constant.rpartition(":")[2])
                return And((local, self.of_tree("=", call, constant)))
            case Calling("local-name" | "namespace-uri" as name, (Location(Root(), (step,)),)) if step == _ROOT_ELEMENT:
                if isinstance(constant, str) and constant and op in ("=", "!="):
                    wanted = (None, constant) if name == "local-name" else (constant, None)
                    root = Path(True, (PathStep("child", NodeTest("element", *wanted)),))
                    return root if op == "=" else negated(root)
        raise Inexact

    def _counted(self, op: str, nodes: XPathTree, constant: str | float) -> Expr:
        some = whether_any(op, constant)
        if some is not None:
            found = existing(ways_to(nodes, self.here, self.inside, existence=True))
            return found if some else negated(found)
        if isinstance(constant, str):
            number = constant_value(Calling("number", (bound_tree(constant),)))
            return self._counted(op, nodes, number) if isinstance(number, float) else never_equal(op)
        return bounded(op, constant, lambda least: self.at_least(nodes, least))

    def at_least(self, nodes: XPathTree, least: int) -> Expr:
        """Return that there are so many nodes."""
        if least > MOST_COUNTED:
            raise Inexact
        if least <= 1:
            return TRUE_EXPR if least < 1 else existing(ways_to(nodes, self.here, self.inside, existence=True))
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
            return never_equal(op)
        if op == "!=":
            return negated(_first_test("=", path, value, at_most_one(path)))
        return _first_test(op, path, value, at_most_one(path))

    def _one_path(self, call: Calling) -> Path:
        if not call.arguments:
            return Path(False, ())
        found = ways_to(call.arguments[0], self.here, self.inside)
        if len(found) != 1 or found[0].conditions:
            raise Inexact
        return found[0].path

    def text_call(self, name: str, text: XPathTree, part: XPathTree) -> Expr:
        needle = constant_value(_text_of(part))
        if not isinstance(needle, str):
            raise Inexact
        if not needle:
            return TRUE_EXPR
        inner = text.arguments[0] if isinstance(text, Calling) and text.name == "string" and text.arguments else text
        try:
            if type_of(inner) != "nodes" and inner != Calling("string"):
                return self.value_test(name, computed_value(_text_of(inner)), needle)
            path = self._one_path(Calling("string", () if inner == Calling("string") else (inner,)))
        except Inexact:
            return self._text_of_tree(name, _text_of(inner), needle)
        return Call(name, path, core_constant(needle))

    def _text_of_tree(self, name: str, text: XPathTree, needle: str) -> Expr:
        if not self.with_trees or (self.here is None and _holds_without_nodes(name, text, needle)):
            raise Inexact
        return Call(name, tree_value(text, self.here), core_constant(needle))


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
