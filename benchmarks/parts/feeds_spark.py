"""Correlations over a stream of feed items on Spark, beside DuckDB."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.checking import Disagreement
from benchmarks.options import Options
from benchmarks.rows import Row
from benchmarks.stores import spark_session, stored, stored_on_spark
from benchmarks.streaming import check, stream
from benchmarks.workloads.feeds import generated


def measure(options: Options) -> Iterator[Row]:
    """All rows of the part: two batches, of which the second is warm."""
    sizes = options.sizes
    feed = generated(sizes.spark_feed_items, options.seed)
    correlations = feed.workload.correlations(sizes.spark_feed_queries, options.seed)
    subscriptions, batch = feed.workload.subscriptions(correlations), max(1, len(feed.messages) // 2)
    with stored(subscriptions) as (broker, _):
        near = stream(broker, feed, batch)
    with spark_session(options.spark_memory) as session, stored_on_spark(session, subscriptions) as (broker, seconds):
        far = stream(broker, feed, batch)
    check(far, feed, correlations, "Spark")
    if far.found != near.found:
        raise Disagreement("Spark and DuckDB have different notifications")
    counted = {"queries": len(correlations), "items": len(feed.messages), "notifications": far.found.total()}
    yield Row("feeds", f"{len(correlations):,} queries: subscribe_many", len(correlations) / seconds, "1/s", "spark",
              counted, more_is_better=True)
    for name, first in {"two batches": 0, "the second batch": 1}.items():
        yield Row("feeds", f"{len(correlations):,} queries, {name}", far.rate(first), "items/s", "spark", counted,
                  baseline="DuckDB", baseline_figure=near.rate(first), more_is_better=True, timings=dict(far.timings))
