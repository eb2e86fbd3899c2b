"""An engine on a read-only copy of a store: tables may grow in memory, and nothing is written back."""

from __future__ import annotations

import os

from xpubsub.engines.duckdb import DuckDBEngine
from xpubsub.step import Step


class SnapshotEngine(DuckDBEngine):
    """A snapshot of a store in a DuckDB file that several processes may have open."""

    def __init__(self, path: str, *, memory: int, threads: int = 1) -> None:
        super().__init__(path, read_only=True)
        self._execute("memory", f"set memory_limit = '{int(memory)}B'")
        self._execute("threads", f"set threads = {int(threads)}")
        self._grown: set[str] = set()
        self._database = os.path.basename(path).partition(".")[0]

    def append(self, table: str, step: Step) -> None:
        """Append to a copy of the table in memory, which hides the table of the file."""
        if table not in self._grown:
            stored = f"{self._database}.main.{table}"
            self._create_like(table, stored)
            self._execute(step.name, f"insert into temp.main.{table} select * from {stored}")
            self._grown.add(table)
        self._execute(step.name, f"insert into temp.main.{table} by name {self.sql(step)}")

    def _rollback(self) -> None:
        """Roll back, also the creation of tables in memory."""
        super()._rollback()
        found = self._execute("grown", "select table_name from duckdb_tables() where temporary").fetchall()
        self._grown &= {name for (name,) in found}
