"""XPath 1.0's own syntax of numbers: no exponent, no plus sign, no `inf`."""

from __future__ import annotations

import math
import re

_NUMBER = re.compile(r"[ \t\r\n]*(-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))[ \t\r\n]*")


def to_number(text: str) -> float | None:
    """XPath's `number()` of a string, with None for NaN and no negative zero."""
    match = _NUMBER.fullmatch(text)
    return float(match.group(1)) + 0.0 if match else None


def to_text(number: float) -> str | None:
    """XPath's `string()` of a number, or None where implementations differ in the digits."""
    if math.isinf(number):
        return None
    text = f"{number:.15g}"
    return text if "e" not in text and float(text) == number else None
