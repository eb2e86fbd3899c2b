"""The functions of XPath 2.0 that lxml does not have; it calls them where it decides.

A text that comes from a path is given with the number of its nodes: with more than one there is no value.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from xpubsub.language.xpath1.dates import instant
from xpubsub.language.xpath1.patterns import regex_found

NAMESPACE, PREFIX = "urn:xpubsub:xpath2", "x"
_COMPARED: dict[str, Callable[[Any, Any], bool]] = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


class NoValue(Exception):
    """An expression has no value in a message, where XPath 2.0 raises an error: there is no match."""


def _one(_: object, text: str, nodes: float) -> str:
    """Return the text of at most one node."""
    if nodes > 1:
        raise NoValue("more than one node")
    return text


def _matches(_: object, text: str, pattern: str) -> bool:
    return regex_found(pattern, text)


def _lower(_: object, text: str) -> str:
    return text.lower() if text.isascii() else "".join(map(str.lower, text))


def _upper(_: object, text: str) -> str:
    return text.upper()


def _ends_with(_: object, text: str, end: str) -> bool:
    return text.endswith(end)


def _compare_dates(
    _: object, op: str, kind: str, left: str, left_nodes: float, right: str, right_nodes: float
) -> bool:
    """Compare two dates or times; without one of them the comparison is false."""
    if max(left_nodes, right_nodes) > 1:
        raise NoValue("more than one node")
    instants = [instant(text, kind) for text, nodes in ((left, left_nodes), (right, right_nodes)) if nodes]
    if None in instants:
        raise NoValue(f"no xs:{kind}")
    return len(instants) == 2 and _COMPARED[op](*instants)


EXTENSIONS: dict[tuple[str, str], Callable[..., Any]] = {
    (NAMESPACE, "one"): _one, (NAMESPACE, "matches"): _matches, (NAMESPACE, "lower-case"): _lower,
    (NAMESPACE, "upper-case"): _upper, (NAMESPACE, "ends-with"): _ends_with,
    (NAMESPACE, "compare-dates"): _compare_dates,
}
"""By namespace and name."""
