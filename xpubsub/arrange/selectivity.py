"""Estimates the share of messages that pass a predicate, from values seen, constants of queries, or its operator."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

RANGE_OPS = frozenset({"<", "<=", ">", ">="})
_SCANNED = 100
"""How many texts a function is tried on, the most frequent first."""
_UNCERTAIN = 20
"""A prior: this many messages, or equalities, of which nothing is known, are added to those counted."""
_GUESS = {"starts-with": 0.1, "contains": 0.2, "<": 0.4, "<=": 0.4, ">": 0.4, ">=": 0.4, "!=": 0.9,
          "exists": 0.95}


class Seen:
    """The values seen at one tag path: the frequency of each, and the numbers in order."""

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
        self.numbers = np.array([number for number, _ in weighted], np.float64)
        self.below = np.concatenate([[0], np.cumsum([count for _, count in weighted])])

    def passing(self, op: str, values: Sequence[str] | None, numbers: Any) -> Any:
        """Return, for each of several constants, how many of the nodes seen pass."""
        if op == "exists":
            return self.total
        if values is None:
            return self._numeric(op, numbers)
        if op in ("=", "!="):
            equal = np.array([self.texts.get(value, 0) for value in values])
            return np.maximum(equal, 0.5) if op == "=" else self.total - equal
        return np.array([self._containing(op, value) for value in values])

    def _containing(self, op: str, value: str) -> float:
        found = str.__contains__ if op == "contains" else str.startswith
        sample = list(itertools.islice(self.texts.items(), _SCANNED))
        passing = sum(count for text, count in sample if found(text, value))
        return passing * self.total / max(1, sum(count for _, count in sample))

    def _numeric(self, op: str, numbers: Any) -> Any:
        below = self.below[np.searchsorted(self.numbers, numbers, "left")]
        upto = self.below[np.searchsorted(self.numbers, numbers, "right")]
        everything = self.below[-1]
        return {"<": below, "<=": upto, ">": everything - upto, ">=": everything - below,
                "=": np.maximum(upto - below, 0.5), "!=": self.total - (upto - below)}[op]


@dataclass(frozen=True)
class QueryConstants:
    """The constants in queries: one that many queries use counts as common, one of many distinct ones as rare."""

    constants: Mapping[tuple[int, str], int] = field(default_factory=dict)
    """The number of distinct constants, by linear path and operator."""
    uses: Mapping[int, int] = field(default_factory=dict)
    """The number of equalities, by linear path."""
    common: Mapping[tuple[int, object], int] = field(default_factory=dict)
    """The frequency of common constants of equalities, by linear path."""

    @classmethod
    def of(cls, constants: Iterable[Mapping[str, Any]], common: Iterable[Mapping[str, Any]]) -> QueryConstants:
        """Create from rows of the store."""
        counted = list(constants)
        return cls(
            {(row["linear_path_id"], row["op"]): row["constants"] for row in counted},
            {row["linear_path_id"]: row["uses"] for row in counted if row["op"] == "="},
            {(row["linear_path_id"], _constant(row)): row["uses"] for row in common},
        )

    def shares(self, linear_path_id: int, op: str, constants: Sequence[object]) -> Any:
        """Return a guess of the share for each of several constants."""
        if op != "=":
            different = self.constants.get((linear_path_id, op), 1) if op in ("starts-with", "contains") else 1
            return _GUESS[op] / different
        uses = [self.common.get((linear_path_id, each), 1) for each in constants]
        return np.array(uses) / (self.uses.get(linear_path_id, 1) + _UNCERTAIN)


class Selectivity:
    """Estimates from the values seen at the tag paths of a linear path, or else from the constants in queries."""

    def __init__(
        self, messages: int = 0, seen: Mapping[int, list[Seen]] | None = None, asked: QueryConstants | None = None,
    ) -> None:
        self._messages = messages
        self._seen = seen or {}
        self._asked = asked or QueryConstants()

    def shares(self, linear_path_id: int, op: str, values: Sequence[str] | None, numbers: Any) -> Any:
        """Return, for each of several constants, the share of messages in which a predicate is expected to hold.

        The guess weighs as much as a few messages: values that they did not contain may still come.
        """
        guess = self._asked.shares(linear_path_id, op, values if values is not None else numbers)
        seen = self._seen.get(linear_path_id)
        if seen is None or not self._messages:
            return guess
        passing = sum(each.passing(op, values, numbers) for each in seen)
        return (passing + _UNCERTAIN * guess) / (self._messages + _UNCERTAIN)


def _constant(row: Mapping[str, Any]) -> object:
    return row["number"] if row["value"] is None else row["value"]
