"""The tables of a store in Spark's catalog, where any Spark user can query them."""

from __future__ import annotations

import re
import threading
from contextlib import suppress

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from xpubsub.engines.dialect import table_ddl
from xpubsub.engines.parquet import ParquetEngine
from xpubsub.engines.spark_session import SparkSessions, explained
from xpubsub.ids import stable_id


class SparkTables:
    """A database with one external table per table of the store; its files are listed again after each change.

    Defining the tables takes a second or two, so that it is done in another thread; `database` waits for it.
    """

    def __init__(self, engine: ParquetEngine, sessions: SparkSessions) -> None:
        self._engine = engine
        self._sessions = sessions
        self._locations: dict[str, str] = {}
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None
        self._lock = threading.Lock()
        self._defined = False
        self._missed: set[str] = set()
        name = re.sub(r"\W+", "_", engine.files.path.rstrip("/").rsplit("/", 1)[-1]).lower()
        self._database = f"xpubsub_{name}_{stable_id(engine.files.uri) % 16**6:06x}"

    def start(self) -> None:
        """Begin to define the tables."""
        if self._thread is None:
            self._engine.followers.append(self._follow)
            self._thread = threading.Thread(target=self._try, daemon=True)
            self._thread.start()

    @property
    def database(self) -> str:
        """The name of the database, once its tables are defined."""
        self.start()
        assert self._thread is not None
        self._thread.join()
        if self._failure is not None:
            raise self._failure
        return self._database

    def close(self) -> None:
        """Remove the tables from the catalog; their files stay."""
        if self._thread is not None:
            self._thread.join()
            self._engine.followers.remove(self._follow)
            with suppress(PySparkException, Py4JError):
                self._sessions.session.sql(f"drop database if exists {self._database} cascade")

    def _try(self) -> None:
        try:
            with explained("tables"):
                self._sessions.session.sql(f"drop database if exists {self._database} cascade")
                self._sessions.session.sql(f"create database {self._database}")
                for name in list(self._engine.statements):
                    self._define(name)
        except Exception as error:
            self._failure = error
        with self._lock:
            self._defined = True
        self._refresh(self._missed)

    def _define(self, name: str) -> None:
        location, table = self._engine.location(name), f"{self._database}.{name}"
        self._sessions.session.sql(table_ddl(self._engine.statements[name], "spark", table, location))
        self._locations[name] = location

    def _follow(self, names: set[str]) -> None:
        """Note that the files of tables have changed; while the tables are being defined, others do not wait for it."""
        with self._lock:
            if not self._defined:
                self._missed |= names
                return
        self._refresh(names)

    def _refresh(self, names: set[str]) -> None:
        """Have Spark list the files of tables again, in their new folders if they have moved."""
        with suppress(PySparkException, Py4JError):
            for name in sorted(names & self._locations.keys()):
                table, location = f"{self._database}.{name}", self._engine.location(name)
                if self._locations[name] != location:
                    quoted = location.replace("'", "\\'")
                    self._sessions.session.sql(f"alter table {table} set location '{quoted}'")
                    self._locations[name] = location
                self._sessions.session.catalog.refreshTable(table)
