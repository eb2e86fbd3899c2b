"""Subscriptions of every kind beside many plain ones, for messages of the stock workload.

A store that people use is mixed: one filter with `contains()`, a transformation or a correlation must not make single
messages slow that it has little to do with.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from benchmarks.workloads.stock import FIELDS, SYMBOLS, Conditions

KINDS = {
    "contains()": "contains(/stock/symbol, 'S1{n}')",
    "not()": "/stock[not(price > {n})]/symbol = 'S{n}'",
    "!=": "/stock[volume != {n}]/symbol = 'S{n}'",
    "or": "/stock/symbol = 'S{n}' or /stock/price = {n}",
    "branches": "//*[symbol = 'S{n}' and low < {n}]/high > 10",
    "transformation": "for $s in /stock where $s/symbol = 'S{n}' return <quote>{{ $s/symbol, $s/price }}</quote>",
    "other transformation": "for $o in //order where $o/sku = 'A{n}' return <order>{{ $o/sku }}</order>",
    "correlation": "SELECT <both>{{ $a/price, $b/price }}</both> FROM S/stock AS $a [symbol AS $s]"
                   " FOLLOWED BY {{ $s = $t, {n}s }} S/stock AS $b [symbol AS $t]",
    "other correlation": "SELECT <paid>{{ $o/@id, $p/amount }}</paid> FROM S/order AS $o [@id AS $i]"
                         " FOLLOWED BY {{ $i = $r, {n}s }} S/payment AS $p [order AS $r]",
}
"""A text of each kind; those called *other* are about messages that do not come."""
FILTERS = ("contains()", "not()", "!=", "or", "branches")


def texts(kind: str, count: int, seed: int) -> list[str]:
    """Different texts of one kind."""
    return [KINDS[kind].format(n=number) for number in Random(seed).sample(range(1, SYMBOLS), count)]


def in_any_order(conditions: Conditions, seed: int) -> Iterator[str]:
    """The conditions of stock subscriptions as people write them: in any order, as a predicate or as a conjunction."""
    random = Random(seed)
    for symbol, count, fields, above, cents in zip(
            *(column.tolist() for column in (conditions.symbol, conditions.count, conditions.field,
                                             conditions.above, conditions.cents)), strict=True):
        tests = [f"{FIELDS[field]} {'>' if greater else '<'} {constant / 100:.2f}"
                 for field, greater, constant in zip(fields[:count], above, cents, strict=False)]
        tests.append(f"symbol = 'S{symbol}'")
        random.shuffle(tests)
        yield " and ".join(f"/stock/{test}" for test in tests) if random.random() < 0.5 else \
            f"/stock[{' and '.join(tests)}]"
