"""How long notifications took, from the arrival of their message to their delivery, by the delay that was accepted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_FIRST, _RATIO, _BINS = 1e-3, 1.1, 200
"""The upper bound of the first bin in seconds, the ratio of the next to it, and the number of bins."""
_ENOUGH = 1_000_000
"""Counts of a class from which on all its counts are halved, so that old delays lose their weight."""


class Delays:
    """Counts of delays by class and size; quantiles are exact to a tenth."""

    def __init__(self, saved: dict[str, Any] | None = None) -> None:
        self._counts: dict[str, Any] = {}
        for name, bins in (saved or {}).items():
            self._counts[name] = np.zeros(_BINS, np.int64)
            for place, count in bins.items():
                self._counts[name][int(place)] = count

    @property
    def classes(self) -> list[str]:
        """The classes that have delays: seconds that subscriptions accept, ascending, and "any"."""
        return sorted(self._counts, key=lambda name: math.inf if name == ANY else float(name))

    def add(self, name: str, seconds: Any) -> None:
        """Add an array of delays to a class."""
        places = np.ceil(np.log(np.maximum(seconds, _FIRST) / _FIRST) / math.log(_RATIO)).astype(np.int64)
        counts = self._counts.setdefault(name, np.zeros(_BINS, np.int64))
        counts += np.bincount(np.minimum(places, _BINS - 1), minlength=_BINS)
        if counts.sum() > _ENOUGH:
            counts //= 2

    def join(self, other: Delays) -> None:
        """Add the counts of others."""
        for name, counts in other._counts.items():
            self._counts[name] = self._counts.get(name, 0) + counts

    def quantile(self, name: str, share: float) -> float:
        """Return the delay in seconds that this share of a class's notifications does not exceed."""
        sums = np.cumsum(self._counts[name])
        return float(_FIRST * _RATIO ** int(np.searchsorted(sums, share * sums[-1])))

    def count(self, name: str) -> int:
        """Return the number of delays that a class counts."""
        return int(self._counts[name].sum())

    def saved(self) -> dict[str, dict[str, int]]:
        """Return everything as JSON can express it."""
        return {name: {str(place): int(counts[place]) for place in np.flatnonzero(counts)}
                for name, counts in self._counts.items()}


ANY = "any"
"""The class of subscriptions that state no delay."""
