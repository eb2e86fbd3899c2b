"""The Spark SQL engine: a step runs where its data is.

Steps over the messages and small tables run in the driver's DuckDB, without a job. A step that reads a large table is
defined in Spark SQL, and run when a step in DuckDB needs its rows: together with what else is waiting, in one job. No
step is broadcast, which would be a job of its own: large tables stay in memory, partitioned by the column by which they
are joined, and the rows of the batch are sent to those partitions.
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
from xpubsub.engines.dialect import joined_by, render, render_spark, tables_in
from xpubsub.engines.parquet import ParquetEngine
from xpubsub.engines.spark_frames import Ingredients, StoreFrames
from xpubsub.engines.spark_session import collected, collected_all, explained, frame_of
from xpubsub.engines.spark_waiting import Waiting
from xpubsub.step import Step, whole

_COUNTER = itertools.count()


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
        self._large = large
        self._kept = StoreFrames(stored, session)
        self._of_store: dict[str, Ingredients] = {}
        """The relations of the running pipeline that depend on tables alone."""
        self._lasting: dict[str, DataFrame] = {}
        """Those of them that Spark keeps."""
        self._waiting = Waiting()
        self._views: dict[str, str] = {}
        self._functions: set[str] = set()

    @property
    def narrows(self) -> bool:
        return any(map(self._is_large_table, self._stored.statements))

    def close(self) -> None:
        """Forget the tables in memory; the engine of the files and the session are closed by their owners."""
        self._kept.close()

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
        before = {*self._waiting.frames, *self._lasting}
        try:
            with self._stored.pipeline():
                yield
        finally:
            self._forget(*list(self._views))
            self._waiting.drop(*(self._waiting.frames.keys() - before))
            self._lasting = {name: each for name, each in self._lasting.items() if name in before}
            self._of_store = {name: each for name, each in self._of_store.items() if self._is_relation(name)}

    def transaction(self) -> AbstractContextManager[None]:
        return self._stored.transaction()

    def load(self, name: str, table: pa.Table) -> None:
        self._forget(name)
        self._waiting.drop(name)
        self._lasting.pop(name, None)
        self._note(name, None)
        self._stored.load(name, table)

    def keep(self, step: Step, snapshot: object) -> None:
        self.run(step)

    def run(self, step: Step) -> None:
        if step.narrows and not self._is_large_table(step.name):
            return
        if self._large < 0:
            self.load(step.name, self._by_spark(step))
        elif self._is_in_spark(step):
            self._define(step)
        else:
            ingredients = self._ingredients(step)
            self._fetch_for(step)
            self._forget(step.name)
            self._stored.run(step)
            self._note(step.name, ingredients)

    def map_arrow(self, name: str, source: Step, function: ArrowFunction, schema: pa.Schema) -> None:
        if self._large < 0 or self._is_in_spark(source):
            batches = iter(self._by_spark(source).to_batches())
            self.load(name, pa.Table.from_batches(function(batches), schema=schema))
        else:
            self._fetch_for(source)
            self._forget(name)
            self._stored.map_arrow(name, source, function, schema)

    def split_arrow(self, source: Step | pa.Table, function: SplitFunction, outputs: Outputs) -> None:
        if isinstance(source, Step):
            self._fetch_for(source)
        self._stored.split_arrow(source, function, outputs)

    def append(self, table: str, step: Step) -> None:
        if self._reads_spread(step):
            rows = f"{step.name}_{next(_COUNTER)}"
            self._stored.load(rows, self._by_spark(step))
            step = whole(rows)
        self._fetch_for(step)
        self._forget(table)
        self._stored.forget_relation(table)
        self._stored.append(table, step)

    def fetch(self, step: Step, parameters: Sequence[int] = ()) -> pa.Table:
        if self._reads_spread(step):
            return self._by_spark(step)
        self._fetch_for(step)
        return self._stored.fetch(step, parameters)

    def rows(self, step: Step, parameters: Sequence[int] = ()) -> list[dict[str, Any]]:
        return list(self.fetch(step, parameters).to_pylist())

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

    def _is_large_table(self, name: str) -> bool:
        return name in self._stored.statements and self._stored.table_bytes(name) > self._large

    def _is_table(self, name: str) -> bool:
        """Whether a name means a table, which no relation of the pipeline hides."""
        hidden = name in self._waiting.frames or name in self._lasting or self._stored.has_relation(name)
        return name in self._stored.statements and not hidden

    def _reads_spread(self, step: Step) -> bool:
        """Whether a step reads a relation that stays in Spark."""
        return any(name in self._lasting or name in self._waiting.spread for name in tables_in(step.sql))

    def _is_in_spark(self, step: Step) -> bool:
        """Whether a step runs in Spark: it reads a large table, or a relation that stays there."""
        if step.narrows and self._is_large_table(step.name):
            return True
        names = tables_in(step.sql)
        return self._reads_spread(step) or any(self._is_table(name) and self._is_large_table(name) for name in names)

    def _ingredients(self, step: Step) -> Ingredients | None:
        """Return what a step's result depends on, if that is tables alone, else None."""
        parts: list[object] = [step.sql]
        for name in tables_in(step.sql):
            if self._is_table(name) and not self._stored.is_changed(name):
                parts.append(self._kept.ingredients(name))
            elif name in self._of_store:
                parts.append(self._of_store[name])
            elif name in self._stored.statements or name in self._waiting.frames or self._stored.has_relation(name):
                return None
        return tuple(parts)

    def _note(self, name: str, ingredients: Ingredients | None) -> None:
        self._of_store.pop(name, None)
        if ingredients is not None:
            self._of_store[name] = ingredients

    def _define(self, step: Step) -> None:
        """Define a step in Spark; its result waits until it is needed, or is kept if it depends on tables alone."""
        ingredients = self._ingredients(step)
        frame = None if ingredients is None else self._kept.known(step.name, ingredients)
        if frame is None:
            frame = self._defined(step)
        self._forget(step.name)
        if ingredients is None:
            self._waiting.add(step, frame)
        else:
            self._lasting[step.name] = self._kept.keep(step.name, ingredients, frame)
        self._note(step.name, ingredients)

    def _fetch_for(self, step: Step) -> None:
        """Fetch the relations that a step reads and that are in Spark, with all others that will be read here."""
        names = tables_in(step.sql)
        frames = {name: self._lasting[name] for name in names if name in self._lasting}
        if any(name in self._waiting.frames for name in names):
            frames |= self._waiting.taken(names)
        for name, rows in collected_all(frames).items() if frames else ():
            self.load(name, rows)

    def _by_spark(self, step: Step) -> pa.Table:
        """Run a step in Spark SQL, and return its rows."""
        return collected(self._defined(step), step.name)

    def _defined(self, step: Step) -> DataFrame:
        def view(name: str) -> str:
            return self._view(name, step)

        def small(name: str) -> bool:
            return name not in self._lasting and not (self._is_table(name) and self._is_large_table(name))

        sql = render_spark(step.sql, view, small)
        with explained(step.name, sql):
            frame = self.session.sql(sql)
            return frame.repartition(step.spread) if step.spread else frame

    def _view(self, name: str, step: Step) -> str:
        """Return the view of a table or relation, which Spark has for the time of the pipeline."""
        self._waiting.note_read(name)
        if name not in self._views and (self._is_table(name) or self._is_relation(name)):
            self._views[name] = f"xpubsub_{next(_COUNTER)}_{name}"
            self._frame(name, step).createOrReplaceTempView(self._views[name])
        return self._views.get(name, name)

    def _is_relation(self, name: str) -> bool:
        return name in self._waiting.frames or name in self._lasting or self._stored.has_relation(name)

    def _forget(self, *names: str) -> None:
        """Drop views whose rows have changed, or that are not needed any more."""
        for name in names:
            if name in self._views:
                self.session.catalog.dropTempView(self._views.pop(name))

    def _frame(self, name: str, step: Step) -> DataFrame:
        """Return a relation, or a table: its files, or what a transaction has made of it."""
        if name in self._waiting.frames:
            return self._waiting.frames[name]
        if name in self._lasting:
            return self._lasting[name]
        if not self._is_table(name) or self._stored.is_changed(name):
            return frame_of(self.session, self._stored.fetch(whole(name)))
        return self._kept.table(name, joined_by(step.sql, name) if self._is_large_table(name) else None)
