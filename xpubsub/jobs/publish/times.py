"""Reads the times that users give, and writes times in errors and reports."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from numbers import Real

import numpy as np

from xpubsub.errors import Error

TIME_KINDS = "a number of seconds or a datetime, a date, an ISO 8601 string, a numpy or a pandas time"
_LAST = 253_402_300_800.0
"""The end of the year 9999 in seconds: a time beyond it was given as a number."""
_UNITS = (("milliseconds", 1e3), ("microseconds", 1e6), ("nanoseconds", 1e9))


def seconds(given: object, what: str = "a message's time") -> float:
    """Convert a time to seconds since 1970; without a time zone it is in UTC, and a date means its midnight."""
    try:
        found = _seconds(given)
    except (ValueError, OverflowError, TypeError):
        found = None
    if found is None or not math.isfinite(found):
        raise Error(f"{what} is {TIME_KINDS}, not {_shown(given)}")
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
    """Show a value in an error, cut if it is long."""
    try:
        shown = repr(given)
    except ValueError:
        shown = type(given).__name__
    return shown if len(shown) <= 60 else f"{shown[:60]}…"


def shown_time(time: float) -> str:
    """Show a time in seconds, and as ISO 8601 if the year is in its range."""
    number = f"{time:.6f}".rstrip("0").rstrip(".")
    try:
        return f"{iso_time(time)} ({number} s)"
    except (ValueError, OverflowError, OSError):
        return f"{time:.15g} s"


def iso_time(time: float) -> str:
    """Format a time as ISO 8601, in UTC."""
    return datetime.fromtimestamp(time, UTC).isoformat().replace("+00:00", "Z")


def unit_hint(time: float, latest: float) -> str:
    """Say which unit a time that is too far ahead is probably in; empty if unclear, or if it may be a date."""
    if time < _LAST:
        return ""
    found = ((name, factor) for name, factor in _UNITS if time / factor <= latest)
    return next((f"; it looks like {name}: divide it by {int(factor)}" for name, factor in found), "")
