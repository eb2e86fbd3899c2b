"""One test, every engine: a lazy Spark session for the whole run, and stores that last one test."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import xpubsub
from tests.kafka_server import KafkaServer

ENGINES = ("duckdb", "spark")
PLANS = ("unroll", "share", "bucket")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "engine" in metafunc.fixturenames:
        metafunc.parametrize("engine", ENGINES)


SLOW = (
    "test_agreement", "test_flwr_agreement", "test_correlation_agreement", "test_explain_agreement", "test_crash", "test_exits", "test_export",
    "test_cli_fuzz", "test_wheel", "test_interleaved", "test_transform_plans", "test_clocks", "test_docs", "test_shredding", "test_flwr_never",
    "test_use_cases", "test_correlation_workloads", "test_kafka", "test_stream_job", "test_stream_kill",
)
"""Files that `make check` leaves to `make test`: many random draws, processes, or builds."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs Spark, and what takes long."""
    for item in items:
        if "spark_session" in getattr(item, "fixturenames", ()) or "spark" in item.name:
            item.add_marker(pytest.mark.spark)
        if item.path.stem in SLOW:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def spark_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One small Spark for all tests: started by the first that needs it."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": "2",
        "spark.default.parallelism": "2", "spark.sql.codegen.wholeStage": "false", "spark.driver.memory": "3g",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN", "spark.sql.adaptive.enabled": "false",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
    }
    builder = SparkSession.builder.master("local[2]").appName("xpubsub-tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaServer]:
    """One Kafka broker for all tests: started by the first that needs it."""
    server = KafkaServer(tmp_path_factory.mktemp("kafka"))
    server.prepare()
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture
def connect(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., xpubsub.Broker]]:
    """`connect(engine, **options)`: a store for one test; a `name` given twice is opened again."""
    brokers: list[xpubsub.Broker] = []

    def opened(engine: str, name: str = "store", **options: Any) -> xpubsub.Broker:
        if engine == "spark":
            options["spark"] = request.getfixturevalue("spark_session")
        path = tmp_path / (f"{name}.duckdb" if engine == "duckdb" else name)
        brokers.append(xpubsub.connect(path, engine=engine, **options))
        return brokers[-1]

    yield opened
    for broker in brokers:
        broker.close()
