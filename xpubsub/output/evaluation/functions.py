"""The functions of XQuery, from lists of items to lists of items."""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import eq
from typing import Any

from xpubsub.errors import DynamicError
from xpubsub.language.xpath.syntax import unescaped
from xpubsub.output.evaluation.arithmetic import number_of, operate, rounded, total
from xpubsub.output.evaluation.comparing import comparable, distinct_key, extreme, value_kind
from xpubsub.output.evaluation.items import (
    MadeAttribute,
    MadeNode,
    Untyped,
    XItem,
    XItems,
    XNode,
    is_number,
    to_date,
    to_double,
    value_text,
)

_SPACE = " \t\r\n"
BuiltIn = Callable[..., XItems]


def effective_truth(items: XItems) -> bool:
    """Return the truth value of a sequence."""
    if not items:
        return False
    first = items[0]
    if isinstance(first, XNode | MadeNode | MadeAttribute):
        return True
    if len(items) > 1:
        raise DynamicError("FORG0006", "several values have no truth value")
    if isinstance(first, str | bool):
        return bool(first)
    if not is_number(first):
        raise DynamicError("FORG0006", f"{value_text(first)} has no truth value")
    return bool(first == first and first != 0)


def one_or_none(values: XItems, name: str) -> XItem | None:
    """Return the only value, or None; several are an error."""
    if len(values) > 1:
        raise DynamicError("XPTY0004", f"{name}() is given {len(values)} items instead of one")
    return values[0] if values else None


def string_argument(values: XItems, name: str) -> str:
    """Return an argument that is a string, or missing."""
    value = one_or_none(values, name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise DynamicError("XPTY0004", f"{name}() is given {value_text(value)} instead of a string")
    return str(value)


def _of_string(name: str, apply: Callable[[str], XItem]) -> BuiltIn:
    return lambda values: [apply(string_argument(values, name))]


def _of_strings(name: str, apply: Callable[[str, str], XItem]) -> BuiltIn:
    return lambda left, right: [apply(string_argument(left, name), string_argument(right, name))]


def _concat(*arguments: XItems) -> XItems:
    values = [one_or_none(each, "concat") for each in arguments]
    return ["".join(value_text(each) for each in values if each is not None)]


def _string_join(values: XItems, separator: XItems | None = None) -> XItems:
    between = "" if separator is None else _one_string(separator, "string-join")
    return [between.join(map(value_text, values))]


def _one_string(values: XItems, name: str) -> str:
    if not values:
        raise DynamicError("XPTY0004", f"{name}() is not given a string")
    return string_argument(values, name)


def _string(values: XItems) -> XItems:
    value = one_or_none(values, "string")
    return ["" if value is None else value_text(value)]


def _number(values: XItems) -> XItems:
    value = one_or_none(values, "number")
    try:
        return [math.nan if value is None else to_double(value)]
    except DynamicError:
        return [math.nan]


def _substring(values: XItems, start: XItems, length: XItems | None = None) -> XItems:
    text = string_argument(values, "substring")
    first = _rounded_double(start)
    last = math.inf if length is None else first + _rounded_double(length)
    return ["".join(each for place, each in enumerate(text, 1) if first <= place < last)]


def _rounded_double(values: XItems) -> float:
    if not values:
        raise DynamicError("XPTY0004", "substring() is not given a number")
    return float(rounded(to_double(number_of(one_or_none(values, "substring"), "substring")), "round"))


def _substring_before(left: str, right: str) -> str:
    return left.partition(right)[0] if right and right in left else ""


def _substring_after(left: str, right: str) -> str:
    return left.partition(right)[2] if right else left


def _translate(values: XItems, before: XItems, after: XItems) -> XItems:
    text, given, taken = (string_argument(values, "translate"), _one_string(before, "translate"),
                          _one_string(after, "translate"))
    table: dict[int, str | None] = {}
    for place, each in enumerate(given):
        table.setdefault(ord(each), taken[place] if place < len(taken) else None)
    return [text.translate(table)]


def _sum(values: XItems, zero: XItems | None = None) -> XItems:
    if not values:
        return [0] if zero is None else zero
    return [total(values, "sum")]


def _avg(values: XItems) -> XItems:
    return operate("div", [total(values, "avg")], [len(values)]) if values else []


def _distinct_values(values: XItems) -> XItems:
    found: dict[Any, XItem] = {}
    for each in values:
        found.setdefault(distinct_key(each), each)
    return list(found.values())


def _rounding(name: str) -> BuiltIn:
    def apply(values: XItems, digits: XItems | None = None) -> XItems:
        value = one_or_none(values, name)
        if value is None:
            return []
        places = 0 if digits is None else int(number_of(one_or_none(digits, name), name))
        return [rounded(number_of(value, name), name, places)]
    return apply


def _abs(values: XItems) -> XItems:
    value = one_or_none(values, "abs")
    return [] if value is None else [abs(number_of(value, "abs"))]


def _of_date(name: str, part: str) -> BuiltIn:
    def apply(values: XItems) -> XItems:
        value = one_or_none(values, name)
        if isinstance(value, str) and not isinstance(value, Untyped):
            raise DynamicError("XPTY0004", f"{name}() is given a string")
        return [] if value is None else [getattr(to_date(value), part)]
    return apply


def _counted(name: str, least: int, most: float, code: str) -> BuiltIn:
    def apply(items: XItems) -> XItems:
        if not least <= len(items) <= most:
            raise DynamicError(code, f"{name}() is given {len(items)} items")
        return items
    return apply


def _subsequence(items: XItems, start: XItems, length: XItems | None = None) -> XItems:
    first = _rounded_double(start)
    last = math.inf if length is None else first + _rounded_double(length)
    return [each for place, each in enumerate(items, 1) if first <= place < last]


def _compare(left: XItems, right: XItems) -> XItems:
    if not left or not right:
        return []
    a, b = string_argument(left, "compare"), string_argument(right, "compare")
    return [(a > b) - (a < b)]


def _index_of(values: XItems, sought: XItems) -> XItems:
    value = one_or_none(sought, "index-of")
    if value is None:
        raise DynamicError("XPTY0004", "index-of() is not given a value")
    places = []
    for place, each in enumerate(values, 1):
        a, b = (str(each) if isinstance(each, Untyped) else each), (str(value) if isinstance(value, Untyped) else value)
        if value_kind(a) == value_kind(b) and eq(*comparable(a, b)):
            places.append(place)
    return places


def local_name(name: str) -> str:
    """Return the local part of a name in a tag path."""
    return "" if name == "text()" else name.rpartition("}")[2].removeprefix("@")


def namespace_of(name: str) -> str:
    """Return the namespace of a name in a tag path."""
    return unescaped(name.removeprefix("@").rpartition("}")[0][1:])


BUILT_IN: dict[str, BuiltIn] = {
    "abs": _abs, "avg": _avg, "boolean": lambda items: [effective_truth(items)], "ceiling": _rounding("ceiling"),
    "compare": _compare, "concat": _concat, "contains": _of_strings("contains", lambda a, b: b in a),
    "count": lambda items: [len(items)], "data": lambda values: values,
    "day-from-date": _of_date("day-from-date", "day"), "distinct-values": _distinct_values,
    "empty": lambda items: [not items], "ends-with": _of_strings("ends-with", str.endswith),
    "exactly-one": _counted("exactly-one", 1, 1, "FORG0005"), "exists": lambda items: [bool(items)],
    "false": lambda: [False], "floor": _rounding("floor"), "head": lambda items: items[:1], "index-of": _index_of,
    "lower-case": _of_string("lower-case", str.lower), "max": lambda values: extreme(values, "max"),
    "min": lambda values: extreme(values, "min"), "month-from-date": _of_date("month-from-date", "month"),
    "normalize-space": _of_string("normalize-space", lambda text: " ".join(
        each for each in text.translate({9: " ", 10: " ", 13: " "}).split(" ") if each)),
    "not": lambda items: [not effective_truth(items)], "number": _number,
    "one-or-more": _counted("one-or-more", 1, math.inf, "FORG0004"), "reverse": lambda items: items[::-1],
    "round": _rounding("round"), "round-half-to-even": _rounding("round-half-to-even"),
    "starts-with": _of_strings("starts-with", str.startswith), "string": _string, "string-join": _string_join,
    "string-length": _of_string("string-length", len), "subsequence": _subsequence, "substring": _substring,
    "substring-after": _of_strings("substring-after", _substring_after),
    "substring-before": _of_strings("substring-before", _substring_before), "sum": _sum,
    "tail": lambda items: items[1:], "translate": _translate, "true": lambda: [True],
    "unordered": lambda items: items, "upper-case": _of_string("upper-case", str.upper),
    "year-from-date": _of_date("year-from-date", "year"),
    "zero-or-one": _counted("zero-or-one", 0, 1, "FORG0003"),
}
"""The functions of values and of sequences; those of nodes and of the context are in `program`."""
ON_NODES = frozenset({
    "boolean", "count", "empty", "exactly-one", "exists", "head", "not", "one-or-more", "reverse", "subsequence",
    "tail", "unordered", "zero-or-one",
})
"""The functions whose first argument is taken as it is, not as values."""
