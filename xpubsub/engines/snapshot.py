"""An engine on a read-only copy of a store: tables may grow in memory, and nothing is written back."""

from __future__ import annotations

import os
from collections.abc import Mapping

import pyarrow as pa

from xpubsub.engines.duckdb import DuckDBEngine
from xpubsub.step import Step


class SnapshotEngine(DuckDBEngine):
    """A snapshot of a store in a DuckDB file, which several processes may have open, and what tables gained since."""

    def __init__(
        self, path: str, *, memory: int, threads: int = 1, gained: Mapping[str, pa.Table] | None = None
    ) -> None:
        super().__init__(path, read_only=True)
        self._execute("memory", f"set memory_limit = '{int(memory)}B'")
        self._execute("threads", f"set threads = {int(threads)}")
        self._grown: set[str] = set()
        self._database = os.path.basename(path).partition(".")[0]
        self._stored: dict[str, str] = {}
        """For tables that have gained rows since the snapshot, the query for all of them."""
        for name, rows in (gained or {}).items():
            self._add(name, rows)

    def _add(self, table: str, rows: pa.Table) -> None:
        """Hide a table of the file behind a view of its rows and further ones."""
        added, stored = f"gained_{table}", f"{self._database}.main.{table}"
        self._create_like(added, stored)
        self._connection.register("gained", rows)
        self._execute(added, f"insert into {added} by name select * from gained")
        self._connection.unregister("gained")
        self._stored[table] = f"select * from {stored} union all select * from temp.main.{added}"
        self._execute(added, f"create temp view {table} as {self._stored[table]}")

    def append(self, table: str, step: Step) -> None:
        """Append to a copy of the table in memory, which hides the table of the file."""
        if table not in self._grown:
            stored = f"{self._database}.main.{table}"
            if table in self._stored:
                self._execute(step.name, f"drop view temp.main.{table}")
            self._create_like(table, stored)
            rows = self._stored.get(table, f"select * from {stored}")
            self._execute(step.name, f"insert into temp.main.{table} {rows}")
            self._grown.add(table)
        self._execute(step.name, f"insert into temp.main.{table} by name {self.sql(step)}")

    def _rollback(self) -> None:
        """Roll back, also the creation of tables in memory."""
        super()._rollback()
        found = self._execute("grown", "select table_name from duckdb_tables() where temporary").fetchall()
        self._grown &= {name for (name,) in found}
