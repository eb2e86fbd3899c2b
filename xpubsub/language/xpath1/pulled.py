"""Takes a comparison with a constant out of the last predicate of a path: `a[b = 5]` exists where `a/b = 5` holds.

`a[b[c = 5]]` exists where `a/b[c = 5]` does.
"""

from __future__ import annotations

from dataclasses import replace

from xpubsub.language.xpath.normal import FLIPPED
from xpubsub.language.xpath1.constants import constant_value
from xpubsub.language.xpath1.inexact import Inexact
from xpubsub.language.xpath1.tree import COMPARING, AxisStep, Location, Operation, XPathTree


def pulled_out(tree: XPathTree) -> tuple[str, Location, str | float]:
    """Return an operator, a path and a constant: the comparison of the path holds where the given one exists."""
    match tree:
        case Location(_, (*before, AxisStep(_, _, (*others, Location(None, (_, *_) as onward))) as last)):
            return pulled_out(replace(tree, steps=(*before, replace(last, predicates=tuple(others)), *onward)))
        case Location(_, (*before, AxisStep(_, _, (*others, Operation(op, (left, right)))) as last)) if op in COMPARING:
            if constant_value(left) is not None:
                op, left, right = FLIPPED[op], right, left
            constant = constant_value(right)
            if isinstance(left, Location) and left.start is None and not isinstance(constant, bool | None):
                steps = (*before, replace(last, predicates=tuple(others)), *left.steps)
                return op, replace(tree, steps=steps), constant
    raise Inexact
