"""Range: subscriptions without an equality to start from, beside a numpy loop that tests every pair."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.baselines.vectors import PairTester
from benchmarks.options import Options
from benchmarks.parts.beside_numpy import beside_numpy
from benchmarks.rows import Row
from benchmarks.stores import stored
from benchmarks.workloads.stock import ranges

SELECTIVITY = 1e-4


def measure(options: Options) -> Iterator[Row]:
    """All rows of the part."""
    sizes = options.sizes
    workload = ranges(sizes.range_subscriptions, sizes.range_messages, SELECTIVITY, options.seed)
    with stored(workload.subscriptions) as (broker, _):
        row = Row("range", "publish", 0, "s", bar="range", plots=("steps",))
        yield beside_numpy(broker, workload, PairTester(workload.conditions), options.runs, row)
