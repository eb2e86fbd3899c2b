"""The engine of a store that is a directory of Parquet files, for Spark; this process works on it with DuckDB.

Each table is a folder, which any Spark user can read. This process holds the tables that it has needed so far in a
temporary DuckDB database, and adds the files that other processes write. Rows that a transaction appends are written
at its end, all or none of them; files appear table by table in the order of the appends, so that the row that makes a
call visible comes last.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from typing import ClassVar

import pyarrow as pa

from xpubsub.engines.dialect import tables_in
from xpubsub.engines.duckdb import DuckDBEngine
from xpubsub.engines.reaching import reached
from xpubsub.engines.shared import check_writable, no_store, shared_state
from xpubsub.engines.store_files import StoreFiles
from xpubsub.engines.table_files import TableFiles
from xpubsub.errors import EngineError, StoreError
from xpubsub.step import Step

_COUNTER = itertools.count()
_FILE = "store.duckdb"
_TABLE = re.compile(r"create table if not exists (\w+)", re.IGNORECASE)
_DROP = re.compile(r"drop table if exists (\w+)", re.IGNORECASE)


class ParquetEngine(DuckDBEngine):
    """The tables of one store in a directory."""

    NAME: ClassVar[str] = "parquet"
    PERSISTENT_CATALOG: ClassVar[bool] = False

    def __init__(
        self, path: str, settings: Mapping[str, str] | None = None, *, read_only: bool = False, create: bool = True
    ) -> None:
        self.files = StoreFiles(path, settings or {})
        if (read_only or not create) and not self.files.exists():
            raise no_store(path, " --engine spark")
        self._folder = tempfile.TemporaryDirectory(prefix="xpubsub-", ignore_cleanup_errors=True)
        super().__init__(os.path.join(self._folder.name, _FILE))
        self.place, self.read_only, self.held_file = path, read_only, None
        self.shared = shared_state(self.files.uri)
        if not read_only:
            self.files.finish()
        self._tables = TableFiles(self.files)
        self.statements: dict[str, str] = {}
        """The DDL of each table."""
        self._appended: list[tuple[str, pa.Table]] = []
        self._replaced: set[str] = set()
        self.followers: list[Callable[[set[str]], None]] = []
        """Called with the names of tables after their files have changed."""

    def close(self) -> None:
        super().close()
        self._folder.cleanup()

    def has_tables(self) -> bool:
        return bool(self._tables.version)

    def is_empty(self) -> bool:
        return self.files.is_empty()

    def define(self, statement: str) -> None:
        if (dropped := _DROP.search(statement)) is not None:
            return self._drop_table(dropped[1].lower())
        match = _TABLE.search(statement)
        if match is None:
            raise StoreError(f"not a statement that creates or drops a table: {statement}")
        if not self.has_tables():
            check_writable(self)
            self._tables.begin()
        name = match[1].lower()
        self.statements[name] = statement
        self._execute("ddl", statement)
        if not self.read_only:
            self._tables.make(name)
        self._tables.queue(name)

    def _drop_table(self, name: str) -> None:
        self._tables.drop(name)
        self.statements.pop(name, None)
        self._execute("ddl", f"drop table if exists {name}")

    def has_relation(self, name: str) -> bool:
        """Whether the running pipeline has a relation."""
        return name in self._relations

    def forget_relation(self, name: str) -> None:
        """Drop a relation, so that the table of the same name, if any, is read again."""
        if name in self._relations:
            self._relations.remove(name)
            self._drop(name)

    def is_changed(self, name: str) -> bool:
        """Whether the running transaction has changed a table, which only this process sees."""
        return name in self._replaced or any(table == name for table, _ in self._appended)

    def paths(self, name: str) -> list[str]:
        """Return the files of a table, sorted."""
        return self._tables.paths(name)

    def location(self, name: str) -> str:
        """Return the folder of a table, with its scheme."""
        return f"{self.files.uri}/{self._tables.folder(name)}"

    def table_bytes(self, name: str) -> int:
        """Return the size of a table's files; 0 if the running transaction has changed it."""
        return 0 if self.is_changed(name) else self._tables.size(name)

    def schema(self, name: str) -> pa.Schema:
        """Return the columns of a table."""
        return self._connection.sql(f"select * from {name} limit 0").to_arrow_table().schema

    def refresh(self) -> None:
        if not self.read_only:
            self.files.finish()
        if self._tables.use_newest():
            self._forget()
            return
        self._tables.scan()
        if new := {name for name in self.statements if self._tables.queue(name)}:
            self._changed(new)

    def _forget(self) -> None:
        """Empty the database, so that tables are read again when they are needed."""
        self._tables.read_again()
        for name in self.statements:
            self._execute("forget", f"delete from {name}")
            self._tables.queue(name)
        self._changed(set(self.statements))

    def _changed(self, names: set[str]) -> None:
        self.shared.changes += 1
        self.shared.rewrites += 1
        self.shared.batches += 1
        for follow in self.followers:
            follow(names)

    def _fill(self, names: list[str]) -> None:
        """Read the unread files of tables into the database; not while a relation of the same name hides the table."""
        for name in self._tables.unread([name for name in names if name not in self._relations]):
            paths = self._tables.take_unread(name)
            source = f"files_{next(_COUNTER)}"
            self._connection.register(source, self.files.dataset(paths, self.schema(name)))
            try:
                self._execute(name, f"insert into {name} by name select * from {source}")
            finally:
                self._connection.unregister(source)

    def sql(self, step: Step) -> str:
        self._fill(tables_in(step.sql))
        return super().sql(step)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        nested = bool(self._transactions)
        try:
            with super().transaction():
                yield
        except BaseException:
            if nested:
                raise
            self._appended.clear()
            self._replaced.clear()
            self._forget()
            raise

    def _before_commit(self) -> None:
        self._write()

    def append(self, table: str, step: Step) -> None:
        check_writable(self)
        if not self._transactions:
            with self.transaction():
                return self.append(table, step)
        rows = f"appended_{next(_COUNTER)}"
        self._create_like(rows, table)
        self._relations.append(rows)
        self._execute(step.name, f"insert into {rows} by name {self.sql(step)}")
        self._execute(step.name, f"insert into {table} select * from {rows}")
        self._appended.append((table, self._connection.sql(f"select * from {rows}").to_arrow_table()))
        return None

    def replace(self, tables: Mapping[str, Step]) -> None:
        if not self._transactions:
            with self.transaction():
                return self.replace(tables)
        super().replace(tables)
        for name in tables:
            self._tables.take_unread(name)
        self._replaced.update(tables)
        return None

    def compact(self) -> None:
        """Do nothing: `replace` removes old versions."""

    def _write(self) -> None:
        """Write the appended rows, then the replaced tables as a new version."""
        changed = {table for table, rows in self._appended if rows.num_rows} | self._replaced
        parts: dict[str, list[pa.Table]] = {}
        for table, rows in self._appended:
            if rows.num_rows:
                parts[table] = [*parts.pop(table, []), rows]
        self._tables.write_all({table: pa.concat_tables(tables) for table, tables in parts.items()})
        self._appended.clear()
        if self._replaced:
            rows_of = {name: self._connection.sql(f"select * from {name}").to_arrow_table() for name in self._replaced}
            self._tables.write_version(rows_of, self.statements)
            self._replaced.clear()
        for follow in self.followers:
            follow(changed)

    def size(self) -> int:
        """Return the size of the database in bytes, with all tables read."""
        return os.path.getsize(self._complete_file())

    def table_files(self) -> dict[str, frozenset[str]]:
        """Return the files of each table."""
        return {name: frozenset(self._tables.paths(name)) for name in self.statements}

    def gained(self, files: Mapping[str, frozenset[str]], but: Container[str]) -> dict[str, pa.Table] | None:
        """Return the rows of each table beside those of some files; None if a table has not all of those files now."""
        now = {name: paths for name, paths in self.table_files().items() if name not in but}
        if not all(files.get(name, frozenset()) <= paths for name, paths in now.items()):
            return None
        added = {name: sorted(paths - files.get(name, frozenset())) for name, paths in now.items()}
        with reached(self.place):
            return {
                name: self.files.dataset(paths, self.schema(name)).to_table() for name, paths in added.items() if paths}

    def copy_to(self, path: str) -> None:
        """Write the whole store to a DuckDB file, for other processes to read."""
        shutil.copyfile(self._complete_file(), path)

    def _complete_file(self) -> str:
        """Return the file of the database, once it has all rows of all tables."""
        self._fill(list(self.statements))
        if not self._checkpoint():
            raise EngineError("the store cannot be copied while a transaction is open", step="checkpoint")
        return os.path.join(self._folder.name, _FILE)
