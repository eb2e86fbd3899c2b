"""Measuring: medians of warm runs, two things side by side, latencies of single calls."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True)
class Measured(Generic[A]):
    """The seconds of some runs, and what the last one returned."""

    seconds: list[float]
    value: A

    @property
    def median(self) -> float:
        """The median, in seconds."""
        return statistics.median(self.seconds)

    def percentile(self, percent: int) -> float:
        """The time within which so many of a hundred runs were done, in seconds."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) * percent // 100, len(ordered) - 1)]


def once(action: Callable[[], A]) -> Measured[A]:
    """One run, the first: what is not warm is part of it."""
    started = time.perf_counter()
    value = action()
    return Measured([time.perf_counter() - started], value)


def warm(action: Callable[[], A], runs: int) -> Measured[A]:
    """Some runs after one that does not count."""
    action()
    return each_once([action] * runs)


def each_once(actions: Iterable[Callable[[], A]]) -> Measured[A]:
    """One run of each."""
    seconds: list[float] = []
    for action in actions:
        measured = _cleaned(action)
        seconds.extend(measured.seconds)
    return Measured(seconds, measured.value)


def side_by_side(
    first: Callable[[], A], second: Callable[[], B], runs: int, before: int = 1
) -> tuple[Measured[A], Measured[B]]:
    """Some runs of both in turn, so that whatever disturbs the machine disturbs both, after some that do not count."""
    for _ in range(before):
        first(), second()
    seconds: tuple[list[float], list[float]] = [], []
    for _ in range(runs):
        one, other = _cleaned(first), _cleaned(second)
        seconds[0].extend(one.seconds)
        seconds[1].extend(other.seconds)
    return Measured(seconds[0], one.value), Measured(seconds[1], other.value)


def _cleaned(action: Callable[[], A]) -> Measured[A]:
    gc.collect()
    return once(action)
