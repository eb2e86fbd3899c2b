"""How many messages a predicate lets through: estimated from values seen, from constants asked for, from its kind."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from typing import NamedTuple

RANGE_OPS = frozenset({"<", "<=", ">", ">="})
_SCANNED = 100
"""Texts that a function is tried on; they come in the order of how often they were seen."""
_GUESS = {"=": 0.05, "starts-with": 0.1, "contains": 0.2, "<": 0.4, "<=": 0.4, ">": 0.4, ">=": 0.4, "!=": 0.9,
          "exists": 0.95}


class Predicate(NamedTuple):
    """A value predicate on the nodes of a linear path."""

    linear_path_id: int
    op: str
    value: str | None
    number: float | None


class Seen:
    """The values seen at one tag path: how often each, and the numbers in order."""

    def __init__(self, rows: Iterable[tuple[str | None, float | None, int]]) -> None:
        self.texts: dict[str, int] = {}
        self.total = 0
        weighted: list[tuple[float, int]] = []
        for value, number, count in rows:
            self.total += count
            if value is not None:
                self.texts[value] = self.texts.get(value, 0) + count
            if number is not None:
                weighted.append((number, count))
        weighted.sort()
        self.numbers = [number for number, _ in weighted]
        self.below = [0]
        for _, count in weighted:
            self.below.append(self.below[-1] + count)

    def passing(self, predicate: Predicate) -> float:
        """How many of the nodes seen pass."""
        op, value, number = predicate.op, predicate.value, predicate.number
        if op == "exists":
            return self.total
        if number is not None:
            return self._numeric(op, number)
        assert value is not None
        if op in ("=", "!="):
            equal = self.texts.get(value, 0)
            return max(equal, 0.5) if op == "=" else self.total - equal
        found = str.__contains__ if op == "contains" else str.startswith
        sample = list(itertools.islice(self.texts.items(), _SCANNED))
        passing = sum(count for text, count in sample if found(text, value))
        return passing * self.total / max(1, sum(count for _, count in sample))

    def _numeric(self, op: str, number: float) -> float:
        below = self.below[bisect_left(self.numbers, number)]
        upto = self.below[bisect_right(self.numbers, number)]
        everything = self.below[-1]
        return {"<": below, "<=": upto, ">": everything - upto, ">=": everything - below,
                "=": max(upto - below, 0.5), "!=": self.total - (upto - below)}[op]


class Selectivity:
    """Estimates from what is known: the values seen at the tag paths of a linear path, else the constants asked for."""

    def __init__(
        self, messages: int = 0, seen: Mapping[int, list[Seen]] | None = None,
        constants: Mapping[tuple[int, str], int] | None = None,
    ) -> None:
        self._messages = messages
        self._seen = seen or {}
        self._constants = constants or {}

    def estimate(self, predicate: Predicate) -> tuple[float, str]:
        """The expected share of messages, and the predicate's text to settle ties the same way everywhere."""
        return self._share(predicate), repr(predicate)

    def _share(self, predicate: Predicate) -> float:
        seen = self._seen.get(predicate.linear_path_id)
        if seen is not None and self._messages:
            return sum(each.passing(predicate) for each in seen) / self._messages
        guess = _GUESS[predicate.op]
        constants = self._constants.get((predicate.linear_path_id, predicate.op), 1)
        return guess / constants if predicate.op in ("=", "starts-with", "contains") else guess
