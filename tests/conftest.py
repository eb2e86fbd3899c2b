"""One test, every engine: a lazy Spark session for the whole run, and stores that last one test."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest
from xdist.scheduler import LoadScopeScheduling

import xpubsub
from tests.kafka_server import KafkaServer

ENGINES = ("duckdb", "spark")
PLANS = ("unroll", "share", "bucket")


def pytest_configure(config: pytest.Config) -> None:
    """Give each database one thread if each core has a process of tests: more threads would only wait for each other."""
    if hasattr(config, "workerinput"):
        duckdb.connect = partial(duckdb.connect, config={"threads": 1})


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "engine" in metafunc.fixturenames:
        metafunc.parametrize("engine", ENGINES)


SLOW = (
    "test_correlation_agreement", "test_stream_job", "test_clocks", "test_stream_kill", "test_kafka",
    "test_explain_agreement", "test_agreement", "test_crash", "test_exits", "test_shredding", "test_slices",
    "test_export", "test_control", "test_explain_streams", "test_cli_fuzz", "test_flwr_agreement", "test_interleaved",
    "test_transform_plans", "test_use_cases", "test_wheel", "test_correlation_workloads", "test_docs",
    "test_flwr_never", "test_spill_agreement", "test_duel", "test_earliest", "test_spill", "test_single", "test_stream_sinks",
    "test_overload_job", "test_checks", "test_narrowing", "test_opening", "test_overload_kill", "test_xpath2",
    "test_spill_crash", "test_overload_docs", "test_stream_memory", "test_streaming_docs",
)
"""Files that `make check` leaves to `make test`, the longest first: many random draws, processes, or builds."""
WITH_SPARK = ("test_agreement", "test_frames", "test_paper_example")
"""Files whose tests all run in the process that has Spark, beside those that begin with `test_spark`."""
OWN_SPARK = ("test_spark_faults", "test_cluster", "test_spark_connect")
"""Files whose tests start a Spark of their own, in any process."""


def needs_spark(nodeid: str) -> bool:
    """Whether a test runs in the process that has Spark, by its name."""
    file, _, test = nodeid.partition("::")
    stem = Path(file).stem
    if stem in OWN_SPARK:
        return False
    return stem in WITH_SPARK or stem.startswith("test_spark") or "spark" in test or "both_engines" in test


class OneSpark(LoadScopeScheduling):  # type: ignore[misc]
    """Gives all tests that need Spark to one process, and the others file by file to whichever is free."""

    def _split_scope(self, nodeid: str) -> str:
        return "spark" if needs_spark(nodeid) else nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> OneSpark:
    return OneSpark(config, log)


FIRST = (*OWN_SPARK, *SLOW)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs Spark, and what takes long; put the former, then the latter, first."""
    for item in items:
        if "spark_session" in getattr(item, "fixturenames", ()) or "spark" in item.name:
            item.add_marker(pytest.mark.spark)
            assert needs_spark(item.nodeid) or item.path.stem in OWN_SPARK, f"{item.nodeid} uses Spark: its name must say so"
        if item.path.stem in SLOW:
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: (not needs_spark(item.nodeid), FIRST.index(item.path.stem) if item.path.stem in FIRST else len(FIRST)))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let the process with Spark go first: it takes the longest, and the others fill what is left of the cores."""
    if hasattr(item.config, "workerinput") and not needs_spark(item.nodeid) and not os.nice(0):
        os.nice(5)


WITH_SAXON = ("test_queries", "test_use_cases", "test_docs")


@pytest.fixture(autouse=True)
def _saxon_for_its_own_tests(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let queries that SQL does not answer be refused, except in the tests of how Saxon answers them."""
    if request.path.stem not in WITH_SAXON:
        monkeypatch.setattr("xpubsub.compile.queries.installed", lambda: False)


@pytest.fixture(scope="session")
def spark_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One small Spark for all tests: started by the first that needs it."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": "2",
        "spark.default.parallelism": "2", "spark.sql.codegen.wholeStage": "false", "spark.driver.memory": "3g",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN", "spark.sql.adaptive.enabled": "false",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
    }
    builder = SparkSession.builder.master("local[2]").appName("xpubsub-tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    with pytest.MonkeyPatch.context() as patch:
        _define_tables_on_request(patch)
        yield session
    session.stop()


_CATALOG: list[bool] = []


def _define_tables_on_request(patch: pytest.MonkeyPatch) -> None:
    """Leave Spark's catalog alone, but for tests with the fixture `catalog`."""
    from xpubsub.engines.spark_tables import SparkTables

    start = SparkTables.start
    patch.setattr(SparkTables, "start", lambda tables: start(tables) if _CATALOG else None)


@pytest.fixture
def catalog(spark_session: Any) -> Iterator[None]:
    """Define the tables of stores in Spark's catalog, as for users; it takes a second of each store."""
    _CATALOG.append(True)
    yield
    _CATALOG.pop()


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
