"""Converts numbers in XPath 1.0's syntax: no exponent, no plus sign, no `inf`."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"[ \t\r\n]*(-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))[ \t\r\n]*")

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
