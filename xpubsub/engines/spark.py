"""The Spark engine: a store is a directory of Parquet tables, relations are temporary views."""

from __future__ import annotations

import itertools
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.pandas.types import from_arrow_schema, from_arrow_type

from xpubsub.arrow import ROW_KIND, ArrowFunction, Outputs, SplitFunction, wide_schema, widened
from xpubsub.engines.dialect import render, table_ddl, tables_in
from xpubsub.engines.shared import check_writable, no_store, shared_state
from xpubsub.engines.spark_files import StoreDirectory, unreachable
from xpubsub.engines.spark_frames import FrameGrounds
from xpubsub.errors import EngineError, StoreError
from xpubsub.ids import stable_id
from xpubsub.step import Pipeline, Step

_COUNTER = itertools.count()
_HEAVY = 40
"""Size of a relation's plan, in steps, beyond which it is computed before others use it: plans grow with each use."""
_TABLE = re.compile(r"create table if not exists (\w+)", re.IGNORECASE)
_DROP = re.compile(r"drop table if exists (\w+)", re.IGNORECASE)
_SETTINGS = {"spark.sql.cteRecursionRowLimit": "-1", "spark.sql.cteRecursionLevelLimit": "-1"}


class SparkEngine:
    """A Spark session and the tables of one store in it."""

    NAME: ClassVar[str] = "spark"
    DIALECT: ClassVar[str] = "spark"
    PREFERS_SQL: ClassVar[bool] = False
    PERSISTENT_CATALOG: ClassVar[bool] = False
    DISTRIBUTED: ClassVar[bool] = True

    def __init__(
        self, path: str, session: SparkSession | None = None, master: str | None = None, *, read_only: bool = False,
        create: bool = True,
    ) -> None:
        self.place, self.read_only = path, read_only
        self._own_session = session is None and SparkSession.getActiveSession() is None
        self.session = session or start_session(master)
        for name, value in _SETTINGS.items():
            self.session.conf.set(name, value)
        with self._reached():
            self._directory = self._opened_directory(create and not read_only)
            self._version = self._directory.version()
        self.shared = shared_state(self._directory.uri)
        self._tables: dict[str, str] = {}
        self._dropped: dict[str, int] = {}
        self._weights: dict[str, int] = {}
        self._lazy = False
        self._relations: dict[str, str] = {}
        self._kept: list[DataFrame] = []
        self._grounds = FrameGrounds(self.session)
        self._writing = 0
        self._held: set[str] = set()
        self._registered: set[str] = set()

    def _opened_directory(self, create: bool) -> StoreDirectory:
        context = self.session.sparkContext
        directory = StoreDirectory(context._jvm, context._jsc.hadoopConfiguration(), self.place)
        if not create and not directory.exists():
            raise no_store(self.place, " --engine spark")
        return directory

    @contextmanager
    def _reached(self) -> Iterator[None]:
        """Access the store's files; if that fails while opening, stop the session that was started for it."""
        try:
            with files_reached(self.place):
                yield
        except StoreError:
            if self._own_session and not hasattr(self, "shared"):
                self.session.stop()
            raise

    def close(self) -> None:
        self._grounds.release_all()
        self._release(0)
        self.session.sql(f"drop database if exists {self._database} cascade")
        if self._own_session:
            self.session.stop()

    @property
    def _database(self) -> str:
        name = re.sub(r"\W+", "_", self._directory.uri.rstrip("/").rsplit("/", 1)[-1]).lower()
        return f"xpubsub_{name}_{stable_id(self._directory.uri) % 16**6:06x}_v{max(self._version, 1)}"

    def define(self, statement: str) -> None:
        if (dropped := _DROP.search(statement)) is not None:
            return self._drop(dropped[1].lower())
        match = _TABLE.search(statement)
        if match is None:
            raise StoreError(f"not a statement that creates or drops a table: {statement}")
        if not self._tables:
            self._create_database()
        name = match[1].lower()
        self._tables[name] = statement
        place = f"{self._directory.location(self._version)}/{self._folder(name)}"
        self._sql("ddl", table_ddl(statement, self.DIALECT, f"{self._database}.{name}", place))

    def hold(self, steps: Pipeline) -> None:
        """Cache the store's tables that the steps read; appended rows are cached too."""
        read = self._tables.keys() & {name for step in steps for name in tables_in(step.sql)}
        for name in {f"{self._database}.{table}" for table in read} - self._held:
            self._held.add(name)
            self.session.catalog.cacheTable(name)

    def _drop(self, name: str) -> None:
        """Drop a table; a table created later with the same name gets another folder."""
        self._dropped[name] = self._dropped.get(name, 0) + 1
        self._tables.pop(name, None)
        self._sql("ddl", f"drop table if exists {self._database}.{name}")

    def _folder(self, name: str) -> str:
        return f"{name}_{self._dropped[name] + 1}" if name in self._dropped else name

    def _create_database(self) -> None:
        if not self._version:
            check_writable(self)
            self._version = 1
            with self._reached():
                self._directory.complete(1)
        self.session.sql(f"create database if not exists {self._database}")

    def has_tables(self) -> bool:
        return bool(self._version)

    def is_empty(self) -> bool:
        with self._reached():
            return self._directory.is_empty()

    @contextmanager
    def lazily(self, lazy: bool = True) -> Iterator[None]:
        """Build frames inside the scope without computing them."""
        self._lazy = lazy
        try:
            yield
        finally:
            self._lazy = False

    @contextmanager
    def pipeline(self) -> Iterator[None]:
        self._grounds.release_vanished()
        before, kept = dict(self._relations), len(self._kept)
        try:
            yield
        finally:
            self._weights.clear()
            for name, view in self._relations.items():
                if before.get(name) != view:
                    self.session.catalog.dropTempView(view)
            self._relations = before
            self._release(kept)

    def detach(self, *frames: DataFrame) -> None:
        """Keep the relations of the running pipeline for as long as the frames built on them live."""
        self._grounds.leave(list(self._relations.values()), self._kept.copy(), frames)
        self._relations.clear()
        self._kept.clear()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self._writing += 1
        try:
            yield
        finally:
            self._writing -= 1

    def load(self, name: str, table: pa.Table) -> None:
        self.view(name, self._given(table))

    def _given(self, table: pa.Table) -> DataFrame:
        """Return an Arrow table as a frame, from one chunk: Spark loses chunks after an empty one."""
        return self.session.createDataFrame(table.combine_chunks())

    def view(self, name: str, frame: DataFrame, *, keep: bool = False) -> None:
        """Make a frame a relation; `keep` computes it only once.

        While tables are written, kept frames must not depend on them: Spark would compute the frames again.
        """
        if keep and self._writing:
            frame = frame.localCheckpoint()
        elif keep:
            frame = frame.persist()
            self._kept.append(frame)
        self._relations[name] = f"xpubsub_{next(_COUNTER)}_{name}"
        frame.createOrReplaceTempView(self._relations[name])

    def run(self, step: Step) -> None:
        weight = 1 + sum(self._weights.get(name, 0) for name in tables_in(step.sql))
        frame = self.frame(step)
        if step.reused and weight > _HEAVY and not self._lazy:
            frame, weight = frame.localCheckpoint(), 1
        self.view(step.name, frame, keep=step.reused)
        self._weights[step.name] = weight

    def map_arrow(self, name: str, source: Step, function: ArrowFunction, schema: pa.Schema) -> None:
        self.view(name, self.map_frame(self.frame(source), function, schema), keep=True)

    def split_arrow(self, source: Step | pa.Table, function: SplitFunction, outputs: Outputs) -> None:
        frame = self.frame(source) if isinstance(source, Step) else self._given(source)
        wide = f"wide_{next(_COUNTER)}"
        self.view(wide, self.map_frame(frame, widened(function, outputs), wide_schema(outputs)), keep=True)
        for name in outputs:
            rows = self.session.table(self._relations[wide]).where(f"{ROW_KIND} = '{name}'")
            self.view(name, rows.select(f"{name}.*"))

    def map_frame(self, frame: DataFrame, function: ArrowFunction, schema: pa.Schema) -> DataFrame:
        """Return a frame with the results of a function, applied to a frame's batches in the executors."""
        return frame.mapInArrow(function, from_arrow_schema(schema))

    def append(self, table: str, step: Step) -> None:
        check_writable(self)
        frame = self.frame(step)
        columns = self.session.table(self._bind(table)).columns
        with explained(step.name, self.sql(step)):
            frame.select(columns).write.insertInto(self._bind(table))

    def fetch(self, step: Step, parameters: Sequence[int] = ()) -> pa.Table:
        frame = self.session.sql(self.sql(step), args=list(parameters)) if parameters else self.frame(step)
        with explained(step.name, self.sql(step)):
            return frame.toArrow()

    def frame(self, step: Step) -> DataFrame:
        """Return a step's result as a lazy frame."""
        return self._sql(step.name, self.sql(step))

    def replace(self, tables: Mapping[str, Step]) -> None:
        check_writable(self)
        old, new = self._version, self._version + 1
        with self._reached():
            self._directory.discard(new)
        for name in self._tables:
            step = tables.get(name, Step(f"copy_{name}", f"select * from {name}"))
            columns = self.session.table(self._bind(name)).columns
            with explained(step.name, self.sql(step)):
                self.frame(step).select(columns).write.parquet(f"{self._directory.location(new)}/{self._folder(name)}")
        with self._reached():
            self._directory.complete(new)
            self._directory.discard(old - 1)
        self.session.sql(f"drop database if exists {self._database} cascade")
        self._version = new
        statements, self._tables = list(self._tables.values()), {}
        for statement in statements:
            self.define(statement)

    def compact(self) -> None:
        """Do nothing: `replace` removes old versions."""

    def register(
        self, name: str, function: Callable[..., Any], parameters: list[pa.DataType], result: pa.DataType
    ) -> None:
        if name not in self._registered:
            self._registered.add(name)
            make: Any = arrow_udf
            self.session.udf.register(name, make(function, from_arrow_type(result)))

    def sql(self, step: Step) -> str:
        return render(step.sql, self.DIALECT, self._bind)

    def _bind(self, name: str) -> str:
        return self._relations.get(name) or f"{self._database}.{name}"

    def _release(self, length: int) -> None:
        while len(self._kept) > length:
            self._kept.pop().unpersist()

    def _sql(self, step: str, sql: str) -> DataFrame:
        with explained(step, sql):
            return self.session.sql(sql)


@contextmanager
def explained(step: str, sql: str = "") -> Iterator[None]:
    """Raise Spark's errors as `EngineError`, with the step and its SQL."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise EngineError(str(error), step=step, sql=sql) from error


@contextmanager
def files_reached(place: str) -> Iterator[None]:
    """Raise errors of the file system as `StoreError`, with what to do."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise unreachable(place, str(error)) from error


def start_session(master: str | None) -> SparkSession:
    """Start a Spark session without a user interface; local unless a master is given."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("xpubsub").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false").config("spark.sql.shuffle.partitions", "4")
    if master or "PYSPARK_GATEWAY_PORT" not in os.environ:
        builder = builder.master(master or "local[*]")
    try:
        session = builder.getOrCreate()
    except (PySparkException, RuntimeError, OSError) as error:
        raise EngineError(f"Spark did not start: {error}. It needs a Java runtime, 17 or later") from error
    session.sparkContext.setLogLevel("ERROR")
    return session
