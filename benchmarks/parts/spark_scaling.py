"""Spark with one core, with two, and with two executors: strong and weak scaling of stock quotes, and a fitted model.

Strong: the same messages. Weak: as many messages per core. The model has, for one worker and M messages with S
subscriptions matched C at a time: seconds = batch + M * message + M * S * pair + S * M / C * scan.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import xpubsub
from benchmarks.measuring import warm
from benchmarks.options import Options
from benchmarks.parts.spark import SELECTIVITY
from benchmarks.rows import Row
from benchmarks.stores import fill, spark_session
from benchmarks.workloads.stock import Stock, stock
from xpubsub.jobs.publish.partition import MOST_MESSAGES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ONE, _TWO, _CLUSTER = "local[1]", "local[2]", "local-cluster[2,1,2048]"
_MOST_RUNS = 3
_FRACTIONS = (0.1, 1)
"""Of the subscriptions, for the model."""
_MULTIPLES = (0.1, 0.5, 1, 2)
"""Of the messages, for the model; the last two are those of strong and weak scaling."""
_SCALING = ("strong", "weak")
_Point = tuple[int, int, float]
"""Messages, subscriptions, seconds."""


def measure(options: Options) -> Iterator[Row]:
    """All rows of the part; the stores are filled without a Spark session."""
    sizes, runs = options.sizes, min(options.runs, _MOST_RUNS)
    workload = stock(sizes.scaling_subscriptions, 2 * sizes.scaling_messages, SELECTIVITY, options.seed)
    with tempfile.TemporaryDirectory(prefix="xpubsub-bench-") as folder:
        for fraction in _FRACTIONS:
            rows = workload.subscriptions.slice(0, int(fraction * workload.subscriptions.num_rows))
            with xpubsub.connect(f"{folder}/{fraction}", engine="spark") as broker:
                fill(broker, rows)
        counts = [int(multiple * sizes.scaling_messages) for multiple in _MULTIPLES]
        with spark_session(options.spark_memory, _ONE) as session:
            points = [point for fraction in _FRACTIONS
                      for point in _points(session, f"{folder}/{fraction}", workload, counts, 1, runs)]
        yield from _model(points)
        single = points[-2][2]
        for master in (_TWO, _CLUSTER):
            with spark_session(options.spark_memory, master) as session:
                found = _points(session, f"{folder}/{_FRACTIONS[-1]}", workload, counts[-2:], 2, runs)
            yield from (_row(f"{name}, {master}", point, single) for name, point in zip(_SCALING, found, strict=True))


def _row(name: str, point: _Point, single: float) -> Row:
    """A row beside one core with the messages of one core."""
    messages, subscriptions, seconds = point
    return Row("spark-scaling", name, seconds, "s", "spark", {"subscriptions": subscriptions, "messages": messages},
               baseline=_ONE, baseline_figure=single, faster=True)


def _model(points: list[_Point]) -> Iterator[Row]:
    """The points, and the terms of the model that fit them best and are not negative."""
    for messages, subscriptions, seconds in points:
        yield Row("spark-scaling", f"{_ONE}, {messages:,} x {subscriptions:,}", seconds, "s", "spark",
                  {"subscriptions": subscriptions, "messages": messages})
    terms = np.array([_terms(messages, subscriptions) for messages, subscriptions, _ in points])
    fitted = _not_negative(terms, np.array([seconds for *_, seconds in points]))
    for name, seconds in zip(("batch", "message", "pair", "scan of one subscription"), fitted, strict=True):
        yield Row("spark-scaling", f"model, per {name}", 1e6 * seconds, "us", "spark")


def _terms(messages: int, subscriptions: int) -> tuple[float, ...]:
    return 1, messages, messages * subscriptions, subscriptions * -(-messages // MOST_MESSAGES)


def _not_negative(terms: NDArray[np.float64], seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Least squares of relative errors; a term that comes out negative is left out."""
    used = list(range(terms.shape[1]))
    while True:
        fitted = np.zeros(terms.shape[1])
        fitted[used] = np.linalg.lstsq(terms[:, used] / seconds[:, None], np.ones(len(seconds)), rcond=None)[0]
        if (fitted >= 0).all():
            return fitted
        used.remove(int(fitted.argmin()))


def _points(
    session: SparkSession, place: str, workload: Stock, counts: list[int], parts: int, runs: int
) -> list[_Point]:
    """Seconds for some numbers of messages, in as many partitions as there are workers."""
    points = []
    with xpubsub.connect(place, spark=session) as broker:
        subscriptions = int(broker.stats()["subscriptions"])
        for count in counts:
            given = session.createDataFrame(workload.messages[:count], "id string, xml string")
            frame = given.repartition(parts).cache()
            _count(broker, frame)
            points.append((count, subscriptions, warm(partial(_count, broker, frame), runs).median))
            frame.unpersist()
    return points


def _count(broker: xpubsub.Broker, frame: DataFrame) -> int:
    return broker.publish_frame(frame).count()
