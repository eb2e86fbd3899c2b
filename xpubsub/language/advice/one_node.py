"""Finds tests of one node that no value can pass together."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from xpubsub.language.xpath.normal import Test
from xpubsub.language.xpath.numbers import to_number
from xpubsub.language.xpath.written import tested

_OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_NEEDS_NUMBER = ("=", "<", "<=", ">", ">=")
_MOST = 40
"""How many tests of one node are compared with one another."""
Span = tuple[float, bool, float, bool]
"""A range of numbers: (least, whether it is excluded, greatest, whether it is excluded)."""


@dataclass(frozen=True)
class Fact:
    """A test that a node passes, or (`negated`) does not pass."""

    node: str
    """The node as it is written."""
    test: Test
    negated: bool = False

    def __str__(self) -> str:
        return tested(self.node, self.test, negated=self.negated)


Clash = tuple[Fact, Fact]
"""Two facts that cannot both hold."""


def clash(facts: Sequence[Fact]) -> Clash | None:
    """Return two facts about one existing node that exclude each other, or None."""
    equal = next((each for each in facts if _sets_value(each)), None)
    if equal is not None:
        value = str(equal.test.value)
        return next(((equal, each) for each in facts if _passes(each.test, value) == each.negated), None)
    facts = facts[:_MOST]
    return _clash_of_numbers(facts) or _clash_of_texts(facts)


def _sets_value(fact: Fact) -> bool:
    return fact.test.value is not None and fact.test.op == ("!=" if fact.negated else "=")


def _passes(test: Test, value: str) -> bool:
    """Whether a node with this value passes a test."""
    match test.op:
        case "exists":
            return True
        case "contains":
            return str(test.value) in value
        case "starts-with":
            return value.startswith(str(test.value))
    if test.number is None:
        return (value == test.value) == (test.op == "=")
    found = to_number(value)
    return test.op == "!=" if found is None else not _apart(test.op, test.number, "=", found)


def _clash_of_numbers(facts: Sequence[Fact]) -> Clash | None:
    """Return two ranges that do not overlap. If the value is a number, a negated comparison is a range too."""
    numeric = [each for each in facts if each.test.number is not None]
    if not any(_needs_number(each) for each in numeric):
        return None
    for one, other in itertools.combinations(numeric, 2):
        if _apart(_op(one), one.test.number or 0.0, _op(other), other.test.number or 0.0):
            return one, other
    return None


def _needs_number(fact: Fact) -> bool:
    return fact.test.op == "!=" if fact.negated else fact.test.op in _NEEDS_NUMBER


def _op(fact: Fact) -> str:
    return _OPPOSITE[fact.test.op] if fact.negated else fact.test.op


def _apart(op: str, number: float, other_op: str, other: float) -> bool:
    if "!=" in (op, other_op):
        return number == other and "=" in (op, other_op)
    return _excluded(_span(op, number), _span(other_op, other))


def _span(op: str, number: float) -> Span:
    least = number if op in ("=", ">", ">=") else -math.inf
    greatest = number if op in ("=", "<", "<=") else math.inf
    return least, op == ">", greatest, op == "<"


def _excluded(one: Span, other: Span) -> bool:
    """Whether two ranges have no number in common."""
    return _below(one, other) or _below(other, one)


def _below(one: Span, other: Span) -> bool:
    return one[2] < other[0] or (one[2] == other[0] and (one[3] or other[1]))


def _clash_of_texts(facts: Sequence[Fact]) -> Clash | None:
    texts = [each for each in facts if each.test.op in ("contains", "starts-with")]
    for one, other in itertools.permutations(texts, 2):
        if not one.negated and _texts_apart(one.test, other):
            return one, other
    return None


def _texts_apart(holds: Test, other: Fact) -> bool:
    have, want = str(holds.value), str(other.test.value)
    if other.negated:
        implied = holds.op == "starts-with" and have.startswith(want)
        return implied if other.test.op == "starts-with" else want in have
    both_start = holds.op == other.test.op == "starts-with"
    return both_start and not have.startswith(want) and not want.startswith(have)
