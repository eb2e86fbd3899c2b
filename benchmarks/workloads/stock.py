"""Stock quotes (Tian 2004, section 5.1): flat messages, one equality on the symbol and inequalities on other fields.

The values of all fields are uniform from 0 to 100, so that a constant decides how often its inequality holds. Without
the equality this is the `range` workload.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

FIELDS = ("price", "open", "change", "low", "high", "volume")
SYMBOLS = 1000
_CHUNK = 50_000
_JITTER = 0.5
"""How far, of the way to 0 or 1, the chance of one inequality is from the mean."""
_PATHS = tuple(f"/stock/{name}/text()" for name in FIELDS)


@dataclass(frozen=True)
class Conditions:
    """Subscriptions as arrays; one row each."""

    symbol: NDArray[np.int64]
    """The symbol's number; -1 for no equality."""
    count: NDArray[np.int64]
    """How many of the row's inequalities are used."""
    field: NDArray[np.int64]
    above: NDArray[np.bool_]
    cents: NDArray[np.int64]
    """The constants, in hundredths."""

    def __len__(self) -> int:
        return len(self.symbol)

    def take(self, rows: NDArray[np.int64]) -> Conditions:
        """Some of the rows."""
        return Conditions(*(column[rows] for column in self._columns()))

    def joined(self, other: Conditions) -> Conditions:
        """The rows of both."""
        pairs = zip(self._columns(), other._columns(), strict=True)
        return Conditions(*(np.concatenate(pair) for pair in pairs))

    def _columns(self) -> tuple[NDArray[Any], ...]:
        return self.symbol, self.count, self.field, self.above, self.cents

    def texts(self) -> Iterator[str]:
        """The subscriptions as XPath."""
        for start in range(0, len(self), _CHUNK):
            columns = (column[start : start + _CHUNK].tolist() for column in self._columns())
            for row in zip(*columns, strict=True):
                yield _text(*row)

    def table(self) -> pa.Table:
        """The subscriptions s0, s1, … as an Arrow table of id and text."""
        ids = pa.array((f"s{number}" for number in range(len(self))), pa.string(), size=len(self))
        return pa.table({"id": ids, "text": pa.array(self.texts(), pa.string(), size=len(self))})


def _text(symbol: int, count: int, fields: list[int], above: list[bool], cents: list[int]) -> str:
    inequalities = [
        f"{_PATHS[field]} {'>' if greater else '<'} {constant / 100:.2f}"
        for field, greater, constant in zip(fields[:count], above, cents, strict=False)
    ]
    if symbol >= 0:
        inequalities.insert(0, f'/stock/symbol/text() = "S{symbol}"')
    return " and ".join(inequalities)


def conditions(
    count: int, selectivity: float, random: np.random.Generator, *, equality: bool = True,
    inequalities: tuple[int, ...] = (4,),
) -> Conditions:
    """Subscriptions of which each matches a message with the given probability, in the mean."""
    counts = random.choice(inequalities, count)
    chance = np.minimum(selectivity * (SYMBOLS if equality else 1), 1) ** (1 / counts[:, None])
    width = max(inequalities)
    chances = chance + _JITTER * np.minimum(chance, 1 - chance) * random.uniform(-1, 1, (count, width))
    above = random.random((count, width)) < 0.5
    cents = np.rint(np.where(above, 1 - chances, chances) * 10_000).astype(np.int64)
    field = random.random((count, len(FIELDS))).argsort(axis=1)[:, :width]
    symbol = random.integers(0, SYMBOLS, count) if equality else np.full(count, -1)
    return Conditions(symbol, counts, field, above, cents)


def quotes(count: int, random: np.random.Generator) -> list[tuple[str, str]]:
    """The messages m0, m1, … with their XML."""
    symbols = random.integers(0, SYMBOLS, count).tolist()
    values = (random.integers(0, 10_000, (count, len(FIELDS))) / 100).tolist()
    return [(f"m{number}", _quote(symbols[number], values[number])) for number in range(count)]


def _quote(symbol: int, values: list[float]) -> str:
    fields = "".join(f"<{name}>{value:.2f}</{name}>" for name, value in zip(FIELDS, values, strict=True))
    return f"<stock><symbol>S{symbol}</symbol>{fields}</stock>"


@dataclass(frozen=True)
class Stock:
    """Subscriptions as arrays and as an Arrow table of id and text, and messages."""

    conditions: Conditions
    subscriptions: pa.Table
    messages: list[tuple[str, str]]

    @property
    def sizes(self) -> dict[str, int]:
        """How many of each."""
        return {"subscriptions": len(self.conditions), "messages": len(self.messages)}

    def first_texts(self, count: int) -> list[str]:
        """The first subscriptions' texts."""
        texts: list[str] = self.subscriptions["text"].slice(0, count).to_pylist()
        return texts


def stock(subscriptions: int, messages: int, selectivity: float, seed: int) -> Stock:
    """The workload with one equality and four inequalities."""
    random = np.random.default_rng(seed)
    drawn = conditions(subscriptions, selectivity, random)
    return Stock(drawn, drawn.table(), quotes(messages, random))


def ranges(subscriptions: int, messages: int, selectivity: float, seed: int) -> Stock:
    """The workload without an equality: four or five inequalities."""
    random = np.random.default_rng(seed)
    drawn = conditions(subscriptions, selectivity, random, equality=False, inequalities=(4, 5))
    return Stock(drawn, drawn.table(), quotes(messages, random))
