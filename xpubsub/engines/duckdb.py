"""The DuckDB engine: a store is one file, relations are temporary tables, writes are transactions."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, ClassVar

import duckdb
import pyarrow as pa

from xpubsub.arrow import ArrowFunction, Outputs, SplitFunction
from xpubsub.engines.dialect import render
from xpubsub.engines.duckdb_files import MEMORY, connect_duckdb
from xpubsub.engines.duckdb_types import columns_of, duckdb_type
from xpubsub.engines.shared import SharedState, check_writable, shared_state
from xpubsub.errors import EngineError
from xpubsub.step import Step

_COUNTER = itertools.count()
_BATCH = 100_000
"""Rows passed to a function at a time."""
_OURS = "database_name = current_database() and schema_name = 'main'"
_RECORDED = "select version, name, checksum from main.schema_migration limit 0"
_TABLES = f"select table_name from duckdb_tables() where {_OURS} and not temporary"
_ANYTHING = """select table_name from information_schema.tables
where table_catalog = current_database() and table_schema <> 'temp' limit 1"""


class DuckDBEngine:
    """A connection to one DuckDB database."""

    NAME: ClassVar[str] = "duckdb"
    DIALECT: ClassVar[str] = "duckdb"
    PREFERS_SQL: ClassVar[bool] = True
    PERSISTENT_CATALOG: ClassVar[bool] = True

    def __init__(self, path: str, *, read_only: bool = False, create: bool = True) -> None:
        self.place, self.read_only = path, read_only
        self.held_file = None if read_only or path.startswith(MEMORY) else os.path.realpath(path)
        self._connection = connect_duckdb(path, read_only=read_only, create=create)
        self.shared = SharedState() if path.startswith(MEMORY) else shared_state(os.path.realpath(path))
        self._relations: list[str] = []
        self._kept: dict[str, object] = {}
        """Relations that outlive their pipelines, each with the snapshot that it belongs to."""
        self._registered: set[str] = set()
        self._transactions = 0

    @property
    def narrows(self) -> bool:
        return False

    def close(self) -> None:
        self._connection.close()

    def define(self, statement: str) -> None:
        check_writable(self)
        self._execute("ddl", statement)

    def has_tables(self) -> bool:
        """Whether the table that records migrations can be read: much quicker than to look it up in the catalog."""
        try:
            self._connection.execute(_RECORDED)
        except (duckdb.CatalogException, duckdb.BinderException):
            return False
        return True

    def is_empty(self) -> bool:
        return not self._execute("tables", _ANYTHING).fetchall()

    @contextmanager
    def pipeline(self) -> Iterator[None]:
        depth = len(self._relations)
        try:
            yield
        finally:
            while len(self._relations) > depth:
                self._drop(self._relations.pop())

    @contextmanager
    def transaction(self) -> Iterator[None]:
        if self._transactions:
            yield
            return
        self._execute("begin", "begin")
        self._transactions = 1
        try:
            yield
            self._before_commit()
            self._execute("commit", "commit")
        except BaseException:
            self._rollback()
            raise
        finally:
            self._transactions = 0

    def _before_commit(self) -> None:
        """Write what must be written before a transaction commits: nothing, as DuckDB writes it."""

    def load(self, name: str, table: pa.Table) -> None:
        if not table.num_rows and (columns := columns_of(table.schema)) is not None:
            self._kept.pop(name, None)
            self._execute(name, f"create or replace temp table {name} ({columns})")
            self._relations.append(name)
            return
        source = f"arrow_{next(_COUNTER)}"
        try:
            self._connection.register(source, table)
        except duckdb.Error as error:
            raise EngineError(str(error), step=name) from error
        try:
            self._create(name, f"select * from {source}")
        finally:
            self._connection.unregister(source)

    def run(self, step: Step) -> None:
        with self._join_order(step):
            self._create(step.name, self.sql(step))

    def keep(self, step: Step, snapshot: object) -> None:
        if self._kept.get(step.name) is not snapshot:
            self._execute(step.name, f"create or replace temp table {step.name} as {self.sql(step)}")
            self._kept[step.name] = snapshot

    @contextmanager
    def _join_order(self, step: Step) -> Iterator[None]:
        """Keep the order of joins inside the scope if the step is `ordered`."""
        if not step.ordered:
            yield
            return
        self._execute(step.name, "set disabled_optimizers = 'join_order'")
        try:
            yield
        finally:
            self._any_order()

    def _any_order(self) -> None:
        """Let joins be reordered again; after a failed transaction this works only once it is rolled back."""
        with suppress(duckdb.Error):
            self._connection.execute("reset disabled_optimizers")

    def map_arrow(self, name: str, source: Step, function: ArrowFunction, schema: pa.Schema) -> None:
        batches = self.fetch(source).to_batches(max_chunksize=_BATCH)
        self.load(name, pa.Table.from_batches(function(iter(batches)), schema=schema))

    def split_arrow(self, source: Step | pa.Table, function: SplitFunction, outputs: Outputs) -> None:
        table = source if isinstance(source, pa.Table) else self.fetch(source)
        parts: dict[str, list[pa.Table]] = {name: [schema.empty_table()] for name, schema in outputs.items()}
        for name, part in function(iter(table.to_batches(max_chunksize=_BATCH))):
            parts[name].append(part)
        for name in outputs:
            self.load(name, pa.concat_tables(parts.pop(name)))

    def append(self, table: str, step: Step) -> None:
        check_writable(self)
        self._execute(step.name, f"insert into {table} by name {self.sql(step)}")

    def fetch(self, step: Step, parameters: Sequence[int] = ()) -> pa.Table:
        sql = self.sql(step)
        if parameters:
            columns = self._execute(step.name, sql, parameters).fetchnumpy()
            return pa.table({name: pa.array(column) for name, column in columns.items()})
        try:
            result: pa.Table = self._connection.sql(sql).to_arrow_table()
        except duckdb.Error as error:
            raise EngineError(str(error), step=step.name, sql=sql) from error
        return result

    def rows(self, step: Step, parameters: Sequence[int] = ()) -> list[dict[str, Any]]:
        """Return a step's result as Python dicts; of a few rows this takes half the time of an Arrow table."""
        sql = self.sql(step)
        try:
            cursor = self._connection.execute(sql, list(parameters))
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        except duckdb.Error as error:
            raise EngineError(str(error), step=step.name, sql=sql) from error

    def replace(self, tables: Mapping[str, Step]) -> None:
        check_writable(self)
        for name, step in tables.items():
            self._create(f"kept_{name}", self.sql(step))
        for name in tables:
            self._execute(name, f"delete from {name}")
            self._execute(name, f"insert into {name} by name select * from kept_{name}")

    def refresh(self) -> None:
        """Do nothing: no other process can change the file while it is open here."""

    def compact(self) -> None:
        """Rewrite all tables into the free space at the start of the file, then truncate the file.

        Each part is a transaction or a checkpoint, so a crash leaves a valid store.
        """
        if not self._checkpoint():
            return
        tables = [name for (name,) in self._execute("tables", _TABLES).fetchall()]
        with self.pipeline(), self.transaction():
            self.replace({name: Step(f"compact_{name}", f"select * from {name}") for name in tables})
        self._checkpoint()

    def _checkpoint(self) -> bool:
        """Write the log into the file; return False if another transaction in this process prevents it."""
        try:
            self._connection.execute("checkpoint")
        except duckdb.Error:
            return False
        return True

    def register(
        self, name: str, function: Callable[..., Any], parameters: list[pa.DataType], result: pa.DataType
    ) -> None:
        if name not in self._registered:
            self._registered.add(name)
            types = [duckdb_type(each) for each in parameters]
            create: Any = self._connection.create_function
            create(name, function, types, duckdb_type(result), type="arrow")

    def sql(self, step: Step) -> str:
        return render(step.sql, self.DIALECT)

    def _create(self, name: str, sql: str) -> None:
        self._kept.pop(name, None)
        self._execute(name, f"create or replace temp table {name} as {sql}")
        self._relations.append(name)

    def _create_like(self, name: str, table: str) -> None:
        """Create an empty temporary table with the columns of another.

        `create table as select … limit 0` will not do: DuckDB 2.0 takes such a table for empty until the transaction
        ends, whatever is inserted.
        """
        columns = self._execute(name, f"describe {table}").fetchall()
        self._execute(name, f"create temp table {name} ({', '.join(f'{row[0]} {row[1]}' for row in columns)})")

    def _drop(self, name: str) -> None:
        self._kept.pop(name, None)
        with suppress(duckdb.Error):
            self._connection.execute(f"drop table if exists temp.main.{name}")

    def _rollback(self) -> None:
        self._kept.clear()
        with suppress(duckdb.Error):
            self._connection.execute("rollback")
        self._any_order()

    def _execute(self, step: str, sql: str, parameters: Sequence[int] = ()) -> duckdb.DuckDBPyConnection:
        try:
            return self._connection.execute(sql, list(parameters))
        except duckdb.Error as error:
            raise EngineError(str(error), step=step, sql=sql) from error
