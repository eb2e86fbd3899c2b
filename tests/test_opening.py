"""Opening a store: what creates one, what only reads, what is no store, and what is left after closing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import Result

import xpubsub
from tests.test_cli import run
from xpubsub.engines.duckdb import DuckDBEngine
from xpubsub.engines.reaching import file_system
from xpubsub.store.migrations import available, migrate

NOBODY = 65534
READING = [("list", "STORE"), ("show", "STORE", "s1"), ("stats", "STORE"), ("explain", "STORE", "s1", "-"),
           ("explain", "STORE", "s1", "-", "--sql"), ("schema", "STORE")]
WRITING = [("publish", "STORE", "-"), ("unsubscribe", "STORE", "s1"), ("gc", "STORE"), ("schema", "STORE", "--remove")]
CREATING = [("init", "STORE"), ("subscribe", "STORE", "--id", "s1", "/a")]


def run_on(command: tuple[str, ...], store: Path | str) -> Result:
    return run(*(store if each == "STORE" else each for each in command), stdin="<a/>")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "s.duckdb"
    with xpubsub.connect(path) as broker:
        broker.subscribe("s1", "/a")
        broker.subscribe("t1", "for $a in /a return $a")
        broker.subscribe("c1", "FROM S//a AS $a [.//b AS $b] FOLLOWED BY {$b = $c, 10m} S//a AS $d [.//b AS $c]")
    return path


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path))


@pytest.fixture
def others(tmp_path: Path) -> Path:
    """Somebody else's database."""
    path = tmp_path / "others.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table customer as select 1 as id")
        connection.execute("create table schema_migration (version bigint)")
    return path


def tables(path: Path) -> set[str]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return {name for (name,) in connection.execute("select table_name from duckdb_tables()").fetchall()}


@pytest.mark.parametrize("command", [*READING, *WRITING, *CREATING], ids=" ".join)
def test_somebody_elses_database_is_left_alone(others: Path, command: tuple[str, ...]) -> None:
    before = others.read_bytes()
    result = run_on(command, others)
    assert result.exit_code == 2 and "is not an xpubsub store" in result.stderr
    assert others.read_bytes() == before and tables(others) == {"customer", "schema_migration"}


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_reading_commands_do_not_write(store: Path, command: tuple[str, ...]) -> None:
    before = store.read_bytes(), store.stat().st_mtime_ns, os.listdir(store.parent)
    assert run_on(command, store).exit_code == 0
    assert (store.read_bytes(), store.stat().st_mtime_ns, os.listdir(store.parent)) == before


@contextmanager
def not_root(folder: Path) -> Iterator[None]:
    """A scope in which files are what their permissions say, also for whoever runs the tests as root."""
    if os.geteuid():
        yield
        return
    os.chown(folder, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_store_that_may_not_be_written_can_be_read(store: Path) -> None:
    folder = Path(tempfile.mkdtemp())
    copy = folder / "s.duckdb"
    shutil.copy(store, copy)
    copy.chmod(0o444)
    folder.chmod(0o555)
    try:
        with not_root(folder):
            assert not os.access(copy, os.W_OK, effective_ids=True)
            for command in READING:
                result = run_on(command, copy)
                assert result.exit_code == 0, result.stderr
            refused = run_on(("publish", "STORE", "-"), copy)
            assert refused.exit_code == 2 and f"{copy} cannot be written" in refused.stderr
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


HOLDER = """
import sys, xpubsub
broker = xpubsub.connect(sys.argv[1], read_only=sys.argv[2] == "read")
print("open", flush=True)
sys.stdin.read()
"""


@contextmanager
def held(path: Path, how: str) -> Iterator[int]:
    """Another process that has the store open."""
    command = [sys.executable, "-c", HOLDER, str(path), how]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "open\n"
        yield process.pid
        process.communicate("")


def test_readers_beside_readers_and_who_holds_the_store(store: Path) -> None:
    with held(store, "read") as pid:
        assert "/a" in run_on(("list", "STORE"), store).stdout
        refused = run_on(("publish", "STORE", "-"), store)
        assert refused.exit_code == 2 and f"is open in another process (PID {pid})" in refused.stderr
    with held(store, "write") as pid:
        for command in (*READING, ("publish", "STORE", "-")):
            refused = run_on(command, store)
            assert refused.exit_code == 2 and f"is open in another process (PID {pid})" in refused.stderr


def test_a_crash_leaves_a_store_that_can_be_read(store: Path) -> None:
    """What the log holds is read, and stays."""
    script = "import os, sys, xpubsub; b = xpubsub.connect(sys.argv[1]); b.subscribe('s2', '/b'); os._exit(9)"
    subprocess.run([sys.executable, "-c", script, str(store)], check=False)
    log = Path(f"{store}.wal").read_bytes()
    assert "s2" in run_on(("list", "STORE"), store).stdout
    assert Path(f"{store}.wal").read_bytes() == log


@pytest.mark.parametrize("command", [*READING, *WRITING], ids=" ".join)
def test_an_empty_database_is_no_store(tmp_path: Path, command: tuple[str, ...]) -> None:
    path = tmp_path / "empty.duckdb"
    duckdb.connect(str(path)).close()
    result = run_on(command, path)
    assert result.exit_code == 2 and f"{path} is not an xpubsub store: it is empty" in result.stderr
    assert tables(path) == set()


@pytest.mark.parametrize("command", CREATING, ids=" ".join)
def test_an_empty_database_may_become_a_store(tmp_path: Path, command: tuple[str, ...]) -> None:
    path = tmp_path / "empty.duckdb"
    duckdb.connect(str(path)).close()
    assert run_on(command, path).exit_code == 0
    assert "subscription" in tables(path)


@pytest.mark.parametrize("command", [READING[0], WRITING[0], CREATING[0]], ids=" ".join)
@pytest.mark.parametrize("content", [b"", b"Dear reader", b"SQLite format 3\0" + b"\0" * 4096])
def test_a_file_that_is_no_database(tmp_path: Path, command: tuple[str, ...], content: bytes) -> None:
    path = tmp_path / "letter.duckdb"
    path.write_bytes(content)
    result = run_on(command, path)
    assert result.exit_code == 2 and f"{path} is not an xpubsub store: it is not a DuckDB database" in result.stderr
    assert path.read_bytes() == content
    assert "is a directory" in run_on(command, tmp_path).stderr
    assert "not a file" in run_on(command, "s3://bucket/x").stderr


def test_a_store_of_an_earlier_version_is_not_migrated_by_reading(tmp_path: Path) -> None:
    path = tmp_path / "old.duckdb"
    engine = DuckDBEngine(str(path))
    migrate(engine, available()[:-1])
    engine.close()
    result = run_on(("list", "STORE"), path)
    assert result.exit_code == 2 and f"`xpubsub init {path}`" in result.stderr
    assert run_on(("init", "STORE"), path).exit_code == 0
    assert run_on(("list", "STORE"), path).exit_code == 0


def test_create_and_read_only_of_connect(tmp_path: Path, store: Path) -> None:
    missing = tmp_path / "missing.duckdb"
    for options in ({"create": False}, {"read_only": True}):
        with pytest.raises(xpubsub.StoreError, match="there is no store"):
            xpubsub.connect(missing, **options)
    assert not missing.exists()
    with pytest.raises(xpubsub.Error, match="cannot be created read-only"):
        xpubsub.connect(store, read_only=True, create=True)
    with xpubsub.connect(missing, create=True) as broker:
        broker.subscribe("s1", "/a")


CHANGES: list[Callable[[xpubsub.Broker], Any]] = [
    lambda broker: broker.subscribe("s9", "/a"), lambda broker: broker.subscribe_many([("s9", "/a")]),
    lambda broker: broker.unsubscribe(["s1"]), lambda broker: broker.schema("<!ELEMENT a EMPTY>"),
    lambda broker: broker.publish([("m", "<a/>")]), lambda broker: broker.gc(),
]
LOOKS: list[Callable[[xpubsub.Broker], Any]] = [
    lambda broker: broker.list(), lambda broker: broker.show("s1"), lambda broker: broker.stats(),
    lambda broker: broker.schemas(), lambda broker: broker.explain("s1", "<a/>"), lambda broker: broker.explain_sql(),
]


def test_a_store_that_is_open_read_only_is_not_changed(connect: Callable[..., xpubsub.Broker], engine: str) -> None:
    writer = connect(engine)
    writer.subscribe("s1", "/a")
    for beside in (True, False):
        if not beside:
            writer.close()
        reader = connect(engine, read_only=True)
        for look in LOOKS:
            look(reader)
        for change in CHANGES:
            with pytest.raises(xpubsub.StoreError, match="is open read-only"):
                change(reader)
        assert reader.list()["subscription_id"].to_pylist() == ["s1"]
        reader.close()


def test_a_writer_beside_a_reader_of_the_same_process_is_refused(store: Path) -> None:
    with (xpubsub.connect(store, read_only=True),
          pytest.raises(xpubsub.StoreError, match="open read-only in this process")):
        xpubsub.connect(store)


def test_after_close_every_call_says_so(connect: Callable[..., xpubsub.Broker], engine: str) -> None:
    broker = connect(engine)
    broker.subscribe("s1", "/a")
    broker.close()
    broker.close()
    for call in (*CHANGES, *LOOKS):
        with pytest.raises(xpubsub.StoreError, match="is closed"):
            call(broker)


def test_a_spark_store_is_neither_created_nor_guessed(spark_session: object, tmp_path: Path) -> None:
    missing, others = tmp_path / "missing", tmp_path / "others"
    others.mkdir()
    (others / "letter.txt").write_text("Dear reader")
    for options in ({"create": False}, {"read_only": True}):
        with pytest.raises(xpubsub.StoreError, match=r"there is no store at .* --engine spark"):
            xpubsub.connect(missing, spark=spark_session, **options)  # type: ignore[arg-type]
    for options in ({}, {"create": True}, {"create": False}, {"read_only": True}):
        with pytest.raises(xpubsub.StoreError, match="is not an xpubsub store"):
            xpubsub.connect(others, spark=spark_session, **options)  # type: ignore[arg-type]
    assert not missing.exists() and os.listdir(others) == ["letter.txt"]


@pytest.mark.parametrize(("place", "reason"), [
    ("s3a://bucket/x", "cannot be reached: .*fs.s3a"), ("hdfs://localhost:1/x", "cannot be reached: .*libhdfs"),
    ("hdfs:///x", "cannot be reached: .*libhdfs"), ("nosuch://x/y", "there is no file system for nosuch://"),
])
@pytest.mark.parametrize("options", [{}, {"read_only": True}])
def test_a_file_system_that_cannot_be_reached(
    monkeypatch: pytest.MonkeyPatch, place: str, reason: str, options: dict[str, bool]
) -> None:
    settings = {"AWS_ENDPOINT_URL": "http://127.0.0.1:1", "AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s"}
    for name, value in {**settings, "AWS_EC2_METADATA_DISABLED": "true", "AWS_REGION": "r"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(xpubsub.StoreError, match=reason) as caught:
        xpubsub.connect(place, engine="spark", **options)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value) and "Exception" not in str(caught.value)


def test_google_cloud_storage_is_not_tried_for_a_quarter_of_an_hour() -> None:
    for place, seconds in {"gs://bucket/x": 20, "gs://bucket/x?retry_limit_seconds=3": 3, "gs://anonymous@bucket/x?scheme=http": 20}.items():
        files, path = file_system(place, {})
        assert path == "bucket/x" and files.__reduce__()[1][0]["retry_time_limit"] == timedelta(seconds=seconds)
