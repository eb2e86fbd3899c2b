"""Truths of the core language: constants, opposites, and comparisons of whole numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

from xpubsub.language.xpath.syntax import And, Expr, Not, Number

TRUE_EXPR, FALSE_EXPR = Number(1.0), Number(0.0)
OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
"""The comparison that holds of two numbers where another does not."""


def negated(expr: Expr) -> Expr:
    """Return the opposite of an expression."""
    if expr in (TRUE_EXPR, FALSE_EXPR):
        return FALSE_EXPR if expr == TRUE_EXPR else TRUE_EXPR
    return expr.part if isinstance(expr, Not) else Not(expr)


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


def never_equal(op: str) -> Expr:
    """Return a comparison with what is not a number."""
    return TRUE_EXPR if op == "!=" else FALSE_EXPR


def whether_any(op: str, constant: str | float) -> bool | None:
    """Whether comparing a count asks for some (True) or none (False); None if it asks for a number of them."""
    if isinstance(constant, str):
        return None
    answers = {_holds(op, count, constant) for count in (1, 2, 10**15)}
    none = _holds(op, 0, constant)
    return (not none) if answers == {not none} else None


def _holds(op: str, number: float, constant: float) -> bool:
    return {"=": number == constant, "!=": number != constant, "<": number < constant, "<=": number <= constant,
            ">": number > constant, ">=": number >= constant}[op]
