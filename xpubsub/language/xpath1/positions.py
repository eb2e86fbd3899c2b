"""Which predicates count positions."""

from __future__ import annotations

import math

from xpubsub.language.xpath1.constants import looks_at_position
from xpubsub.language.xpath1.tree import Calling, Numeral, Operation, XPathTree, type_of

_POSITION, _LAST = Calling("position"), Calling("last")
_ONES = {(_POSITION, Numeral("1")), (Numeral("1"), _POSITION), (_POSITION, _LAST), (_LAST, _POSITION)}


def is_position(predicate: XPathTree) -> bool:
    """Whether a predicate depends on the position of a node among others."""
    return type_of(predicate) == "number" or looks_at_position(predicate)


def least_size(predicate: XPathTree) -> int | None:
    """Return how many nodes a group needs so that a position selects one of them; None if that is not known."""
    match predicate:
        case Numeral():
            return int(predicate.value) if predicate.value >= 1 and predicate.value.is_integer() else None
        case Operation(op, (Calling("position"), Numeral() as number)) if number.value >= 1:
            return _least(op, number.value)
    return None


def _least(op: str, number: float) -> int | None:
    match op:
        case "=":
            return int(number) if number.is_integer() else None
        case ">":
            return math.floor(number) + 1
        case ">=":
            return math.ceil(number)
        case "!=":
            return 2 if number == 1 else 1
    return None


def always_one_left(predicate: XPathTree) -> bool:
    """Whether a predicate selects one node of each group, which is never empty: the first, or the last."""
    match predicate:
        case Numeral("1") | Calling("last"):
            return True
        case Operation("=", (left, right)):
            return (left, right) in _ONES
    return False
