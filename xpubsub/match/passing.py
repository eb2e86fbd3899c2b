"""Decides whether a node passes a test.

The SQL twin is `sql/filter/passes.sql`; `tests/test_explain_agreement.py` compares the two.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from xpubsub.language.xpath.normal import Test

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}


def passes(test: Test, value: str | None, number: float | None) -> bool:
    """Whether a node with this value, and this number (None for NaN), passes a test."""
    if test.op in ("exists", "at-least"):
        return True
    if value is None:
        return False
    if test.op in ("contains", "starts-with"):
        needle = test.value or ""
        return needle in value if test.op == "contains" else value.startswith(needle)
    if test.number is None:
        return (value == test.value) == (test.op == "=")
    return test.op == "!=" if number is None else _COMPARE[test.op](number, test.number)
