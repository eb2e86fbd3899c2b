"""Compares atomic values: as filters do where values are untyped, else as XQuery does."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from xpubsub.errors import DynamicError
from xpubsub.language.xpath.numbers import to_number
from xpubsub.output.evaluation.items import (
    Untyped,
    XItem,
    XItems,
    is_number,
    to_boolean,
    to_date,
    to_double,
    value_text,
)

ValueTest = Callable[[Any, Any], bool]
OPERATORS: dict[str, ValueTest] = {
    "=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge, "eq": eq, "ne": ne, "lt": lt, "le": le, "gt": gt, "ge": ge,
}
_BY_ORDER = ("<", "<=", ">", ">=")


def general(op: str, left: XItems, right: XItems) -> bool:
    """Whether some value of the left compares with some value of the right."""
    if op == "=" and len(left) > 8 and len(right) > 8 and _untyped(left) and _untyped(right):
        return not set(left).isdisjoint(right)
    compare = OPERATORS[op]
    ordered = op in _BY_ORDER
    return any(compare(*_general_pair(one, other, ordered=ordered)) for one in left for other in right)


def _untyped(values: XItems) -> bool:
    return all(isinstance(each, str) for each in values)


def _general_pair(left: XItem, right: XItem, *, ordered: bool) -> tuple[Any, Any]:
    """Convert a pair of values for a general comparison."""
    if isinstance(left, Untyped):
        if isinstance(right, Untyped):
            return (_number(left), _number(right)) if ordered else (str(left), str(right))
        return _untyped_with(left, right)
    if isinstance(right, Untyped):
        other, untyped = _untyped_with(right, left)
        return untyped, other
    return comparable(left, right)


def _untyped_with(untyped: Untyped, other: XItem) -> tuple[Any, Any]:
    """Convert an untyped value and one of a type."""
    if isinstance(other, str):
        return str(untyped), str(other)
    if isinstance(other, bool):
        return to_boolean(untyped), other
    return (to_date(untyped), other) if isinstance(other, date) else (_number(untyped), to_double(other))


def _number(text: str) -> float:
    number = to_number(text)
    return math.nan if number is None else number


def value_comparison(op: str, left: XItems, right: XItems) -> XItems:
    """Compare two values, if both are there."""
    if len(left) > 1 or len(right) > 1:
        raise DynamicError("XPTY0004", f"several items are compared by {op}")
    if not left or not right:
        return []
    return [OPERATORS[op](*comparable(_as_string(left[0]), _as_string(right[0])))]


def _as_string(value: XItem) -> XItem:
    return str(value) if isinstance(value, Untyped) else value


def comparable(left: XItem, right: XItem) -> tuple[Any, Any]:
    """Return two values of types that can be compared."""
    if is_number(left) and is_number(right):
        if isinstance(left, float) or isinstance(right, float):
            return to_double(left), to_double(right)
        return left, right
    if value_kind(left) != value_kind(right):
        raise DynamicError("XPTY0004", f"{value_text(left)[:60]!r} cannot be compared with {value_text(right)[:60]!r}")
    return left, right


def value_kind(value: XItem) -> str:
    """Return the name of a value's kind; values of one kind can be compared."""
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "boolean"
    return "date" if isinstance(value, date) else "number"


def distinct_key(value: XItem) -> tuple[str, Any]:
    """Return a key that equal values have in common."""
    if isinstance(value, float) and math.isnan(value):
        return "number", "NaN"
    return value_kind(value), str(value) if isinstance(value, str) else value


def order_rank(value: XItem | None, *, greatest: bool) -> tuple[int, Any]:
    """Return the place of a sort key: what is empty comes first or (`greatest`) last, NaN beside it."""
    if value is None:
        return (2 if greatest else 0), 0
    if isinstance(value, float) and math.isnan(value):
        return 1, 0
    return (0 if greatest else 2), value


def check_order(keys: list[XItem | None]) -> None:
    """Raise an error if the keys of a sort cannot be compared."""
    kinds = {value_kind(each) for each in keys if each is not None}
    if len(kinds) > 1:
        raise DynamicError("XPTY0004", f"keys of several types: {' and '.join(sorted(kinds))}")


def extreme(values: XItems, name: str) -> XItems:
    """Return the least or greatest value."""
    numbers = [to_double(each) if isinstance(each, Untyped) else each for each in values]
    if not numbers:
        return []
    if len({value_kind(each) for each in numbers}) > 1:
        raise DynamicError("FORG0006", f"{name}() of values of several types")
    if any(isinstance(each, float) for each in numbers):
        numbers = [to_double(each) for each in numbers]
        if any(map(math.isnan, numbers)):
            return [math.nan]
    best = min(numbers) if name == "min" else max(numbers)
    return [best]


