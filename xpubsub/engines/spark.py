"""The Spark SQL engine: a step runs where its data is.

Steps over the messages and small tables run in the driver's DuckDB, without a job. A step that reads a large table runs
in Spark SQL: the relations it reads are sent along (small, so that Spark broadcasts them), and its rows come back.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, ClassVar

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.pandas.types import from_arrow_schema, from_arrow_type

from xpubsub.arrow import ArrowFunction, Outputs, SplitFunction
from xpubsub.engines.dialect import render, tables_in
from xpubsub.engines.parquet import ParquetEngine
from xpubsub.engines.spark_session import explained, frame_of
from xpubsub.step import Step, whole

_COUNTER = itertools.count()
_FEW_FILES = 32
"""How many files Spark lists without a job."""
_SETTINGS = {"spark.sql.cteRecursionRowLimit": "-1", "spark.sql.cteRecursionLevelLimit": "-1"}


class SparkEngine:
    """The tables of one store in a Spark session, and the relations of the running pipeline in this process.

    Tables are large from `large` bytes on; if that is negative, every step runs in Spark SQL.
    """

    NAME: ClassVar[str] = "spark"
    DIALECT: ClassVar[str] = "spark"
    PREFERS_SQL: ClassVar[bool] = False
    PERSISTENT_CATALOG: ClassVar[bool] = False

    def __init__(self, stored: ParquetEngine, session: SparkSession, large: int) -> None:
        self.place, self.read_only, self.shared = stored.place, stored.read_only, stored.shared
        self.held_file = stored.held_file
        self.session = session
        self._stored = stored
        self._views: dict[str, str] = {}
        self._frames: dict[str, tuple[list[str], DataFrame]] = {}
        self._large = large
        for name, value in _SETTINGS.items():
            session.conf.set(name, value)
        self._functions: set[str] = set()

    def close(self) -> None:
        """Forget the tables in memory; the engine of the files and the session are closed by their owners."""
        for _, frame in self._frames.values():
            frame.unpersist()
        self._frames.clear()

    def refresh(self) -> None:
        self._stored.refresh()

    def define(self, statement: str) -> None:
        self._stored.define(statement)

    def has_tables(self) -> bool:
        return self._stored.has_tables()

    def is_empty(self) -> bool:
        return self._stored.is_empty()

    @contextmanager
    def pipeline(self) -> Iterator[None]:
        try:
            with self._stored.pipeline():
                yield
        finally:
            self._forget(*list(self._views))

    def transaction(self) -> AbstractContextManager[None]:
        return self._stored.transaction()

    def load(self, name: str, table: pa.Table) -> None:
        self._forget(name)
        self._stored.load(name, table)

    def run(self, step: Step) -> None:
        if self._large < 0 or self._is_large(step):
            self.load(step.name, self._by_spark(step))
        else:
            self._forget(step.name)
            self._stored.run(step)

    def map_arrow(self, name: str, source: Step, function: ArrowFunction, schema: pa.Schema) -> None:
        if self._large < 0 or self._is_large(source):
            batches = iter(self._by_spark(source).to_batches())
            self.load(name, pa.Table.from_batches(function(batches), schema=schema))
        else:
            self._forget(name)
            self._stored.map_arrow(name, source, function, schema)

    def split_arrow(self, source: Step | pa.Table, function: SplitFunction, outputs: Outputs) -> None:
        self._stored.split_arrow(source, function, outputs)

    def append(self, table: str, step: Step) -> None:
        if self._is_large(step):
            rows = f"{step.name}_{next(_COUNTER)}"
            self._stored.load(rows, self._by_spark(step))
            step = whole(rows)
        self._forget(table)
        self._stored.append(table, step)

    def fetch(self, step: Step, parameters: Sequence[int] = ()) -> pa.Table:
        return self._by_spark(step) if self._is_large(step) else self._stored.fetch(step, parameters)

    def replace(self, tables: Mapping[str, Step]) -> None:
        self._forget(*tables)
        self._stored.replace(tables)

    def compact(self) -> None:
        self._stored.compact()

    def register(
        self, name: str, function: Callable[..., Any], parameters: list[pa.DataType], result: pa.DataType
    ) -> None:
        self._stored.register(name, function, parameters, result)
        if name not in self._functions:
            self._functions.add(name)
            make: Any = arrow_udf
            self.session.udf.register(name, make(function, from_arrow_type(result)))

    def sql(self, step: Step) -> str:
        return render(step.sql, self.DIALECT)

    def _is_large(self, step: Step) -> bool:
        """Whether a step reads a table that is large."""
        return any(self._stored.table_bytes(name) > self._large for name in tables_in(step.sql) if self._is_table(name))

    def _is_table(self, name: str) -> bool:
        return name in self._stored.statements and not self._stored.has_relation(name)

    def _by_spark(self, step: Step) -> pa.Table:
        """Run a step in Spark SQL, and return its rows."""
        sql = render(step.sql, self.DIALECT, self._view)
        with explained(step.name, sql):
            return self.session.sql(sql).toArrow()

    def _view(self, name: str) -> str:
        """Return the view of a table or relation, which Spark has for the time of the pipeline."""
        if name not in self._views and (self._is_table(name) or self._stored.has_relation(name)):
            self._views[name] = f"xpubsub_{next(_COUNTER)}_{name}"
            self._frame(name).createOrReplaceTempView(self._views[name])
        return self._views.get(name, name)

    def _forget(self, *names: str) -> None:
        """Drop views whose rows have changed, or that are not needed any more."""
        for name in names:
            if name in self._views:
                self.session.catalog.dropTempView(self._views.pop(name))

    def _frame(self, name: str) -> DataFrame:
        """Return a relation, or a table: its files, or what a transaction has made of it."""
        if not self._is_table(name) or self._stored.is_changed(name):
            return frame_of(self.session, self._stored.fetch(whole(name)))
        paths = self._stored.paths(name)
        if name not in self._frames or self._frames[name][0] != paths:
            self._frames[name] = paths, self._read(name, paths)
        return self._frames[name][1]

    def _read(self, name: str, paths: list[str]) -> DataFrame:
        """Read a table; a large one is kept in memory for the next batches."""
        schema = from_arrow_schema(self._stored.schema(name))
        if not paths:
            return self.session.createDataFrame([], schema)
        if name in self._frames:
            self._frames[name][1].unpersist()
        read = paths if len(paths) <= _FEW_FILES else [self._stored.location(name)]
        frame = self.session.read.schema(schema).parquet(*read)
        return frame.persist() if self._stored.table_bytes(name) > max(self._large, 0) else frame
