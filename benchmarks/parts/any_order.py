"""Any order: the stock workload as people write it, each subscription with four of six fields in any order."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pyarrow as pa

import xpubsub
from benchmarks.baselines import lxml_loop
from benchmarks.baselines.vectors import StockMatcher
from benchmarks.measuring import each_once
from benchmarks.options import Options
from benchmarks.parts.beside_numpy import beside_numpy
from benchmarks.rows import Row
from benchmarks.stores import stored
from benchmarks.workloads.kinds import in_any_order
from benchmarks.workloads.stock import Stock, stock

SELECTIVITIES = {1e-5: "any-order-5", 1e-4: "any-order-4"}
_COMPILED = 20_000
"""Subscriptions of which the rate of compiling is taken."""
_WARM = 20
"""Single messages that do not count."""


def measure(options: Options) -> Iterator[Row]:
    """All rows of the part."""
    for selectivity, bar in SELECTIVITIES.items():
        workload = _mixed_up(stock(
            options.sizes.stock_subscriptions, options.sizes.stock_messages, selectivity, options.seed), options.seed)
        with stored(workload.subscriptions) as (broker, seconds):
            row = Row("any-order", f"publish, {selectivity:.0e} of pairs match", 0, "s", bar=bar)
            yield beside_numpy(broker, workload, StockMatcher(workload.conditions), options.runs, row)
            if selectivity == min(SELECTIVITIES):
                yield _subscribing(workload, seconds)
                yield from _single(broker, workload, options.sizes.one_messages)


def _mixed_up(workload: Stock, seed: int) -> Stock:
    """The same subscriptions with other texts."""
    texts = pa.array(in_any_order(workload.conditions, seed), pa.string(), size=len(workload.conditions))
    return Stock(workload.conditions, workload.subscriptions.set_column(1, "text", texts), workload.messages)


def _subscribing(workload: Stock, seconds: float) -> Row:
    count = len(workload.conditions)
    return Row("any-order", "subscribe_many", count / seconds, "1/s", sizes={"subscriptions": count},
               bar="subscribe-any-order", baseline="lxml compiling", more_is_better=True,
               baseline_figure=lxml_loop.compile_rate(workload.first_texts(_COMPILED)))


def _single(broker: xpubsub.Broker, workload: Stock, count: int) -> Iterator[Row]:
    messages = workload.messages[: count + _WARM]
    for message in messages[:_WARM]:
        broker.publish([message])
    measured = each_once([partial(broker.publish, [message]) for message in messages[_WARM:]])
    sizes = {"subscriptions": len(workload.conditions), "messages": count}
    yield Row("any-order", "one message, p50", 1000 * measured.median, "ms", sizes=sizes, bar="any-order-one")
    yield Row("any-order", "one message, p99", 1000 * measured.percentile(99), "ms", sizes=sizes, bar="any-order-p99")
