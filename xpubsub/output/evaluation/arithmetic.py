"""Arithmetic of XQuery: integers, decimal numbers and doubles; untyped values are doubles."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from typing import Any

from xpubsub.errors import DynamicError
from xpubsub.output.evaluation.items import Untyped, XItem, XItems, is_number, to_double, value_text

_EXACT = Context(prec=400)
_DIVISION_DIGITS = 18
"""How many digits after the point a quotient of decimal numbers has at most, as in Saxon."""
_MOST_ITEMS = 1_000_000


def operate(op: str, left: XItems, right: XItems) -> XItems:
    """Return the result of an operator; nothing if an operand is empty."""
    if len(left) > 1 or len(right) > 1:
        raise DynamicError("XPTY0004", f"several items are an operand of '{op}'")
    if not left or not right:
        return []
    if op == "to":
        return _range(left[0], right[0])
    a, b = number_of(left[0], op), number_of(right[0], op)
    if isinstance(a, float) or isinstance(b, float):
        return [_of_doubles(op, to_double(a), to_double(b))]
    return [_exactly(op, a, b)]


def number_of(value: XItem, op: str) -> Any:
    """Return an operand as a number."""
    if isinstance(value, Untyped):
        return to_double(value)
    if not is_number(value):
        raise DynamicError("XPTY0004", f"{value_text(value)[:60]!r} is an operand of '{op}'")
    return value


def _range(left: XItem, right: XItem) -> XItems:
    ends = [int(str(each).strip()) if isinstance(each, Untyped) and str(each).strip().lstrip("+-").isdigit() else each
            for each in (left, right)]
    if not all(isinstance(each, int) and not isinstance(each, bool) for each in ends):
        raise DynamicError("XPTY0004", "'to' stands between integers")
    if ends[1] - ends[0] > _MOST_ITEMS:
        raise DynamicError("XPDY0130", f"more than {_MOST_ITEMS} items")
    return list(range(ends[0], ends[1] + 1))


def _of_doubles(op: str, a: float, b: float) -> Any:
    if op == "+":
        return a + b
    if op == "-":
        return a - b
    if op == "*":
        return a * b
    if op == "idiv":
        if b == 0:
            raise DynamicError("FOAR0001", "division by zero")
        if math.isnan(a) or math.isinf(a) or math.isnan(b):
            raise DynamicError("FOAR0002", "the quotient is no integer")
        return int(a / b)
    if op == "div":
        return _divided(a, b)
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0:
        return math.nan
    return a if math.isinf(b) else math.fmod(a, b)


def _divided(a: float, b: float) -> float:
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1, b)


def _exactly(op: str, a: Any, b: Any) -> Any:
    """Return the result for integers and decimal numbers."""
    whole = isinstance(a, int) and isinstance(b, int)
    x, y = Decimal(a), Decimal(b)
    if op in ("div", "idiv", "mod") and y == 0:
        raise DynamicError("FOAR0001", "division by zero")
    if op == "+":
        return a + b if whole else _EXACT.add(x, y)
    if op == "-":
        return a - b if whole else _EXACT.subtract(x, y)
    if op == "*":
        return a * b if whole else _EXACT.multiply(x, y)
    if op == "div":
        return _quotient(x, y)
    if op == "idiv":
        return int(_EXACT.divide_int(x, y))
    rest = _EXACT.remainder(x, y)
    return int(rest) if whole else rest


def _quotient(x: Decimal, y: Decimal) -> Decimal:
    digits = max(_DIVISION_DIGITS, -int(x.as_tuple().exponent), -int(y.as_tuple().exponent))
    return _EXACT.divide(x, y).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_DOWN, _EXACT)


def opposite(values: XItems) -> XItems:
    """Return a number with the other sign."""
    if len(values) > 1:
        raise DynamicError("XPTY0004", "several items are an operand of '-'")
    return [-number_of(each, "-") for each in values]


def total(values: XItems, name: str) -> Any:
    """Return the sum of values, of which there is at least one."""
    numbers = [to_double(each) if isinstance(each, Untyped) else each for each in values]
    if not all(map(is_number, numbers)):
        raise DynamicError("FORG0006", f"{name}() of what is not a number")
    found = numbers[0]
    for each in numbers[1:]:
        [found] = operate("+", [found], [each])
    return found


def rounded(value: Any, name: str, digits: int = 0) -> Any:
    """Return a number rounded: `round` to the greater of two, `floor`, `ceiling`, `round-half-to-even`."""
    if isinstance(value, int):
        if digits >= 0:
            return value
        return int(_rounded(Decimal(value), name, digits))
    if isinstance(value, Decimal):
        return _rounded(value, name, digits)
    if math.isnan(value) or math.isinf(value) or value == 0:
        return value
    exact = Decimal(repr(value)) if name == "round-half-to-even" else Decimal(value)
    found = float(_rounded(exact, name, digits))
    return math.copysign(found, value) if found == 0 else found


def _rounded(value: Decimal, name: str, digits: int) -> Decimal:
    modes = {"floor": ROUND_FLOOR, "ceiling": ROUND_CEILING, "round-half-to-even": ROUND_HALF_EVEN}
    mode = modes.get(name) or (ROUND_HALF_UP if value > 0 else ROUND_HALF_DOWN)
    if digits > 0 and -int(value.as_tuple().exponent) <= digits:
        return value
    return value.quantize(Decimal(1).scaleb(-digits), mode, _EXACT)
