"""Copies of snapshots on the machines of Spark's workers, for stores that are in another file system."""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from pyarrow import fs

import xpubsub
from tests.generate import NAMESPACES, Messages
from tests.judge import pairs
from tests.xpath1_generate import WholeGrammar
from xpubsub.arrow import arrow_bytes, pack
from xpubsub.jobs.publish import snapshot_file, snapshot_files
from xpubsub.jobs.publish.partition import PartMatcher, Task
from xpubsub.jobs.publish.snapshot_file import SnapshotFile
from xpubsub.jobs.publish.snapshot_files import SnapshotFiles
from xpubsub.plan.request import PlanRequest


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary folder of a machine that reaches a store in another file system."""
    here = tmp_path / "here"
    here.mkdir()
    (tmp_path / "there" / "_snapshots").mkdir(parents=True)
    (tmp_path / "there" / "_snapshots" / "snapshot_1.duckdb").write_bytes(b"rows")
    there = fs.SubTreeFileSystem(str(tmp_path / "there"), fs.LocalFileSystem())
    monkeypatch.setattr(tempfile, "tempdir", str(here))
    monkeypatch.setattr(snapshot_file, "file_system", lambda place, settings: (there, place))
    return here


SNAPSHOT = SnapshotFile("_snapshots/snapshot_1.duckdb", "hdfs://cluster/store", 4)


def test_a_snapshot_is_copied_once_and_deleted_when_it_is_released(machine: Path) -> None:
    path = SNAPSHOT.local_path()
    assert Path(path).parent == machine and Path(path).read_bytes() == b"rows"
    Path(path).write_bytes(b"kept")
    assert SNAPSHOT.local_path() == path and Path(path).read_bytes() == b"kept"
    replace(SNAPSHOT, lent=True).release()
    assert list(machine.iterdir()) == [Path(path)]
    SNAPSHOT.release()
    SNAPSHOT.release()
    assert not list(machine.iterdir())


def test_copies_that_nobody_uses_are_deleted(machine: Path) -> None:
    ages = {"xpubsub-snapshot_old.duckdb": 25, "xpubsub-snapshot_old.duckdb.12": 25, "xpubsub-snapshot_new.duckdb": 1, "other": 25}
    for name, hours in ages.items():
        (machine / name).write_bytes(b"")
        os.utime(machine / name, (time.time() - hours * 3600,) * 2)
    SNAPSHOT.local_path()
    assert sorted(path.name for path in machine.iterdir()) == ["other", "xpubsub-snapshot_1.duckdb", "xpubsub-snapshot_new.duckdb"]


def test_a_snapshot_that_is_gone_is_named(machine: Path) -> None:
    with pytest.raises(xpubsub.EngineError, match="is gone: publish again"):
        SnapshotFile("_snapshots/snapshot_2.duckdb", "hdfs://cluster/store", 4).local_path()


def matched(files: SnapshotFiles, messages: dict[str, str], *, shares_disk: bool = True) -> set[tuple[str, str]]:
    """What a worker finds that opens the current snapshot."""
    task = Task(files.current(shares_disk=shares_disk), xpubsub.Limits(), "S", PlanRequest.parse("auto"))
    matcher = PartMatcher(task.snapshot, task.limits, 1)
    try:
        numbered = [(n, *each) for n, each in enumerate(messages.items(), 1)]
        for _ in range(2):
            parts = dict(matcher.parts(numbered, task))
        return pairs(parts["notification"].to_pylist())
    finally:
        matcher.close()
        matcher.engine.close()


@pytest.mark.parametrize("shares_disk", [True, False])
def test_what_tables_gain_is_written_beside_a_large_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shares_disk: bool) -> None:
    """All kinds of filters and a transformation, half of them added later, others removed, and new tag paths."""
    monkeypatch.setattr(snapshot_files, "LARGE", 0)
    monkeypatch.setattr(snapshot_files, "MOST_GAINED", 9)
    grammar, source = WholeGrammar(Random(5)), Messages(Random(5))
    texts = {f"s{n}": grammar.expression() for n in range(60)} | {"t": "for $a in //a where $a/b = 1 return <o>{ $a/b }</o>"}
    messages = {f"m{n}": source.message() for n in range(24)}
    rows, batches = list(texts.items()), [dict(list(messages.items())[:part]) for part in (12, 18, 24)]
    with xpubsub.connect(tmp_path / "store", engine="spark") as broker, xpubsub.connect(":memory:") as judge:
        files = SnapshotFiles(broker.store.engine, {})  # type: ignore[arg-type]
        bases, gained = set(), set()
        for added, removed, sent in ((rows[:30], [], batches[0]), (rows[30:45], ["s3", "s40"], batches[1]), (rows[45:], ["s4"], batches[2])):
            for each in (broker, judge):
                each.subscribe_many(added, namespaces=NAMESPACES)
                each.unsubscribe(removed)
            expected = pairs(judge.publish(sent.items()).notifications.to_pylist())
            assert matched(files, sent, shares_disk=shares_disk) == expected
            snapshot = files.current(shares_disk=shares_disk, lent=True)
            bases.add(snapshot.path)
            gained.add(snapshot.gained)
        assert len(bases) == 1 and len(gained) == 3 and "" in gained and all(map(os.path.exists, bases | gained - {""}))
        os.remove(snapshot.gained)
        assert matched(files, sent, shares_disk=shares_disk) == expected and files.current(shares_disk=shares_disk).path not in bases
        broker.subscribe("more", "//b")
        assert files.current(shares_disk=shares_disk).gained
        broker.gc()
        assert not files.current(shares_disk=shares_disk).gained
        files.close()
        assert not any(map(os.path.exists, bases | gained - {""}))


def test_a_small_snapshot_and_one_that_gained_much_are_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with xpubsub.connect(tmp_path / "store", engine="spark") as broker:
        files = SnapshotFiles(broker.store.engine, {})  # type: ignore[arg-type]
        for large, share in ((10**9, 9.0), (0, 0.0)):
            monkeypatch.setattr(snapshot_files, "LARGE", large)
            monkeypatch.setattr(snapshot_files, "MOST_GAINED", share)
            before = files.current(shares_disk=True)
            broker.subscribe(f"s{large}", "//a")
            after = files.current(shares_disk=True)
            assert after.path != before.path and not after.gained and not os.path.exists(before.path)
        files.close()


def test_rows_gained_are_read_where_the_store_is(machine: Path, tmp_path: Path) -> None:
    rows = {"a": pa.table({"x": [1, 2]}), "b": pa.table({"y": ["z"]})}
    packed = pa.Table.from_batches([part for name, table in rows.items() for part in pack(name, table)])
    (tmp_path / "there" / "_snapshots" / "gained_1.arrow").write_bytes(arrow_bytes(packed))
    assert replace(SNAPSHOT, gained="_snapshots/gained_1.arrow").gained_rows() == rows
    with pytest.raises(xpubsub.EngineError, match="is gone: publish again"):
        replace(SNAPSHOT, gained="_snapshots/gained_2.arrow").gained_rows()
    with pytest.raises(xpubsub.EngineError, match="is gone: publish again"):
        SnapshotFile("/none", "/store", 4, gained="/none.arrow").gained_rows()
