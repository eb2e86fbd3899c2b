"""XPath 1.0's own syntax of numbers: no exponent, no plus sign, no `inf`."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"[ \t\r\n]*(-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))[ \t\r\n]*")

_PLAIN = 1e9
"""From here on libxml2 writes some numbers with an exponent, which XPath does not have."""


def to_number(text: str) -> float | None:
    """XPath's `number()` of a string, with None for NaN and no negative zero."""
    match = _NUMBER.fullmatch(text)
    return float(match.group(1)) + 0.0 if match else None


def to_text(number: float) -> str | None:
    """XPath's `string()` of a number, or None where implementations differ in the digits."""
    if abs(number) >= _PLAIN:
        return None
    text = f"{number + 0.0:.15g}"
    return text if "e" not in text and float(text) == number else None
