"""Migrations: numbered files of DDL, applied in order and recorded. A gap or an edited file raises `StoreError`."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
import sqlglot
from sqlglot import exp

from xpubsub.engines.base import Engine
from xpubsub.engines.dialect import table_ddl
from xpubsub.errors import StoreError
from xpubsub.sqlfiles import folder
from xpubsub.step import Step, file_step, whole

RECORD = "create table if not exists schema_migration (version integer, name varchar, checksum varchar)"
_NAME = re.compile(r"(\d{4})_([a-z0-9_]+)\.sql")
_STATEMENT = re.compile(r"""(?:--[^\n]*|'[^']*'|"[^"]*"|[^;'"-]|-)+""")
_COMMENT = re.compile(r"--[^\n]*")
_APPLIED = file_step("applied_migration")


@dataclass(frozen=True)
class Migration:
    """A file of DDL."""

    version: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """A digest of the file, to detect edits after it was applied."""
        return hashlib.sha256(self.sql.encode()).hexdigest()[:16]

    @property
    def statements(self) -> list[str]:
        """The statements of the file, with their comments."""
        return _statements(self.sql)


@lru_cache(maxsize=64)
def _statements(sql: str) -> list[str]:
    return [text.strip() for text in _STATEMENT.findall(sql) if _COMMENT.sub("", text).strip()]


def available(directory: Path | None = None) -> list[Migration]:
    """Return the migrations of this version in order, numbered without a gap."""
    found: list[Migration] = []
    files = [path for path in (directory or folder("migrations")).iterdir() if path.name.endswith(".sql")]
    for path in sorted(files, key=lambda each: each.name):
        match = _NAME.fullmatch(path.name)
        if match is None:
            raise StoreError(f"{path.name} is not named like a migration: NNNN_purpose.sql")
        found.append(Migration(int(match[1]), match[2], path.read_text(encoding="utf-8")))
    for expected, migration in enumerate(found, start=1):
        if migration.version != expected:
            raise StoreError(f"migration {expected:04d} is missing before {migration.version:04d}_{migration.name}")
    return found


def migrate(engine: Engine, migrations: list[Migration] | None = None) -> list[Migration]:
    """Apply the migrations that a store lacks, in one transaction, and return them."""
    migrations = available() if migrations is None else migrations
    if not (engine.read_only and engine.PERSISTENT_CATALOG):
        engine.define(RECORD)
    applied = {int(row["version"]): row for row in engine.rows(_APPLIED)}
    pending = _pending(applied, migrations)
    if pending and engine.read_only:
        raise StoreError(f"the store {engine.place} was created by an earlier version: update it with"
                         f" `xpubsub init {engine.place}`")
    for migration in migrations:
        if migration not in pending and not engine.PERSISTENT_CATALOG:
            _define(engine, migration)
    if pending:
        with engine.transaction():
            for migration in pending:
                _apply(engine, migration)
            _record(engine, pending)
    return pending


def pending(engine: Engine, migrations: list[Migration] | None = None) -> list[Migration]:
    """Return the migrations that a store lacks; all of them if it is empty."""
    migrations = available() if migrations is None else migrations
    if not engine.has_tables():
        return migrations
    applied = {int(row["version"]): row for row in engine.rows(_APPLIED)}
    return _pending(applied, migrations)


def _pending(applied: dict[int, dict[str, str]], migrations: list[Migration]) -> list[Migration]:
    known = {migration.version: migration for migration in migrations}
    for version in sorted(applied):
        name = f"{version:04d}_{applied[version]['name']}"
        if version not in known:
            raise StoreError(f"the store has migration {name}, which is unknown to this xpubsub: upgrade xpubsub")
        if applied[version]["checksum"] != known[version].checksum:
            raise StoreError(f"migration {name} was edited after it was applied to this store")
    for version in range(1, max(applied, default=0)):
        if version not in applied:
            raise StoreError(f"migration {version:04d} was never applied to this store, but a later one was")
    return [migration for migration in migrations if migration.version not in applied]


def _define(engine: Engine, migration: Migration) -> None:
    for statement in migration.statements:
        if _moved(statement) is None:
            engine.define(statement)


def _apply(engine: Engine, migration: Migration) -> None:
    """Run the statements of a migration: create and drop tables, and move rows between them."""
    for statement in migration.statements:
        if (moved := _moved(statement)) is None:
            engine.define(statement)
        else:
            engine.append(*moved)


@lru_cache(maxsize=256)
def _moved(statement: str) -> tuple[str, Step] | None:
    """Return the target table and the rows if the statement is an insert, else None."""
    if not _COMMENT.sub("", statement).lstrip().lower().startswith("insert"):
        return None
    tree = sqlglot.parse_one(statement, read="duckdb")
    assert isinstance(tree, exp.Insert)
    table = tree.this.name
    return table, Step(f"moved_to_{table}", tree.expression.sql(dialect="duckdb"))


def _record(engine: Engine, migrations: list[Migration]) -> None:
    rows = [{"version": each.version, "name": each.name, "checksum": each.checksum} for each in migrations]
    schema = pa.schema([("version", pa.int32()), ("name", pa.string()), ("checksum", pa.string())])
    with engine.pipeline():
        engine.load("migration", pa.Table.from_pylist(rows, schema=schema))
        engine.append("schema_migration", whole("migration"))


def script(engine: str) -> str:
    """Return all DDL in an engine's dialect, for users who create the tables by other means."""
    statements = [RECORD, *(each for migration in available() for each in migration.statements)]
    return "\n\n".join(f"{table_ddl(statement, engine)};" for statement in statements)
