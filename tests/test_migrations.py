"""Migrations: in order, recorded, and neither gaps nor edits nor unknown ones pass."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import xpubsub
from xpubsub.engines.duckdb import DuckDBEngine
from xpubsub.step import Step
from xpubsub.store.migrations import Migration, available, migrate, pending, script

PAPER = {
    "query_linear_path", "query_predicate", "predicate_unroll", "linear_path_brinfo", "query_branchpoint", "tagpath_map",
    "path_match", "tagpath_brinfo",
}


def test_applied_once_and_recorded(connect: Callable[..., xpubsub.Broker], engine: str) -> None:
    broker = connect(engine)
    assert [each.version for each in broker.store.migrated] == [each.version for each in available()]
    recorded = broker.store.rows(Step("recorded", "select version, name from schema_migration order by version"))
    assert [(row["version"], row["name"]) for row in recorded] == [(each.version, each.name) for each in available()]
    for table in PAPER:
        assert broker.store.rows(Step("empty", f"select * from {table}")) == []
    broker.close()
    assert connect(engine).store.migrated == []


def test_pending() -> None:
    engine = DuckDBEngine(":memory:")
    first, *rest = available()
    assert pending(engine) == available()
    migrate(engine, [first])
    assert pending(engine) == rest


def test_an_edit_after_application_is_refused() -> None:
    engine = DuckDBEngine(":memory:")
    migrate(engine, [Migration(1, "one", "create table if not exists a (x integer)")])
    with pytest.raises(xpubsub.StoreError, match="0001_one was edited"):
        migrate(engine, [Migration(1, "one", "create table if not exists a (y integer)")])


def test_a_store_newer_than_this_version_is_refused() -> None:
    engine = DuckDBEngine(":memory:")
    one = Migration(1, "one", "create table if not exists a (x integer)")
    migrate(engine, [one, Migration(2, "two", "create table if not exists b (x integer)")])
    with pytest.raises(xpubsub.StoreError, match="unknown to this xpubsub: upgrade"):
        migrate(engine, [one])


def test_a_gap_in_what_was_applied_is_refused() -> None:
    engine = DuckDBEngine(":memory:")
    one, two = (Migration(n, f"m{n}", f"create table if not exists t{n} (x integer)") for n in (1, 2))
    migrate(engine, [two])
    with pytest.raises(xpubsub.StoreError, match="0001 was never applied"):
        migrate(engine, [one, two])


def test_a_gap_or_a_bad_name_among_the_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "0002_two.sql").write_text("create table if not exists a (x integer)")
    with pytest.raises(xpubsub.StoreError, match="0001 is missing"):
        available(tmp_path)
    (tmp_path / "first.sql").write_text("")
    with pytest.raises(xpubsub.StoreError, match="not named like a migration"):
        available(tmp_path)


def test_a_migration_that_fails_leaves_nothing() -> None:
    engine = DuckDBEngine(":memory:")
    broken = Migration(1, "one", "create table if not exists a (x integer); create table if not exists b (x nosuchtype)")
    with pytest.raises(xpubsub.Error):
        migrate(engine, [broken])
    assert engine.fetch(Step("tables", "select table_name from duckdb_tables() where table_name = 'a'")).num_rows == 0


@pytest.mark.parametrize("name", ["duckdb", "spark"])
def test_the_ddl_can_be_printed(name: str) -> None:
    printed = script(name)
    assert all(f"CREATE TABLE IF NOT EXISTS {table} (" in printed for table in PAPER)
    assert ("USING PARQUET" in printed) == (name == "spark")
    assert "/* One row: a tag path and a linear path that it matches (Figure 3.8). */" in printed


def test_rows_are_moved_once() -> None:
    """A migration may move the rows of a table into another shape, and drop the table."""
    engine = DuckDBEngine(":memory:")
    first = Migration(1, "one", "create table if not exists pair (id integer, is_right boolean);")
    second = Migration(2, "two", """
        create table if not exists part (id integer, block integer);
        insert into part select p.id, case when p.is_right then 2 else 1 end as block from pair as p
          anti join part as n on n.id = p.id;
        drop table if exists pair;
    """)
    migrate(engine, [first])
    engine._execute("old", "insert into pair values (7, true), (8, false)")
    for _ in range(2):
        migrate(engine, [first, second])
        moved = engine.fetch(Step("all", "select id, block from part order by id")).to_pylist()
        assert moved == [{"id": 7, "block": 2}, {"id": 8, "block": 1}]
    assert engine._execute("left", "select table_name from duckdb_tables() where table_name = 'pair'").fetchall() == []
