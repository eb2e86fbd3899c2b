"""How a linear path's nodes are used by a test: that they are there, their text, their number."""

from __future__ import annotations

from xpubsub.language.normal import Test
from xpubsub.shred.tagpaths import EXISTS, NUMBER, VALUE


def use_of(test: Test) -> int:
    """The use of a node that a test needs."""
    if test.op == "exists":
        return EXISTS
    return EXISTS | VALUE | (NUMBER if test.number is not None else 0)
