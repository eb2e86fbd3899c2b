"""Correlations one by one (plan `sequential`): measured for as many as it can take, more of them on a straight line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import xpubsub
from benchmarks.pairs import Cost, cost
from benchmarks.stores import store_file
from benchmarks.workloads.correlations import Correlation, Workload

LIMITS = xpubsub.Limits(max_joins=12)


@dataclass(frozen=True)
class Sequential:
    """What some numbers of correlations cost."""

    costs: dict[int, Cost]

    def publish(self, number: int) -> float:
        """Seconds of `publish`."""
        return self._seconds(number, lambda each: each.publish)

    def joining(self, number: int) -> float:
        """Seconds of joins."""
        return self._seconds(number, lambda each: each.joining)

    def _seconds(self, number: int, of: Callable[[Cost], float]) -> float:
        """What was measured, or lies on the line through the two largest that were."""
        measured = {0: 0.0, **{size: of(each) for size, each in self.costs.items()}}
        less, more = sorted(measured)[-2:]
        slope = (measured[more] - measured[less]) / (more - less)
        return measured.get(number, measured[more] + slope * (number - more))


def measure(workload: Workload, correlations: list[Correlation], numbers: list[int]) -> Sequential:
    """Each of the first correlations by itself, also those that are the same as others."""
    costs: dict[int, Cost] = {}
    numbers = sorted({min(number, len(correlations)) for number in numbers})
    with store_file() as path, xpubsub.connect(path, limits=LIMITS) as broker:
        for before, number in zip([0, *numbers], numbers, strict=False):
            broker.subscribe_many(workload.subscriptions(correlations[before:number], before, apart=True))
            costs[number] = cost(broker, workload.schema, correlations[:number], "sequential", 1)
    return Sequential(costs)
