"""Turns XPath filters into normal form: a disjunction of conjunctions of *items*.

An item is a linear path from a context node with a test at its end; the hops of the path may carry conditions,
which are again items. `or` is removed (disjunctive normal form), `not` is a flag of an item, `.` is removed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from xpubsub.errors import LimitError, UnsupportedError
from xpubsub.hashed import hashed_once
from xpubsub.language.instead import refusal
from xpubsub.language.xpath.numbers import to_number, to_text
from xpubsub.language.xpath.syntax import (
    And,
    Axis,
    Call,
    Compare,
    Expr,
    Literal,
    NodeTest,
    Not,
    Number,
    Or,
    Path,
    PathStep,
)
from xpubsub.limits import Limits

FLIPPED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""The comparison operators, each with its mirror image for swapped sides."""


@hashed_once
@dataclass(frozen=True)
class Test:
    """What must hold of a node: `exists`, a comparison, `contains` or `starts-with`; or of several, `at-least` so many.

    Exactly one of `value` (compared as a string) and `number` (compared as a number) is set, none for `exists`.
    """

    op: str = "exists"
    value: str | None = None
    number: float | None = None


@hashed_once
@dataclass(frozen=True)
class Hop:
    """One step without its predicates, and the conditions that they became."""

    axis: Axis
    test: NodeTest
    conditions: tuple[Item, ...] = ()


@hashed_once
@dataclass(frozen=True)
class Item:
    """A path from a context node and a test of the nodes at its end: of some node, or (`first`) of the first."""

    hops: tuple[Hop, ...]
    test: Test = Test()
    absolute: bool = False
    negated: bool = False
    first: bool = False
    variable: str | None = None
    """The variable whose node the path starts at, in a transformation."""


Conjunction = tuple[Item, ...]
Disjunction = tuple[Conjunction, ...]
TRUE: Disjunction = ((),)
FALSE: Disjunction = ()


class Normalizer:
    """Turns trees into normal form, within limits, with errors that point into the text."""

    def __init__(self, text: str, limits: Limits) -> None:
        self._text = text
        self._limits = limits

    def boolean(self, expr: Expr) -> Disjunction:
        """Return the normal form of XPath's `boolean(expr)`."""
        match expr:
            case Or(parts):
                return self._bounded(itertools.chain.from_iterable(map(self.boolean, parts)))
            case And(parts):
                return self._conjunction([self.boolean(part) for part in parts])
            case Not(part):
                return self._negation(self.boolean(part))
            case Path():
                return self._path(expr, Test())
            case Compare():
                return self._compare(expr)
            case Call():
                return self._call(expr)
            case Literal(text):
                return TRUE if text else FALSE
            case Number(number):
                return TRUE if number else FALSE

    def selected(self, path: Path) -> Disjunction:
        """Return the ways to select a node by a path: each an item for the path, then further conditions."""
        return self._path(path, Test())

    def product(self, parts: list[Disjunction]) -> list[tuple[Conjunction, ...]]:
        """Return each choice of one conjunction from each part, within the limit."""
        if math.prod(map(len, parts)) > self._limits.max_disjuncts:
            raise self._too_many()
        return list(itertools.product(*parts))

    def _bounded(self, conjunctions: Iterable[Conjunction]) -> Disjunction:
        """Return the distinct conjunctions, within the limit."""
        kept: dict[Conjunction, None] = {}
        for conjunction in conjunctions:
            kept[tuple(dict.fromkeys(conjunction))] = None
            if len(kept) > self._limits.max_disjuncts:
                raise self._too_many()
        return tuple(kept)

    def _too_many(self) -> LimitError:
        most = self._limits.max_disjuncts
        reason = f"`or` written out gives more than {most} conjunctions (max_disjuncts): split the subscription"
        return LimitError(reason, code="limit-disjuncts", text=self._text)

    def _conjunction(self, parts: list[Disjunction]) -> Disjunction:
        if all(len(part) == 1 for part in parts):
            return (tuple(dict.fromkeys(item for [conjunction] in parts for item in conjunction)),)
        product: Disjunction = TRUE
        for part in parts:
            product = self._bounded(left + right for left in product for right in part)
        return product

    def _negation(self, disjunction: Disjunction) -> Disjunction:
        opposites: list[Disjunction] = [
            tuple((replace(item, negated=not item.negated),) for item in conjunction) for conjunction in disjunction
        ]
        return self._conjunction(opposites)

    def _path(self, path: Path, test: Test) -> Disjunction:
        """Return the normal form of "some node at the end of the path passes the test"."""
        choices = [self._conjunction([self.boolean(each) for each in step.predicates]) for step in path.steps]
        if all(len(choice) == 1 for choice in choices):
            return (self._item(path, test, tuple(choice[0] for choice in choices)),)
        if math.prod(map(len, choices)) > self._limits.max_disjuncts:
            raise self._too_many()
        return self._bounded(self._item(path, test, chosen) for chosen in itertools.product(*choices))

    def _item(self, path: Path, test: Test, chosen: tuple[Conjunction, ...]) -> Conjunction:
        """Return one item, and the conditions that do not depend on its path (absolute paths in predicates)."""
        hops = tuple(_hop(step, conditions) for step, conditions in zip(path.steps, chosen, strict=True))
        elsewhere = tuple(item for conditions in chosen for item in conditions if item.absolute)
        return (Item(hops, test, path.absolute, variable=path.variable), *elsewhere)

    def _compare(self, compare: Compare) -> Disjunction:
        op, left, right = compare.op, compare.left, compare.right
        if isinstance(right, Path):
            op, left, right = FLIPPED[op], right, left
        if not isinstance(left, Path):
            return TRUE if _constant_comparison(op, left, right) else FALSE
        test = _comparison(op, right)
        return self._path(left, test) if test else FALSE

    def _call(self, call: Call) -> Disjunction:
        if call.name == "at-least":
            assert isinstance(call.right, Number)
            return self._first(call, Test(call.name, number=call.right.value))
        if call.name in FLIPPED:
            test = _comparison(call.name, call.right)
            return self._first(call, test) if test else FALSE
        needle = self._string(call.right, call)
        if not isinstance(call.left, Path):
            haystack = self._string(call.left, call)
            found = needle in haystack if call.name == "contains" else haystack.startswith(needle)
            return TRUE if found else FALSE
        if not needle:
            return TRUE
        return self._first(call, Test(call.name, needle))

    def _first(self, call: Call, test: Test) -> Disjunction:
        """Return the normal form of "the first node at the end of the path passes the test"."""
        assert isinstance(call.left, Path)
        chosen = tuple(self._single(step, call) for step in call.left.steps)
        item, *elsewhere = self._item(call.left, test, chosen)
        return ((replace(item, first=True), *elsewhere),)

    def _single(self, step: PathStep, call: Call) -> Conjunction:
        """Return a step's conditions as one conjunction: the first node of a union is not the union of first nodes."""
        disjunction = self._conjunction([self.boolean(each) for each in step.predicates])
        if len(disjunction) == 1:
            return disjunction[0]
        if any(item.absolute for conjunction in disjunction for item in conjunction):
            raise self._refuse(f"an absolute path beside `or` inside {call.name}()", call)
        neither = tuple(_group(conjunction, negated=True) for conjunction in disjunction)
        return (_group(neither, negated=True),)

    def _string(self, expr: Expr, call: Call) -> str:
        text = expr.value if isinstance(expr, Literal) else to_text(expr.value) if isinstance(expr, Number) else None
        if text is None:
            raise self._refuse(f"this number as an argument of {call.name}()", call)
        return text

    def _refuse(self, construct: str, call: Call) -> UnsupportedError:
        return UnsupportedError(refusal(construct), code="unsupported", text=self._text, offset=call.offset)


def _hop(step: PathStep, conditions: Conjunction) -> Hop:
    return Hop(step.axis, step.test, tuple(item for item in conditions if not item.absolute))


def _group(conditions: Conjunction, negated: bool) -> Item:
    """Return the context node under conditions: `.[conditions]`."""
    return Item((Hop("self", NodeTest("node"), conditions),), negated=negated)


def _comparison(op: str, constant: Expr) -> Test | None:
    """Return the test against a constant; None if it can never hold."""
    assert isinstance(constant, Literal | Number)
    if isinstance(constant, Literal) and op in ("=", "!="):
        return Test(op, value=constant.value)
    number = _number(constant)
    return None if number is None else Test(op, number=number)


def _number(constant: Expr) -> float | None:
    assert isinstance(constant, Literal | Number)
    return to_number(constant.value) if isinstance(constant, Literal) else constant.value + 0.0


def _constant_comparison(op: str, left: Expr, right: Expr) -> bool:
    if isinstance(left, Literal) and isinstance(right, Literal) and op in ("=", "!="):
        return (left.value == right.value) == (op == "=")
    a, b = _number(left), _number(right)
    if a is None or b is None:
        return op == "!="
    return {"=": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]
