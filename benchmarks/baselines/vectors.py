"""Matchers in numpy, hand-written for stock quotes: subscriptions are arrays of bounds, messages arrays of values."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.baselines.raw_shred import Shredded
from benchmarks.workloads.stock import FIELDS, SYMBOLS, Conditions

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
Pairs = tuple[Numbers, Numbers]
"""The numbers of messages and of subscriptions that match."""
_WIDTH = 1 + len(FIELDS)


def bounds(conditions: Conditions) -> Floats:
    """Two rows per field, one column per subscription: what the value, and what its negation, must exceed."""
    table = np.full((2 * len(FIELDS), len(conditions)), -np.inf)
    sign = np.where(conditions.above, 1, -1)
    rows = np.where(conditions.above, conditions.field, conditions.field + len(FIELDS))
    for place in range(conditions.field.shape[1]):
        used = np.flatnonzero(conditions.count > place)
        table[rows[used, place], used] = (sign * conditions.cents / 100)[used, place]
    return table


def quote_arrays(rows: Shredded) -> tuple[Numbers, Floats]:
    """The symbols' numbers, and one row per message of the values and their negations."""
    symbols = np.fromiter((int(each[1:]) for each in rows.values[::_WIDTH]), np.int64)
    columns = [np.fromiter(map(float, rows.values[1 + place :: _WIDTH]), np.float64) for place in range(len(FIELDS))]
    values = np.stack(columns, axis=1)
    return symbols, np.concatenate([values, -values], axis=1)


class StockMatcher:
    """Subscriptions grouped by symbol; for each symbol all of its messages are tested with all of its subscriptions."""

    NAME: ClassVar[str] = "numpy match"

    def __init__(self, conditions: Conditions) -> None:
        self._order = np.argsort(conditions.symbol, kind="stable")
        self._starts = np.searchsorted(conditions.symbol[self._order], np.arange(SYMBOLS + 1))
        self._bounds = np.ascontiguousarray(bounds(conditions)[:, self._order])

    def match(self, rows: Shredded) -> Pairs:
        """The pairs of a batch."""
        symbols, values = quote_arrays(rows)
        order = np.argsort(symbols, kind="stable")
        starts = np.searchsorted(symbols[order], np.arange(SYMBOLS + 1))
        found = [self._match_symbol(symbol, order[starts[symbol] : starts[symbol + 1]], values)
                 for symbol in np.flatnonzero(np.diff(starts)).tolist()]
        messages, places = (np.concatenate(column) for column in zip(*found, strict=True))
        return messages, self._order[places]

    def _match_symbol(self, symbol: int, messages: Numbers, values: Floats) -> Pairs:
        start, end = self._starts[symbol], self._starts[symbol + 1]
        holds = np.ones((len(messages), end - start), np.bool_)
        for value, bound in zip(values[messages].T, self._bounds[:, start:end], strict=True):
            holds &= value[:, None] > bound
        which, places = np.nonzero(holds)
        return messages[which], places + start


class PairTester:
    """Tests every message with every subscription: a loop over messages, vectors over subscriptions."""

    NAME: ClassVar[str] = "numpy, every pair"

    def __init__(self, conditions: Conditions) -> None:
        self._bounds = bounds(conditions)

    def match(self, rows: Shredded) -> Pairs:
        """The pairs of a batch."""
        _, values = quote_arrays(rows)
        found = [self._match_message(each) for each in values]
        messages = np.repeat(np.arange(len(found)), [len(each) for each in found])
        return messages, np.concatenate(found)

    def _match_message(self, values: Floats) -> Numbers:
        holds = values[0] > self._bounds[0]
        for value, bound in zip(values[1:], self._bounds[1:], strict=True):
            holds &= value > bound
        return np.flatnonzero(holds)
