"""Finds the keys that hold in a message by looking up its nodes in memory, for single messages.

The SQL twin is `sql/filter/key_held.sql`, which does it for a whole batch; `tests/test_single.py` compares the two.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xpubsub.arrange.keys import ALWAYS
from xpubsub.language.xpath.numbers import to_number
from xpubsub.shred.node_rows import NodeRow

MOST_KEYS = 200_000
"""How many keys may be held in memory."""
Held = dict[int, float]
"""Keys that hold, each with the greatest value seen for it."""
IndexRow = tuple[int, int, str, str | None, float | None]
"""(linear path, key, op, value, number)."""
PathMatch = tuple[int, int]
"""(tag path, linear path)."""


@dataclass
class _Keys:
    """The keys that nodes of one tag path can fulfil."""

    texts: dict[str, list[int]] = field(default_factory=dict)
    numbers: dict[float, list[int]] = field(default_factory=dict)
    exists: list[int] = field(default_factory=list)
    sides: dict[str, list[tuple[float, int]]] = field(default_factory=lambda: {">": [], "<": []})
    """For each side, the lower limits of buckets with their keys, ascending; the first bucket has no limit."""

    def add(self, key: int, op: str, value: str | None, number: float | None) -> None:
        if op == "exists":
            self.exists.append(key)
        elif op != "=":
            insort(self.sides[op], (-math.inf if number is None else number, key))
        elif value is not None:
            self.texts.setdefault(value, []).append(key)
        elif number is not None:
            self.numbers.setdefault(number, []).append(key)


class KeyIndex:
    """The keys of a store by tag path."""

    def __init__(self, rows: Iterable[IndexRow] = (), matches: Iterable[PathMatch] = ()) -> None:
        self.linear: dict[int, set[int]] = {}
        """The linear paths that match each tag path."""
        self.size = 0
        """The number of keys."""
        self._rows: dict[int, list[IndexRow]] = {}
        self._tagpaths: dict[int, list[int]] = {}
        self._keys: dict[int, _Keys] = {}
        self.add(rows)
        self.match(matches)

    def add(self, rows: Iterable[IndexRow]) -> None:
        """Add keys."""
        for row in rows:
            self.size += 1
            self._rows.setdefault(row[0], []).append(row)
            for tagpath_id in self._tagpaths.get(row[0], ()):
                self._keys[tagpath_id].add(*row[1:])

    def match(self, matches: Iterable[PathMatch]) -> None:
        """Add matches of tag paths with linear paths."""
        for tagpath_id, linear_path_id in matches:
            self.linear.setdefault(tagpath_id, set()).add(linear_path_id)
            self._tagpaths.setdefault(linear_path_id, []).append(tagpath_id)
            keys = self._keys.setdefault(tagpath_id, _Keys())
            for row in self._rows.get(linear_path_id, ()):
                keys.add(*row[1:])

    def held(self, nodes: Sequence[NodeRow]) -> Held:
        """Return the keys that hold in a message with these nodes."""
        held: Held = {ALWAYS: math.inf}
        for _, tagpath_id, _, _, value, numeric in nodes:
            keys = self._keys.get(tagpath_id)
            if keys is not None:
                _hold(held, keys, value, None if numeric is None else to_number(numeric))
        return held


def _hold(held: Held, keys: _Keys, value: str | None, number: float | None) -> None:
    for key in keys.exists:
        held[key] = math.inf
    if value is not None:
        for key in keys.texts.get(value, ()):
            held[key] = math.inf
    if number is not None:
        for key in keys.numbers.get(number, ()):
            held[key] = math.inf
        _hold_range(held, keys.sides[">"], number)
        _hold_range(held, keys.sides["<"], -number)


def _hold_range(held: Held, limits: list[tuple[float, int]], top: float) -> None:
    """Add all keys whose limit is below `top`, and always the key without a limit."""
    for limit, key in limits[: bisect_left(limits, (top,))] or limits[:1]:
        if (limit < top or limit == -math.inf) and held.get(key, -math.inf) <= top:
            held[key] = top
