"""Times as users bring them: what is one, what is none, and how reports show them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import xpubsub
from xpubsub.jobs.publish.times import seconds, shown_time, unit_hint

NEW_YEAR = 1704067200.0


class NotATime(datetime):
    """Like pandas' NaT: a datetime that is unequal to itself and has no seconds."""

    def __ne__(self, other: object) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]

    def timestamp(self) -> float:
        raise ValueError("NaTType does not support timestamp")


@pytest.mark.parametrize("given", [
    NEW_YEAR, int(NEW_YEAR), np.float64(NEW_YEAR), np.float32(NEW_YEAR), np.int64(NEW_YEAR), Fraction(int(NEW_YEAR)),
    datetime(2024, 1, 1), datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))),
    date(2024, 1, 1), "2024-01-01", "2024-01-01T00:00:00", "2024-01-01T00:00:00Z", "2024-01-01 02:00:00+02:00", " 20240101 ",
    np.datetime64("2024-01-01"), np.datetime64("2024-01-01T00:00:00", "ns"), np.datetime64("2024", "Y"),
])
def test_what_is_a_time(given: object) -> None:
    assert seconds(given) == pytest.approx(NEW_YEAR, abs=64 if isinstance(given, np.float32) else 0)


def test_fractions_of_a_second_count() -> None:
    assert seconds(np.datetime64("1970-01-01T00:00:01.500")) == seconds("1970-01-01T00:00:01.5") == 1.5


@pytest.mark.parametrize("given", [
    float("nan"), float("inf"), -float("inf"), np.datetime64("NaT"), np.float64("nan"), NotATime(2024, 1, 1), True, b"2024-01-01",
    "yesterday", "", "1704067200.0", "2024-13-01", 10**400, [], {}, object(), np.timedelta64(1, "s"), timedelta(1), np.bool_(True),
    np.array([1.0, 2.0]),
])
def test_what_is_no_time(given: Any) -> None:
    said = "message 'm': a message's time is a number of seconds or a datetime"
    with xpubsub.connect(":memory:") as broker, pytest.raises(xpubsub.Error, match=said):
        broker.publish([("m", "<a/>", given)])


def test_pandas_times_are_times() -> None:
    pandas = pytest.importorskip("pandas")
    assert seconds(pandas.Timestamp("2024-01-01")) == seconds(pandas.Timestamp("2024-01-01", tz="UTC")) == NEW_YEAR
    with pytest.raises(xpubsub.Error, match="a message's time is a number"):
        seconds(pandas.NaT)


def test_times_are_shown_in_seconds_and_as_dates() -> None:
    assert shown_time(NEW_YEAR) == "2024-01-01T00:00:00Z (1704067200 s)"
    assert shown_time(0.5) == "1970-01-01T00:00:00.500000Z (0.5 s)"
    assert shown_time(1e300) == "1e+300 s"


@pytest.mark.parametrize(("factor", "unit"), [(1e3, "milliseconds"), (1e6, "microseconds"), (1e9, "nanoseconds"), (1e30, "")])
def test_a_time_in_another_unit_is_recognised(factor: float, unit: str) -> None:
    hint = unit_hint(NEW_YEAR * factor, NEW_YEAR + 1)
    assert hint == (f"; it looks like {unit}: divide it by {int(factor)}" if unit else "")
