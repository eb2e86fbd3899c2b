"""Transformations of which half order, count and compute, beside saxonche run query by query."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from benchmarks.baselines.saxon_loop import measure as saxon_loop
from benchmarks.measuring import warm
from benchmarks.options import Options
from benchmarks.parts.transform import SCALED, workload
from benchmarks.rows import Row
from benchmarks.stores import stored

HALF = replace(SCALED, computed=0.5)


def measure(options: Options) -> Iterator[Row]:
    """A row for flat messages, and one for sections in sections."""
    for name in ("bib", "book"):
        given = workload(name, options.sizes.transform_queries, options.sizes.transform_documents, HALF, options.seed)
        loop = saxon_loop(given.documents, given.queries)
        with stored(given.subscriptions()) as (broker, subscribing):
            measured = warm(lambda broker=broker, given=given: broker.publish(given.documents), options.runs)  # type: ignore[misc]
        result = measured.value
        loop.check(result.notifications, name)
        sizes = {"queries": len(given.queries), "messages": len(given.documents),
                 "results": result.notifications.num_rows, "failed": result.failed.num_rows}
        yield Row("computed", f"{name}, half of the queries computed", measured.median, "s", sizes=sizes,
                  baseline="saxonche, query by query", faster=True, bar="computed", timings=result.timings,
                  baseline_figure=loop.scaled(len(given.queries), len(given.documents)))
        yield Row("computed", f"{name}, half of the queries computed: subscribe", subscribing, "s", sizes=sizes)
