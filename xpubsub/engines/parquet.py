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
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import ClassVar

import pyarrow as pa

from xpubsub.engines.dialect import tables_in
from xpubsub.engines.duckdb import DuckDBEngine
from xpubsub.engines.shared import check_writable, no_store, shared_state
from xpubsub.engines.store_files import Folders, StoreFiles
from xpubsub.errors import StoreError
from xpubsub.step import Step

_COUNTER = itertools.count()
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
        super().__init__(os.path.join(self._folder.name, "store.duckdb"))
        self.place, self.read_only, self.held_file = path, read_only, None
        self.shared = shared_state(self.files.uri)
        if not read_only:
            self.files.finish()
        self.version = self.files.version()
        self.statements: dict[str, str] = {}
        """The DDL of each table."""
        self._dropped: dict[str, int] = {}
        self._taken_over: Folders = self.files.folders(self.version) if self.version else {}
        self._found = self._scan()
        self._seen: set[str] = set()
        self._pending: dict[str, list[str]] = {}
        self._appended: list[tuple[str, pa.Table]] = []
        self._replaced: set[str] = set()
        self.followers: list[Callable[[set[str]], None]] = []
        """Called with the names of tables after their files have changed."""

    def close(self) -> None:
        super().close()
        self._folder.cleanup()

    def has_tables(self) -> bool:
        return bool(self.version)

    def is_empty(self) -> bool:
        return self.files.is_empty()

    def define(self, statement: str) -> None:
        if (dropped := _DROP.search(statement)) is not None:
            return self._drop_table(dropped[1].lower())
        match = _TABLE.search(statement)
        if match is None:
            raise StoreError(f"not a statement that creates or drops a table: {statement}")
        if not self.version:
            check_writable(self)
            self.version = 1
            self.files.complete(1, {})
        name = match[1].lower()
        self.statements[name] = statement
        self._execute("ddl", statement)
        if not self.read_only and self.folder(name) not in self._found:
            self.files.make_folder(self.folder(name))
        self._queue(name)

    def _drop_table(self, name: str) -> None:
        """Drop a table; a table created later with the same name gets another folder."""
        self._dropped[name] = self._dropped.get(name, 0) + 1
        self.statements.pop(name, None)
        self._pending.pop(name, None)
        self._execute("ddl", f"drop table if exists {name}")

    def folder(self, name: str) -> str:
        """Return the folder of a table, relative to the directory."""
        return self._taken_over.get(name) or f"v{self.version}/{self._own_name(name)}"

    def _own_name(self, name: str) -> str:
        return f"{name}_{self._dropped[name] + 1}" if name in self._dropped else name

    def has_relation(self, name: str) -> bool:
        """Whether the running pipeline has a relation."""
        return name in self._relations

    def is_changed(self, name: str) -> bool:
        """Whether the running transaction has changed a table, which only this process sees."""
        return name in self._replaced or any(table == name for table, _ in self._appended)

    def paths(self, name: str) -> list[str]:
        """Return the files of a table, sorted."""
        return sorted(self._found.get(self.folder(name), ()))

    def location(self, name: str) -> str:
        """Return the folder of a table, with its scheme."""
        return f"{self.files.uri}/{self.folder(name)}"

    def table_bytes(self, name: str) -> int:
        """Return the size of a table's files; 0 if the running transaction has changed it."""
        return 0 if self.is_changed(name) else sum(self.files.sizes.get(path, 0) for path in self.paths(name))

    def schema(self, name: str) -> pa.Schema:
        """Return the columns of a table."""
        return self._connection.sql(f"select * from {name} limit 0").to_arrow_table().schema

    def refresh(self) -> None:
        if not self.read_only:
            self.files.finish()
        version = self.files.version()
        if version != self.version:
            self.version, self._taken_over = version, self.files.folders(version)
            self._forget()
            return
        self._found = self._scan()
        if new := {name for name in self.statements if self._queue(name)}:
            self._changed(new)

    def _scan(self) -> dict[str, list[str]]:
        """List the files of all tables, by folder."""
        older = {int(folder.partition("/")[0][1:]) for folder in self._taken_over.values()}
        return self.files.listed({*older, self.version} - {0})

    def _queue(self, name: str) -> bool:
        """Note the files of a table that are not in the database yet; return whether there are any."""
        new = [path for path in self._found.get(self.folder(name), ()) if path not in self._seen]
        if new:
            self._pending.setdefault(name, []).extend(new)
            self._seen.update(new)
        return bool(new)

    def _forget(self) -> None:
        """Empty the database, so that tables are read again when they are needed."""
        self._seen.clear()
        self._pending.clear()
        self._found = self._scan()
        for name in self.statements:
            self._execute("forget", f"delete from {name}")
            self._queue(name)
        self._changed(set(self.statements))

    def _changed(self, names: set[str]) -> None:
        self.shared.changes += 1
        self.shared.batches += 1
        for follow in self.followers:
            follow(names)

    def _fill(self, names: list[str]) -> None:
        """Read the pending files of tables into the database."""
        for name in {*names} & self._pending.keys():
            schema = self.schema(name)
            source = f"files_{next(_COUNTER)}"
            self._connection.register(source, self.files.dataset(self._pending.pop(name), schema))
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
        rows = f"appended_{next(_COUNTER)}"
        self._create_like(rows, table)
        self._relations.append(rows)
        self._execute(step.name, f"insert into {rows} by name {self.sql(step)}")
        self._execute(step.name, f"insert into {table} select * from {rows}")
        self._appended.append((table, self._connection.sql(f"select * from {rows}").to_arrow_table()))
        if not self._transactions:
            self._write()

    def replace(self, tables: Mapping[str, Step]) -> None:
        super().replace(tables)
        for name in tables:
            self._pending.pop(name, None)
        self._replaced.update(tables)
        if not self._transactions:
            self._write()

    def compact(self) -> None:
        """Do nothing: `replace` removes old versions."""

    def _write(self) -> None:
        """Write the appended rows, then the replaced tables as a new version."""
        changed = {table for table, rows in self._appended if rows.num_rows} | self._replaced
        parts: dict[str, list[pa.Table]] = {}
        for table, rows in self._appended:
            if rows.num_rows:
                parts[self.folder(table)] = [*parts.pop(self.folder(table), []), rows]
        written = self.files.write_all({folder: pa.concat_tables(tables) for folder, tables in parts.items()})
        for folder, path in zip(parts, written, strict=True):
            self._note(folder, path)
        self._appended.clear()
        if self._replaced:
            self._write_version()
            self._replaced.clear()
        for follow in self.followers:
            follow(changed)

    def _note(self, folder: str, path: str) -> None:
        """Note a file whose rows are in the database already."""
        self._seen.add(path)
        self._found.setdefault(folder, []).append(path)

    def _write_version(self) -> None:
        new = self.version + 1
        self.files.discard(new)
        taken_over = {name: self.folder(name) for name in self.statements if name not in self._replaced}
        for name in sorted(self._replaced):
            rows = self._connection.sql(f"select * from {name}").to_arrow_table()
            folder = f"v{new}/{self._own_name(name)}"
            self.files.make_folder(folder)
            if rows.num_rows:
                self._note(folder, self.files.write(folder, rows))
        self.files.complete(new, taken_over)
        self.version, self._taken_over = new, taken_over
        self.files.discard_unused(new)

    def size(self) -> int:
        """Return the size of the database in bytes, with all tables read."""
        self._fill(list(self.statements))
        self._checkpoint()
        return os.path.getsize(os.path.join(self._folder.name, "store.duckdb"))

    def copy_to(self, path: str) -> None:
        """Write the whole store to a DuckDB file, for other processes to read."""
        self._fill(list(self.statements))
        self._checkpoint()
        os.makedirs(os.path.dirname(path), exist_ok=True)
        _copy(os.path.join(self._folder.name, "store.duckdb"), path)


def _copy(source: str, target: str) -> None:
    """Copy a file so that readers see all of it or nothing."""
    import shutil

    partial = f"{target}.{os.getpid()}"
    shutil.copyfile(source, partial)
    os.replace(partial, target)
