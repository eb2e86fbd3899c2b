"""Correlations of two documents (Hong et al. 2007, sections 6.1 and 6.2): time of the joins, by plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import xpubsub
from benchmarks.baselines import sequential
from benchmarks.baselines.sequential import LIMITS, Sequential
from benchmarks.measuring import once
from benchmarks.options import Options
from benchmarks.pairs import Cost, cost, joining
from benchmarks.rows import Row
from benchmarks.stores import store_file
from benchmarks.workloads.correlations import Correlation, Workload, powers, three_level, two_level

_PLANS = ("mmqjp-view", "mmqjp")
_VIEWS = ("value_pair", "value_pair_above", "rl", "rr")
_SUBSCRIBED = "sequential, each that is subscribed"
_DISTINCT = "sequential, each that is different"
_ZIPF = (0.0, 0.4, 0.8, 1.2, 1.6)


def measure(options: Options) -> Iterator[Row]:
    """All rows of the part."""
    yield from _scaled(Workload("two-level", two_level(6), 6), options)
    yield from _varied("leaves", {n: Workload("two-level", two_level(n), n) for n in (4, 6, 8, 10, 12)}, options)
    yield from _varied("Zipf", {z: Workload("two-level", two_level(6), 6, z) for z in _ZIPF}, options)
    yield from _scaled(Workload("three-level", three_level(), 4), options)
    yield from _varied("joins", {n: Workload("three-level", three_level(), n) for n in (2, 3, 4, 5)}, options)
    yield from _varied("Zipf", {z: Workload("three-level", three_level(), 4, z) for z in _ZIPF}, options)


@dataclass(frozen=True)
class _Compared:
    """The costs of a number of correlations by plan, and of each by itself."""

    workload: Workload
    correlations: list[Correlation]
    costs: Mapping[str, Cost]
    alone: Sequential

    @property
    def sizes(self) -> dict[str, float]:
        """How many, and how many of them are different."""
        return {"queries": len(self.correlations), "different": len({each.pairs for each in self.correlations})}

    def joins(self, what: str, over: str, size: float) -> Iterator[Row]:
        """The joins of each plan, for a plot over a size."""
        for plan, found in self.costs.items():
            yield Row(
                "correlate", f"{self.workload.name}, {what}: joins, {plan}", 1e3 * found.joining, "ms",
                sizes={**self.sizes, over: size}, baseline=_SUBSCRIBED, faster=True,
                baseline_figure=1e3 * self.alone.joining(len(self.correlations)), timings=joining(found.timings),
                plots=(f"{self.workload.name} over {over}",))


def _scaled(workload: Workload, options: Options) -> Iterator[Row]:
    """Figures 8 and 11: over the number of queries, added to one store; Figures 14 and 15: the most of them."""
    numbers = powers(options.sizes.correlate_queries)
    correlations = workload.correlations(numbers[-1], options.seed)
    alone = sequential.measure(workload, correlations, powers(options.sizes.correlate_sequential))
    with store_file() as path, xpubsub.connect(path, limits=LIMITS) as broker:
        for before, number in zip([0, *numbers], numbers, strict=False):
            more = workload.subscriptions(correlations[before:number], before)
            seconds = once(lambda more=more: broker.subscribe_many(more)).median  # type: ignore[misc]
            compared = _compared(broker, workload, correlations[:number], alone, options.runs)
            yield from compared.joins(f"{number:,} queries", "queries", number)
            yield from _published(compared, "correlate" if number == numbers[-1] else "")
            rate = (number - before) / seconds
            yield Row("correlate", f"{workload.name}, {number:,} queries: subscribe_many", rate, "1/s",
                      sizes=compared.sizes, more_is_better=True)
    yield from _views(compared)


def _varied(over: str, workloads: Mapping[float, Workload], options: Options) -> Iterator[Row]:
    """Figures 9 and 10, 12 and 13: more leaves, more joins, other shares of small ones."""
    number, sample = options.sizes.correlate_few, options.sizes.correlate_sample
    for size, workload in workloads.items():
        correlations = workload.correlations(number, options.seed)
        alone = sequential.measure(workload, correlations, sorted({max(1, sample // 10), sample}))
        with store_file() as path, xpubsub.connect(path, limits=LIMITS) as broker:
            broker.subscribe_many(workload.subscriptions(correlations))
            compared = _compared(broker, workload, correlations, alone, options.runs)
        yield from compared.joins(f"{over} {size}", over, size)


def _compared(
    broker: xpubsub.Broker, workload: Workload, correlations: list[Correlation], alone: Sequential, runs: int
) -> _Compared:
    costs = {plan: cost(broker, workload.schema, correlations, plan, runs) for plan in _PLANS}
    return _Compared(workload, correlations, costs, alone)


def _published(compared: _Compared, bar: str) -> Iterator[Row]:
    """All of `publish`, beside each query by itself; equal ones are stored once, so also beside each different one."""
    found, count = compared.costs["mmqjp-view"], len(compared.correlations)
    different = round(compared.sizes["different"])
    for baseline, number, bound in ((_SUBSCRIBED, count, bar), (_DISTINCT, different, bar)):
        yield Row("correlate", f"{compared.workload.name}, {count:,} queries: publish, beside {baseline}",
                  found.publish, "s", sizes=compared.sizes, baseline=baseline, faster=True,
                  baseline_figure=compared.alone.publish(number), bar=bound, timings=found.timings)


def _views(compared: _Compared) -> Iterator[Row]:
    """What the views cost, and the conjunctive queries with and without them."""
    for plan, found in compared.costs.items():
        steps = joining(found.timings)
        parts = {view: steps.get(view, 0.0) for view in _VIEWS if view in steps}
        parts["conjunctive queries"] = found.joining - sum(parts.values())
        yield Row("correlate", f"{compared.workload.name}: views and queries, {plan}", 1e3 * found.joining, "ms",
                  sizes=compared.sizes, timings=parts, plots=("views",))
