"""Durations as users write them: a number with a unit."""

from __future__ import annotations

import re

from xpubsub.errors import Error

UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)\s*(ms|s|m|h|d)")


def seconds_of(text: str) -> float:
    """Return the seconds of a duration such as `5s`; it must be positive."""
    found = _DURATION.fullmatch(text.strip())
    if found is None or not float(found[1]):
        raise Error(f"a duration is a positive number with {', '.join(UNITS)}, such as 5s or 1.5h, not {text!r}")
    return float(found[1]) * UNITS[found[2]]
