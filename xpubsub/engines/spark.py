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
from pyspark.sql.pandas.types import from_arrow_type

from xpubsub.arrow import ArrowFunction, Outputs, SplitFunction
from xpubsub.engines.dialect import render, tables_in
from xpubsub.engines.parquet import ParquetEngine
from xpubsub.engines.spark_session import explained, frame_of
from xpubsub.engines.spark_tables import SparkTables
from xpubsub.step import Step, whole

_COUNTER = itertools.count()
_SETTINGS = {"spark.sql.cteRecursionRowLimit": "-1", "spark.sql.cteRecursionLevelLimit": "-1"}


class SparkEngine:
    """The tables of one store in a Spark session, and the relations of the running pipeline in this process."""

    NAME: ClassVar[str] = "spark"
    DIALECT: ClassVar[str] = "spark"
    PREFERS_SQL: ClassVar[bool] = False
    PERSISTENT_CATALOG: ClassVar[bool] = False

    def __init__(self, stored: ParquetEngine, tables: SparkTables, session: SparkSession, large: int) -> None:
        self.place, self.read_only, self.shared = stored.place, stored.read_only, stored.shared
        self.session = session
        self._stored = stored
        self._tables = tables
        self._large = large
        for name, value in _SETTINGS.items():
            session.conf.set(name, value)
        self._functions: dict[str, tuple[Callable[..., Any], pa.DataType]] = {}

    def close(self) -> None:
        """Do nothing: the engine of the files and the session are closed by their owners."""

    def refresh(self) -> None:
        self._stored.refresh()

    def define(self, statement: str) -> None:
        self._stored.define(statement)

    def has_tables(self) -> bool:
        return self._stored.has_tables()

    def is_empty(self) -> bool:
        return self._stored.is_empty()

    def pipeline(self) -> AbstractContextManager[None]:
        return self._stored.pipeline()

    def transaction(self) -> AbstractContextManager[None]:
        return self._stored.transaction()

    def load(self, name: str, table: pa.Table) -> None:
        self._stored.load(name, table)

    def run(self, step: Step) -> None:
        if self._is_large(step):
            self._stored.load(step.name, self._by_spark(step))
        else:
            self._stored.run(step)

    def map_arrow(self, name: str, source: Step, function: ArrowFunction, schema: pa.Schema) -> None:
        if self._is_large(source):
            batches = iter(self._by_spark(source).to_batches())
            self._stored.load(name, pa.Table.from_batches(function(batches), schema=schema))
        else:
            self._stored.map_arrow(name, source, function, schema)

    def split_arrow(self, source: Step | pa.Table, function: SplitFunction, outputs: Outputs) -> None:
        self._stored.split_arrow(source, function, outputs)

    def append(self, table: str, step: Step) -> None:
        if self._is_large(step):
            rows = f"{step.name}_{next(_COUNTER)}"
            self._stored.load(rows, self._by_spark(step))
            step = whole(rows)
        self._stored.append(table, step)

    def fetch(self, step: Step, parameters: Sequence[int] = ()) -> pa.Table:
        return self._by_spark(step) if self._is_large(step) else self._stored.fetch(step, parameters)

    def replace(self, tables: Mapping[str, Step]) -> None:
        self._stored.replace(tables)

    def compact(self) -> None:
        self._stored.compact()

    def register(
        self, name: str, function: Callable[..., Any], parameters: list[pa.DataType], result: pa.DataType
    ) -> None:
        self._stored.register(name, function, parameters, result)
        if name not in self._functions:
            self._functions[name] = function, result
            make: Any = arrow_udf
            self.session.udf.register(name, make(function, from_arrow_type(result)))

    def sql(self, step: Step) -> str:
        return render(step.sql, self.DIALECT)

    def _is_large(self, step: Step) -> bool:
        """Whether a step reads a table that is large, and has not been changed in the running transaction."""
        return any(self._stored.table_bytes(name) > self._large for name in self._tables_read(step))

    def _tables_read(self, step: Step) -> set[str]:
        return {name for name in tables_in(step.sql) if name in self._stored.statements}

    def _by_spark(self, step: Step) -> pa.Table:
        """Run a step in Spark SQL, and return its rows."""
        with self._bound(step) as names:
            sql = render(step.sql, self.DIALECT, lambda name: names.get(name) or f"{self._tables.database}.{name}")
            with explained(step.name, sql):
                return self.session.sql(sql).toArrow()

    @contextmanager
    def _bound(self, step: Step) -> Iterator[dict[str, str]]:
        """Send the relations that a step reads to Spark, for the time of the block; yield the names of their views."""
        read = {name for name in tables_in(step.sql)} - self._tables_read(step)
        names = {name: f"xpubsub_{next(_COUNTER)}_{name}" for name in read if self._stored.has_relation(name)}
        try:
            for name, view in names.items():
                self._frame(name).createOrReplaceTempView(view)
            yield names
        finally:
            for view in names.values():
                self.session.catalog.dropTempView(view)

    def _frame(self, name: str) -> DataFrame:
        return frame_of(self.session, self._stored.fetch(whole(name)))
