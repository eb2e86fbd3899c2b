"""Which predicates count positions."""

from __future__ import annotations

from xpubsub.language.xpath1.constants import looks_at_position
from xpubsub.language.xpath1.tree import Calling, Numeral, Operation, XPathTree, type_of

_POSITION, _LAST = Calling("position"), Calling("last")
_ONES = {(_POSITION, Numeral("1")), (Numeral("1"), _POSITION), (_POSITION, _LAST), (_LAST, _POSITION)}


def is_position(predicate: XPathTree) -> bool:
    """Whether a predicate depends on the position of a node among others."""
    return type_of(predicate) == "number" or looks_at_position(predicate)


def always_one_left(predicate: XPathTree) -> bool:
    """Whether a predicate selects one node of each group, which is never empty: the first, or the last."""
    match predicate:
        case Numeral("1") | Calling("last"):
            return True
        case Operation("=", (left, right)):
            return (left, right) in _ONES
    return False
