"""Dates and times of XML Schema: texts that can be compared by order."""

from __future__ import annotations

import re
from fractions import Fraction

DATE, DATE_TIME = "date", "dateTime"
_ZONE = r"(?P<zone>Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)?"
_DAY = r"(?P<year>-?(?:[1-9][0-9]{4,8}|[0-9]{4}))-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
_TIME = r"T(?P<hour>[0-9]{2}):(?P<minute>[0-5][0-9]):(?P<second>[0-5][0-9](?:\.[0-9]{1,1000})?)"
_FORMS = {DATE: re.compile(_DAY + _ZONE), DATE_TIME: re.compile(_DAY + _TIME + _ZONE)}
_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def instant(text: str, kind: str) -> Fraction | None:
    """Return when a date begins, or when a time is, in seconds; None if a text is none. Without a zone it is UTC."""
    found = _FORMS[kind].fullmatch(text.strip(" \t\n\r"))
    if found is None:
        return None
    year, month, day = (int(found[name]) for name in ("year", "month", "day"))
    if not (1 <= month <= 12 and 1 <= day <= _LENGTHS[month - 1] + (month == 2 and _is_leap(year))):
        return None
    seconds = Fraction(0) if kind == DATE else _of_day(found)
    return None if seconds is None else _days(year, month, day) * 86_400 + seconds - _offset(found["zone"])


def _of_day(found: re.Match[str]) -> Fraction | None:
    """Return the seconds since midnight; 24:00:00 is the next day's."""
    hour, minute, second = int(found["hour"]), int(found["minute"]), Fraction(found["second"])
    if hour > 24 or (hour == 24 and (minute or second)):
        return None
    return hour * 3600 + minute * 60 + second


def _offset(zone: str | None) -> int:
    if zone is None or zone == "Z":
        return 0
    seconds = int(zone[1:3]) * 3600 + int(zone[4:]) * 60
    return -seconds if zone[0] == "-" else seconds


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _days(year: int, month: int, day: int) -> int:
    """Return the days since the beginning of the year 0."""
    before = year - 1
    leaps = before // 4 - before // 100 + before // 400
    return year * 365 + leaps + sum(_LENGTHS[:month - 1]) + (month > 2 and _is_leap(year)) + day - 1
