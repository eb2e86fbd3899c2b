"""Spark beside DuckDB in the same run, on stock quotes and NASA documents; and Spark's own `xpath_boolean`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa

import xpubsub
from benchmarks.baselines import lxml_loop, spark_xpath
from benchmarks.checking import Disagreement, check_pairs, check_sample, numbered
from benchmarks.measuring import side_by_side, warm
from benchmarks.options import Options
from benchmarks.parts.transform import SCALED
from benchmarks.parts.transform import workload as transform_workload
from benchmarks.rows import Row
from benchmarks.stores import spark_session, stored, stored_on_spark
from benchmarks.workloads.nasa import Nasa, nasa
from benchmarks.workloads.stock import Stock, stock

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SELECTIVITY = 1e-5
_WARM = 2
"""Runs that do not count: the Java machine compiles while it runs."""
_MOST_RUNS = 3
_PUBLISH = {"partition": "publish", "sql": "publish, plan sql"}
_BARS = {("stock", "partition"): "stock-spark", ("stock", "sql"): "stock-spark-sql"}


def measure(options: Options) -> Iterator[Row]:
    """All rows of the part."""
    sizes, runs = options.sizes, min(options.runs, _MOST_RUNS)
    with spark_session(options.spark_memory) as session:
        quotes = stock(sizes.spark_stock_subscriptions, sizes.spark_stock_messages, SELECTIVITY, options.seed)
        yield from _measure(session, quotes, "stock", runs)
        del quotes
        documents = nasa(sizes.spark_nasa_documents, sizes.spark_nasa_subscriptions, options.seed)
        yield from _measure(session, documents, "nasa", runs)
        del documents
        yield _transformations(session, options, runs)


def _measure(session: SparkSession, workload: Stock | Nasa, name: str, runs: int) -> Iterator[Row]:
    """A store on each engine, the same answers, and the rows."""
    subscriptions = workload.subscriptions
    with stored(subscriptions) as (near, _), stored_on_spark(session, subscriptions) as (far, seconds):
        rate = subscriptions.num_rows / seconds
        yield Row(name, "subscribe_many", rate, "1/s", "spark", workload.sizes, more_is_better=True)
        row, notifications = _beside_duckdb(near, far, workload, name, runs)
        yield row
        yield _frame(session, far, workload, notifications, row, runs)
        by_sql, _ = _beside_duckdb(near, far, workload, name, runs, plan="sql")
        yield by_sql
        yield _beside_xpath_boolean(session, workload, notifications, row)
        if name == "nasa":
            loop = lxml_loop.measure(workload.messages, workload.first_texts(lxml_loop.SAMPLE[0]))
            check_sample(notifications, loop.matches, loop.messages, loop.subscriptions, f"{row.workload}, lxml")
            for each, bar in ((row, "nasa-spark"), (by_sql, "nasa-spark-sql")):
                yield replace(_faster(each, "lxml loop", loop.scaled(**workload.sizes)), bar=bar)


def _beside_duckdb(
    near: xpubsub.Broker, far: xpubsub.Broker, workload: Stock | Nasa, name: str, runs: int, plan: str = "partition"
) -> tuple[Row, pa.Table]:
    messages = workload.messages
    duckdb, spark = side_by_side(
        lambda: near.publish(messages), lambda: far.publish(messages, plan=plan), runs, before=_WARM)
    notifications = spark.value.notifications
    check_pairs(notifications, numbered(duckdb.value.notifications), f"{name}, Spark and DuckDB")
    row = Row(
        name, _PUBLISH[plan], spark.median, "s", "spark", {**workload.sizes, "notifications": notifications.num_rows},
        baseline="DuckDB", baseline_figure=duckdb.median, bar=_BARS.get((name, plan), ""),
        timings=spark.value.timings, baseline_timings=duckdb.value.timings,
    )
    return row, notifications


def _transformations(session: SparkSession, options: Options, runs: int) -> Row:
    sizes = options.sizes
    amounts = sizes.spark_transform_queries, sizes.spark_transform_documents
    given = transform_workload("bib", *amounts, SCALED, options.seed)
    subscriptions, documents = given.subscriptions(), given.documents
    with stored(subscriptions) as (near, _), stored_on_spark(session, subscriptions) as (far, _):
        duckdb, spark = side_by_side(
            lambda: near.publish(documents), lambda: far.publish(documents), runs, before=_WARM)
    found = [each.value.notifications.to_pydict().values() for each in (spark, duckdb)]
    ours, theirs = (Counter(zip(*columns, strict=True)) for columns in found)
    if ours != theirs:
        raise Disagreement("transformations: Spark and DuckDB have different notifications")
    counted = {"queries": len(given.queries), "messages": len(documents), "results": ours.total()}
    return Row("transform", "publish", spark.median, "s", "spark", counted, baseline="DuckDB",
               baseline_figure=duckdb.median, bar="transform-spark", timings=spark.value.timings,
               baseline_timings=duckdb.value.timings)


def _frame(
    session: SparkSession, far: xpubsub.Broker, workload: Stock | Nasa, expected: pa.Table, row: Row, runs: int
) -> Row:
    frame = session.createDataFrame(workload.messages, "id string, xml string").repartition(4).cache()
    measured = warm(lambda: far.publish_frame(frame).toArrow(), runs)
    frame.unpersist()
    check_pairs(measured.value, numbered(expected), f"{row.workload}, publish_frame")
    return replace(row, name="publish_frame", figure=measured.median, bar="", timings={})


def _beside_xpath_boolean(session: SparkSession, workload: Stock | Nasa, notifications: pa.Table, row: Row) -> Row:
    sample = spark_xpath.measure(session, workload.messages, workload.first_texts(spark_xpath.SAMPLE[0]))
    check_sample(notifications, sample.matches, sample.messages, sample.subscriptions, f"{row.workload}, xpath_boolean")
    return _faster(row, "xpath_boolean", sample.scaled(**workload.sizes))


def _faster(row: Row, baseline: str, seconds: float) -> Row:
    return replace(row, name=f"{row.name}, beside {baseline}", baseline=f"{baseline}, scaled", baseline_figure=seconds,
                   faster=True, bar="", baseline_timings={})
