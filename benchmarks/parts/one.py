"""One: the latency of single messages against many stored subscriptions, before and after changes."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

import xpubsub
from benchmarks.measuring import Measured
from benchmarks.options import Options
from benchmarks.parts.population import Messages, Population
from benchmarks.rows import Row
from benchmarks.stores import stored
from benchmarks.workloads.stock import conditions, stock

SELECTIVITY = 1e-5
_WARM = 10
"""Messages that do not count, before each measurement."""


def measure(options: Options) -> Iterator[Row]:
    """All rows of the part."""
    sizes = options.sizes
    workload = stock(sizes.one_subscriptions, 2 * (sizes.one_messages + _WARM), SELECTIVITY, options.seed)
    half = len(workload.messages) // 2
    swaps = max(1, sizes.one_changes // 2)
    new = conditions(swaps, SELECTIVITY, np.random.default_rng(options.seed + 1))
    with stored(workload.subscriptions) as (broker, _):
        population = Population(broker, workload.conditions, new)
        yield from _latency(broker, population, workload.messages[:half], {})
        population.swap(swaps, sizes.one_at_once)
        calls = {"changes": 2 * swaps}
        yield Row("one", f"changes, {sizes.one_at_once} in a call", 2 * swaps / population.seconds, "1/s",
                  more_is_better=True, sizes={"subscriptions": sizes.one_subscriptions, **calls})
        yield from _latency(broker, population, workload.messages[half:], calls)


def _latency(
    broker: xpubsub.Broker, population: Population, messages: Messages, calls: dict[str, int]
) -> Iterator[Row]:
    measured, when = _one_by_one(broker, messages), " after changes" if calls else ""
    population.check(pa.concat_tables(each.notifications for each in measured.value), messages[_WARM:], f"one{when}")
    sizes = {"subscriptions": population.size, "messages": len(messages) - _WARM, **calls}
    timings = measured.value[-1].timings
    yield Row("one", f"p50{when}", 1000 * measured.median, "ms", sizes=sizes, bar="one", timings=timings)
    yield Row("one", f"p95{when}", 1000 * measured.percentile(95), "ms", sizes=sizes)


def _one_by_one(broker: xpubsub.Broker, messages: Messages) -> Measured[list[xpubsub.Result]]:
    """The seconds and results of single publishes."""
    for message in messages[:_WARM]:
        broker.publish([message])
    seconds, results = [], []
    for message in messages[_WARM:]:
        started = time.perf_counter()
        results.append(broker.publish([message]))
        seconds.append(time.perf_counter() - started)
    return Measured(seconds, results)
