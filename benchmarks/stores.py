"""Stores that last as long as a measurement: DuckDB files, Spark directories."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

import xpubsub
from benchmarks.measuring import once

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def store_file() -> Iterator[Path]:
    """The path of a DuckDB file that is not there yet."""
    with tempfile.TemporaryDirectory(prefix="xpubsub-bench-") as folder:
        yield Path(folder) / "store.duckdb"


@contextmanager
def stored(subscriptions: pa.Table) -> Iterator[tuple[xpubsub.Broker, float]]:
    """A DuckDB file with subscriptions, and the seconds it took to add them."""
    with store_file() as path, xpubsub.connect(path) as broker:
        yield broker, fill(broker, subscriptions)


def fill(broker: xpubsub.Broker, subscriptions: pa.Table) -> float:
    """Add subscriptions; returns the seconds it took."""
    return once(lambda: broker.subscribe_many(subscriptions)).median


@contextmanager
def spark_session(memory: str, master: str = "local[*]") -> Iterator[SparkSession]:
    """A Spark session on this machine with a warehouse of its own."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory(prefix="xpubsub-bench-") as folder:
        builder = SparkSession.builder.master(master).appName("xpubsub-bench")
        for name, value in _spark_settings(memory, folder).items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        try:
            yield session
        finally:
            session.stop()


def _spark_settings(memory: str, folder: str) -> dict[str, str]:
    return {
        "spark.driver.memory": memory, "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4", "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.driver.maxResultSize": "0", "spark.local.dir": folder,
    }


@contextmanager
def stored_on_spark(session: SparkSession, subscriptions: pa.Table) -> Iterator[tuple[xpubsub.Broker, float]]:
    """A Spark directory with subscriptions, and the seconds it took to add them."""
    with (
        tempfile.TemporaryDirectory(prefix="xpubsub-bench-") as folder,
        xpubsub.connect(f"{folder}/store", spark=session) as broker,
    ):
        yield broker, fill(broker, subscriptions)
