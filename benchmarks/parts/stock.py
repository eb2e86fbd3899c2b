"""Stock (Tian 2004, Tables 5.1 and 5.2): time over selectivity and over the number of subscriptions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import xpubsub
from benchmarks import peak
from benchmarks.baselines import lxml_loop
from benchmarks.baselines.vectors import StockMatcher
from benchmarks.checking import check_pairs, check_sample, numbered
from benchmarks.measuring import warm
from benchmarks.options import Options
from benchmarks.parts.beside_numpy import beside_numpy
from benchmarks.rows import Row
from benchmarks.stores import fill, store_file, stored
from benchmarks.workloads.stock import Stock, stock
from xpubsub.plan.request import FILTER_PLANS

SELECTIVITIES = (1e-7, 1e-6, 1e-5, 1e-4)
"""Matches per pair: 1K, 10K, 100K and 1M notifications of 1M subscriptions and 10K messages."""
REFERENCE = 1e-5
FRACTIONS = (0.1, 0.2)
"""Of the subscriptions: smaller stores, at the reference selectivity."""
_COMPILED = 20_000
"""Subscriptions of which the rate of compiling is taken."""


def measure(options: Options) -> Iterator[Row]:
    """All rows of the part."""
    for selectivity in SELECTIVITIES:
        yield from _at_selectivity(options, selectivity)
    for fraction in FRACTIONS:
        yield _at_fraction(options, fraction)


def _at_selectivity(options: Options, selectivity: float) -> Iterator[Row]:
    sizes = options.sizes
    workload = stock(sizes.stock_subscriptions, sizes.stock_messages, selectivity, options.seed)
    with store_file() as path:
        with xpubsub.connect(path) as broker:
            seconds = fill(broker, workload.subscriptions)
            plots = ("notifications", "subscriptions", "steps") if selectivity == REFERENCE else ("notifications",)
            row = Row("stock", f"publish, {selectivity:.0e} of pairs match", 0, "s", bar="stock", plots=plots)
            row = beside_numpy(broker, workload, StockMatcher(workload.conditions), options.runs, row)
            yield row
            if selectivity == REFERENCE:
                yield _subscribing(workload, seconds)
                yield from _plans(broker, workload, row, options.runs)
        if selectivity == REFERENCE and peak.KNOWN:
            yield _memory(path, workload)


def _at_fraction(options: Options, fraction: float) -> Row:
    sizes = options.sizes
    count = max(1, round(fraction * sizes.stock_subscriptions))
    workload = stock(count, sizes.stock_messages, REFERENCE, options.seed)
    with stored(workload.subscriptions) as (broker, _):
        row = Row("stock", f"publish, {fraction:g} of the subscriptions", 0, "s", plots=("subscriptions",))
        return beside_numpy(broker, workload, StockMatcher(workload.conditions), options.runs, row)


def _subscribing(workload: Stock, seconds: float) -> Row:
    count = len(workload.conditions)
    return Row(
        "stock", "subscribe_many", count / seconds, "1/s", sizes={"subscriptions": count}, bar="subscribe",
        baseline="lxml compiling", baseline_figure=lxml_loop.compile_rate(workload.first_texts(_COMPILED)),
        more_is_better=True,
    )


def _plans(broker: xpubsub.Broker, workload: Stock, row: Row, runs: int) -> Iterator[Row]:
    """The plan that was chosen beside lxml, then each plan by name beside the one that was chosen."""
    result = broker.publish(workload.messages)
    yield _beside_lxml(result, workload, row)
    for plan in FILTER_PLANS:
        measured = warm(partial(broker.publish, workload.messages, plan=plan), runs)
        check_pairs(measured.value.notifications, numbered(result.notifications), f"stock, {plan}")
        yield replace(row, name=f"publish, plan {plan}", figure=measured.median, baseline=f"auto: {result.choice.plan}",
                      baseline_figure=row.figure, bar="", timings=measured.value.timings, baseline_timings={}, plots=())


def _beside_lxml(result: xpubsub.Result, workload: Stock, row: Row) -> Row:
    loop = lxml_loop.measure(workload.messages, workload.first_texts(lxml_loop.SAMPLE[0]))
    check_sample(result.notifications, loop.matches, loop.messages, loop.subscriptions, "stock, lxml")
    return replace(row, name="publish, beside lxml", baseline="lxml loop, scaled",
                   baseline_figure=loop.scaled(**workload.sizes), faster=True, bar="", baseline_timings={}, plots=())


def _memory(path: Path, workload: Stock) -> Row:
    memory = peak.publish_memory(path, workload.messages)
    return Row("stock", "memory of publish", memory / 2**30, "GB", sizes=workload.sizes, bar="memory")
