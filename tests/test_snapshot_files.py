"""Copies of snapshots on the machines of Spark's workers, for stores that are in another file system."""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest
from pyarrow import fs

import xpubsub
from xpubsub.jobs.publish import snapshot_files
from xpubsub.jobs.publish.snapshot_files import SnapshotFile


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary folder of a machine that reaches a store in another file system."""
    here = tmp_path / "here"
    here.mkdir()
    (tmp_path / "there" / "_snapshots").mkdir(parents=True)
    (tmp_path / "there" / "_snapshots" / "snapshot_1.duckdb").write_bytes(b"rows")
    there = fs.SubTreeFileSystem(str(tmp_path / "there"), fs.LocalFileSystem())
    monkeypatch.setattr(tempfile, "tempdir", str(here))
    monkeypatch.setattr(snapshot_files, "file_system", lambda place, settings: (there, place))
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
