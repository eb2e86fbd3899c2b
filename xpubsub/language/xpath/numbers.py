"""Converts numbers in XPath 1.0's syntax: no exponent, no plus sign, no `inf`."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

_NUMBER = re.compile(r"[ \t\r\n]*(-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))[ \t\r\n]*")

_BEGUN = re.compile(r"[ \t\r\n]*(-?)([0-9]*)(?:(\.)([0-9]*))?([ \t\r\n]*)")
"""Matches what a number may begin with, but also a lone sign or point with white space after it."""
_ROUNDING = 1e-9
"""More than the digits of a number can be rounded by, relative to it."""

_PLAIN = 1e9
"""From this number on libxml2 writes some numbers with an exponent, which XPath does not have."""


def to_number(text: str) -> float | None:
    """Return XPath's `number()` of a string; None for NaN, and no negative zero."""
    match = _NUMBER.fullmatch(text)
    return float(match.group(1)) + 0.0 if match else None


def to_text(number: float) -> str | None:
    """Return XPath's `string()` of a number; None where implementations differ in the digits."""
    if abs(number) >= _PLAIN:
        return None
    text = f"{number + 0.0:.15g}"
    return text if "e" not in text and float(text) == number else None


class Reach(NamedTuple):
    """The numbers that a text may still become: `sign` times a number from `low` to `high`, both rounded outwards.

    If `scaled`, also such a number times 10, 100 and so on.
    """

    sign: float
    low: float
    high: float
    scaled: bool = False


def number_reach(text: str) -> Reach | None:
    """Return the numbers that a text may become if more text follows; None if it is NaN, whatever follows."""
    begun = _BEGUN.fullmatch(text)
    if begun is None:
        return None
    minus, whole, point, fraction, after = begun.groups(default="")
    sign = -1.0 if minus else 1.0
    if after and (minus or whole or point):
        number = to_number(text)
        return None if number is None else _rounded(sign, abs(number), abs(number))
    if point:
        low = float(f"{whole or 0}.{fraction or 0}")
        return _rounded(sign, low, low + 10.0 ** -len(fraction))
    if whole.strip("0"):
        return _rounded(sign, float(whole), float(whole) + 1, scaled=True)
    return Reach(sign, 0.0 if minus or whole else -math.inf, math.inf)


def _rounded(sign: float, low: float, high: float, *, scaled: bool = False) -> Reach:
    return Reach(sign, low * (1 - _ROUNDING), high * (1 + _ROUNDING), scaled)
