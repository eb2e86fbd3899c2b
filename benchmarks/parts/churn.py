"""Churn: small batches are published while subscriptions come and go by single calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

import xpubsub
from benchmarks.measuring import Measured, once
from benchmarks.options import Options
from benchmarks.parts.population import Messages, Population
from benchmarks.rows import Row
from benchmarks.stores import stored
from benchmarks.workloads.stock import conditions, stock

SELECTIVITY = 1e-5
BATCH = 100


def measure(options: Options) -> Iterator[Row]:
    """All rows of the part."""
    sizes = options.sizes
    workload = stock(sizes.churn_subscriptions, BATCH * sizes.churn_batches, SELECTIVITY, options.seed)
    batches = [workload.messages[start : start + BATCH] for start in range(0, len(workload.messages), BATCH)]
    swaps = max(1, sizes.churn_calls // (2 * len(batches)))
    new = conditions(swaps * len(batches), SELECTIVITY, np.random.default_rng(options.seed + 1))
    with stored(workload.subscriptions) as (broker, _):
        population = Population(broker, workload.conditions, new)
        yield from _measure(broker, batches, population, swaps)


def _measure(broker: xpubsub.Broker, batches: Sequence[Messages], population: Population, swaps: int) -> Iterator[Row]:
    sizes = {"subscriptions": population.size, "messages": BATCH, "batches": len(batches)}
    broker.publish(batches[0])
    still = _publish(broker, batches, lambda: None)
    yield Row("churn", f"publish of {BATCH}, p50", 1000 * still.median, "ms", sizes=sizes, timings=still.value.timings)
    changing = _publish(broker, batches, lambda: population.swap(swaps))
    population.check(changing.value.notifications, batches[-1], "churn")
    calls = 2 * swaps * len(batches)
    yield Row("churn", f"publish of {BATCH}, p50, with changes", 1000 * changing.median, "ms",
              sizes={**sizes, "calls": calls}, baseline="without changes", baseline_figure=1000 * still.median,
              timings=changing.value.timings)
    yield Row("churn", "subscribe, unsubscribe", calls / population.seconds, "1/s", more_is_better=True,
              sizes={"subscriptions": population.size, "calls": calls})


def _publish(
    broker: xpubsub.Broker, batches: Sequence[Messages], change: Callable[[], None]
) -> Measured[xpubsub.Result]:
    """Publish all batches, with a change before each that does not count."""
    seconds: list[float] = []
    for batch in batches:
        change()
        measured = once(partial(broker.publish, batch))
        seconds.extend(measured.seconds)
    return Measured(seconds, measured.value)
