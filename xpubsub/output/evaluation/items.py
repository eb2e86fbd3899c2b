"""The items of XQuery: nodes, constructed nodes and atomic values; their texts, and conversions between types."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from xpubsub.errors import DynamicError

XItem = Any
"""A node, a constructed node, or an atomic value: str, Untyped, bool, int, Decimal, float, date."""
XItems = list[XItem]
_DOUBLE = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(Z|[+-][0-9]{2}:[0-9]{2})?")
_SPECIAL = {"INF": math.inf, "+INF": math.inf, "-INF": -math.inf, "NaN": math.nan}
_SPACE = " \t\r\n"


class Untyped(str):
    """An untyped atomic value: that of a node."""


class XNode(int):
    """A node of the message: an element, or the document; its number is its place in document order."""


class AttributeNode(XNode):
    """An attribute of the message."""


class TextNode(XNode):
    """A text of the message."""


@dataclass(frozen=True)
class MadeNode:
    """A constructed element or text, as XML."""

    text: str
    bare: bool = False
    """Whether it must be kept from a default namespace around."""


@dataclass(frozen=True)
class MadeAttribute:
    """A constructed attribute, as it is written, with its declaration before it."""

    written: str
    value: str


def value_text(value: XItem) -> str:
    """Return an atomic value as a string."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _double_text(value)
    if isinstance(value, Decimal):
        return _decimal_text(value)
    return value.isoformat() if isinstance(value, date) else str(int(value))


def _double_text(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "INF" if value > 0 else "-INF"
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    exact = Decimal(repr(value))
    if 1e-6 <= abs(value) < 1e6:
        return _decimal_text(exact)
    sign, digits, exponent = exact.normalize().as_tuple()
    shown = "".join(map(str, digits))
    assert isinstance(exponent, int)
    return f"{'-' * sign}{shown[0]}.{shown[1:] or '0'}E{exponent + len(shown) - 1}"


def _decimal_text(value: Decimal) -> str:
    shown = f"{value:f}"
    shown = shown.rstrip("0").rstrip(".") if "." in shown else shown
    return "0" if shown == "-0" else shown


def to_double(value: XItem) -> float:
    """Convert an atomic value to a number, as `xs:double()` does."""
    if isinstance(value, str):
        text = value.strip(_SPACE)
        if _DOUBLE.fullmatch(text):
            return float(text)
        if text in _SPECIAL:
            return _SPECIAL[text]
        raise DynamicError("FORG0001", f"{text[:60]!r} is not a number")
    if isinstance(value, date):
        raise DynamicError("XPTY0004", "a date is not a number")
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _to_decimal(value: XItem) -> Decimal:
    if isinstance(value, str):
        text = value.strip(_SPACE)
        if not _DECIMAL.fullmatch(text):
            raise DynamicError("FORG0001", f"{text[:60]!r} is not a decimal number")
        return Decimal(text)
    if isinstance(value, float):
        if math.isnan(value) or math.isinf(value):
            raise DynamicError("FOCA0002", f"{value_text(value)} is not a decimal number")
        return Decimal(value)
    if isinstance(value, date):
        raise DynamicError("XPTY0004", "a date is not a number")
    return Decimal(value)


def _to_integer(value: XItem) -> int:
    if isinstance(value, str):
        text = value.strip(_SPACE)
        if not _INTEGER.fullmatch(text):
            raise DynamicError("FORG0001", f"{text[:60]!r} is not an integer")
        return int(text)
    return int(_to_decimal(value))


def to_boolean(value: XItem) -> bool:
    """Convert an atomic value to a truth value, as `xs:boolean()` does."""
    if isinstance(value, str):
        text = value.strip(_SPACE)
        if text not in ("true", "1", "false", "0"):
            raise DynamicError("FORG0001", f"{text[:60]!r} is not a truth value")
        return text in ("true", "1")
    if isinstance(value, date):
        raise DynamicError("XPTY0004", "a date is not a truth value")
    return not math.isnan(value) and bool(value)


def to_date(value: XItem) -> date:
    """Convert an atomic value to a date without a time zone, as `xs:date()` does."""
    if isinstance(value, date):
        return value
    if not isinstance(value, str):
        raise DynamicError("XPTY0004", f"{value_text(value)} is not a date")
    match = _DATE.fullmatch(value.strip(_SPACE))
    if match is None:
        raise DynamicError("FORG0001", f"{value[:60]!r} is not a date")
    if match[4]:
        raise DynamicError("FORG0001", "a date with a time zone is not supported")
    try:
        return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        raise DynamicError("FORG0001", f"{value[:60]!r} is not a date") from None


CASTS: dict[str, Callable[[XItem], XItem]] = {
    "xs:string": value_text, "xs:untypedAtomic": lambda value: Untyped(value_text(value)), "xs:double": to_double,
    "xs:decimal": _to_decimal, "xs:integer": _to_integer, "xs:boolean": to_boolean, "xs:date": to_date,
}
"""The conversions to atomic types, by the type's name."""
_OF_TYPE: dict[str, Callable[[XItem], bool]] = {
    "xs:string": lambda value: isinstance(value, str) and not isinstance(value, Untyped),
    "xs:untypedAtomic": lambda value: isinstance(value, Untyped),
    "xs:double": lambda value: isinstance(value, float),
    "xs:decimal": lambda value: isinstance(value, int | Decimal) and not isinstance(value, bool),
    "xs:integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "xs:boolean": lambda value: isinstance(value, bool), "xs:date": lambda value: isinstance(value, date),
}


def converted(value: XItem, type_name: str) -> XItem:
    """Convert an argument to a declared type: untyped values are cast, numbers become doubles, others must fit."""
    if isinstance(value, Untyped) and type_name != "xs:untypedAtomic":
        return CASTS[type_name](value)
    if type_name == "xs:double" and is_number(value):
        return to_double(value)
    if not _OF_TYPE[type_name](value):
        raise DynamicError("XPTY0004", f"{value_text(value)[:60]!r} is not of the type {type_name}")
    return value


def is_number(value: XItem) -> bool:
    """Whether an atomic value is a number."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)
