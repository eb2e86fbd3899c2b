"""How a linear path's nodes are used: their existence, their text, their number, or a copy of them."""

from __future__ import annotations

from xpubsub.language.xpath.normal import Test

EXISTS, VALUE, NUMBER, COPY = 1, 2, 4, 8
"""Bits: existence of a node, its string value, its value as a number, a copy of it."""


def use_of(test: Test) -> int:
    """Return the use of a node that a test needs."""
    if test.op in ("exists", "at-least"):
        return EXISTS
    return EXISTS | VALUE | (NUMBER if test.number is not None else 0)
