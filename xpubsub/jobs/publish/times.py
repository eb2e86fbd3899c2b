"""Times as users bring them, and as errors and reports show them."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from numbers import Real

import numpy as np

from xpubsub.errors import Error

KINDS = "a number of seconds or a datetime, a date, an ISO 8601 string, a numpy or a pandas time"
_UNITS = (("milliseconds", 1e3), ("microseconds", 1e6), ("nanoseconds", 1e9))


def seconds(given: object, what: str = "a message's time") -> float:
    """A time in seconds since 1970; a datetime or a string without a time zone is in UTC, a date is its midnight."""
    try:
        found = _seconds(given)
    except (ValueError, OverflowError, TypeError):
        found = None
    if found is None or not math.isfinite(found):
        raise Error(f"{what} is {KINDS}, not {_shown(given)}")
    return found


def _seconds(given: object) -> float | None:
    if given != given:
        return None
    if isinstance(given, np.datetime64):
        return float((given - np.datetime64(0, "s")) / np.timedelta64(1, "s"))
    if isinstance(given, str):
        given = datetime.fromisoformat(given.strip())
    if isinstance(given, datetime):
        return (given if given.utcoffset() is not None else given.replace(tzinfo=UTC)).timestamp()
    if isinstance(given, date):
        return datetime(given.year, given.month, given.day, tzinfo=UTC).timestamp()
    return float(given) if isinstance(given, Real) and not isinstance(given, bool | np.timedelta64) else None


def _shown(given: object) -> str:
    """A value as an error shows it: not at any length."""
    try:
        shown = repr(given)
    except ValueError:
        shown = type(given).__name__
    return shown if len(shown) <= 60 else f"{shown[:60]}…"


def shown_time(time: float) -> str:
    """A time as reports show it: in seconds, and as ISO 8601 where a year can have it."""
    number = f"{time:.6f}".rstrip("0").rstrip(".")
    try:
        return f"{iso_time(time)} ({number} s)"
    except (ValueError, OverflowError, OSError):
        return f"{time:.15g} s"


def iso_time(time: float) -> str:
    """A time as ISO 8601, in UTC."""
    return datetime.fromtimestamp(time, UTC).isoformat().replace("+00:00", "Z")


def unit_hint(time: float, latest: float) -> str:
    """What a time that is too far ahead was probably meant as; empty if there is no telling."""
    found = ((name, factor) for name, factor in _UNITS if time / factor <= latest)
    return next((f"; it looks like {name}: divide it by {int(factor)}" for name, factor in found), "")
