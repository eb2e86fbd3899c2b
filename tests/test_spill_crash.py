"""The end of the process at any moment of spilling or completing, or a full disk: nothing is lost, nothing comes twice."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

import xpubsub
from tests.crashing import Crash, crashing
from tests.test_spill import DATA, Q1, sorted_rows
from xpubsub.engines.duckdb import DuckDBEngine
from xpubsub.jobs.overload import spool
from xpubsub.jobs.overload.spool import Spool
from xpubsub.spill import merge

MESSAGES = [("m", DATA), ("n", DATA.replace("b1", "x")), ("o", "<a><d/></a>")]
SUBSCRIPTIONS = [("q", Q1), ("f", "/a/b/c = 'c2'"), ("g", "//d")]


@pytest.fixture(scope="module")
def undisturbed() -> list[Any]:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many(SUBSCRIPTIONS)
        return sorted_rows(broker.publish(MESSAGES).notifications)


def store(path: Path) -> xpubsub.Broker:
    broker = xpubsub.connect(path)
    broker.subscribe_many(SUBSCRIPTIONS)
    return broker


def files(path: Path) -> int:
    folder = Path(f"{path}.spill")
    return len(list(folder.iterdir())) if folder.exists() else 0


def everything(path: Path, first: Any = None) -> list[Any]:
    """Open the store again, publish unless that was done, complete; returns what comes out, merged."""
    with xpubsub.connect(path) as broker:
        before = broker.publish(MESSAGES, spill=["/a/b"]).notifications if first is None else first
        later = broker.complete().notifications
        assert broker.complete().notifications.num_rows == 0
    assert files(path) == 0
    return sorted_rows(merge(before, later))


WRITING = [(Spool, "write", 1, False), (Spool, "write", 1, True), (os, "replace", 1, False), (os, "replace", 1, True),
           (os, "fsync", 1, False), (spool.pq, "write_table", 1, False), (DuckDBEngine, "_before_commit", 1, False)]


@pytest.mark.parametrize(("owner", "name", "call", "after"), WRITING)
def test_killed_while_spilling(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undisturbed: list[Any], owner: Any, name: str, call: int, after: bool,
) -> None:
    """The batch was not accepted; what it left on disk is swept."""
    path = tmp_path / "s.duckdb"
    broker = store(path)
    monkeypatch.setattr(owner, name, crashing(getattr(owner, name), call, after=after))
    monkeypatch.setattr(Spool, "sweep", lambda *_: None)
    with pytest.raises(Crash):
        broker.publish(MESSAGES, spill=["/a/b"])
    monkeypatch.undo()
    broker.close()
    with xpubsub.connect(path) as again:
        assert not any("spilled" in each for each in again.stats())
    assert everything(path) == undisturbed


def test_killed_at_any_statement_of_completing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undisturbed: list[Any]
) -> None:
    """Nothing was completed, and so it can be completed again."""
    path = tmp_path / "s.duckdb"
    with store(path) as broker:
        first = broker.publish(MESSAGES, spill=["/a/b"]).notifications
        for call in (1, 2, *range(3, 46, 6), 44, 45):
            monkeypatch.setattr(DuckDBEngine, "_execute", crashing(DuckDBEngine._execute, call))
            with pytest.raises(Crash):
                broker.complete()
            monkeypatch.undo()
            assert broker.stats()["spilled messages"] == 2 and files(path) == 1
    assert everything(path, first) == undisturbed


def test_killed_between_the_commit_and_the_end_of_completing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is left, but the store knows that it is complete: it is swept, and nothing comes twice."""
    path = tmp_path / "s.duckdb"
    broker = store(path)
    broker.publish(MESSAGES, spill=["/a/b"])
    monkeypatch.setattr(Spool, "remove", crashing(Spool.remove, 1))
    with pytest.raises(Crash):
        broker.complete()
    monkeypatch.undo()
    broker.close()
    assert files(path) == 1
    with xpubsub.connect(path) as again:
        assert again.complete().notifications.num_rows == 0
    assert files(path) == 0


def test_killed_between_the_phases(tmp_path: Path, undisturbed: list[Any]) -> None:
    path = tmp_path / "s.duckdb"
    broker = store(path)
    first = broker.publish(MESSAGES, spill=["/a/b"]).notifications
    broker.close()
    assert everything(path, first) == undisturbed


def test_a_full_disk_refuses_the_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undisturbed: list[Any]) -> None:
    path = tmp_path / "s.duckdb"

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with store(path) as broker:
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(xpubsub.StoreError, match=r"cannot be spilled to .*No space left"):
            broker.publish(MESSAGES, spill=["/a/b"])
        monkeypatch.undo()
        assert files(path) == 0 and not any("spilled" in name for name in broker.stats())
        merged = merge(broker.publish(MESSAGES, spill=["/a/b"]).notifications, broker.complete().notifications)
        assert sorted_rows(merged) == undisturbed


def test_a_damaged_or_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    with store(path) as broker:
        broker.publish(MESSAGES, spill=["/a/b"])
        [file] = Path(f"{path}.spill").iterdir()
        rows = spool.pq.read_table(file)
        changed = rows.set_column(0, "message_id", spool.pa.array(["m", "z"]))
        spool.pq.write_table(changed, file)
        with pytest.raises(xpubsub.StoreError, match=f"{file.name} is damaged: the checksum of message 'z' is wrong; restore the file"):
            broker.complete()
        file.write_bytes(b"PAR1")
        with pytest.raises(xpubsub.StoreError, match=r"cannot be read: .*; restore the file"):
            broker.complete()
        file.unlink()
        with pytest.raises(xpubsub.StoreError, match=f"{file.name} are missing: the folder belongs beside the store"):
            broker.complete()
        assert broker.stats()["spilled messages"] == 2
