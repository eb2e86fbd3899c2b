"""Variables of a subscription: each stands for the value that it is bound to, or for any of several."""

from __future__ import annotations

from decimal import Decimal

from xpubsub.language.xpath1.tree import Calling, Chars, Negative, Numeral, Operation, XPathTree, children

VariableValue = str | float | bool | list[str | float]
"""A string, a number, a truth value, or a list of strings and numbers."""
_CHOICE = "one of"


def bound_tree(value: VariableValue) -> XPathTree:
    """Return the value of a variable as an expression."""
    if isinstance(value, bool):
        return Calling("true" if value else "false")
    if isinstance(value, str):
        return Chars(value)
    if isinstance(value, list):
        return Operation(_CHOICE, tuple(map(bound_tree, value)))
    written = Numeral(format(Decimal(repr(abs(value))), "f"))
    return Negative(written) if value < 0 else written


def compared(op: str, left: XPathTree, right: XPathTree) -> XPathTree:
    """Return a comparison; with a list, as with nodes, it holds if it holds for one of the values."""
    if _is_list(left):
        return _any_of([compared(op, each, right) for each in children(left)])
    if _is_list(right):
        return _any_of([compared(op, left, each) for each in children(right)])
    return Operation(op, (left, right))


def has_list(tree: XPathTree) -> bool:
    """Whether a list of values is left, which only comparisons accept."""
    return _is_list(tree) or any(map(has_list, children(tree)))


def _is_list(tree: XPathTree) -> bool:
    return isinstance(tree, Operation) and tree.op == _CHOICE


def _any_of(parts: list[XPathTree]) -> XPathTree:
    if not parts:
        return Calling("false")
    return parts[0] if len(parts) == 1 else Operation("or", tuple(parts))
