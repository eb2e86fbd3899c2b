"""Files that a streaming job has published: which are read again, deleted or moved, and which names are forgotten."""

from __future__ import annotations

import errno
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import xpubsub
from tests.crashing import Crash, crashing
from tests.test_stream_job import local_parquet, on_duckdb
from xpubsub.jobs.stream import batches, published_files
from xpubsub.jobs.stream.commits import Commits
from xpubsub.jobs.stream.directory_source import DirectorySource
from xpubsub.jobs.stream.published_files import RecentFiles
from xpubsub.step import Step

DAY = 86_400


def put(directory: Path, name: str, text: str = "<b>3</b>", age: float = 0.0) -> None:
    """Let a file appear that was modified some seconds before a fixed moment."""
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    (directory / "part").write_text(text)
    os.utime(directory / "part", (1.7e9 - age, 1.7e9 - age))
    (directory / "part").rename(path)


def left(directory: Path) -> list[str]:
    """The files below a directory."""
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file())


def kept(broker: xpubsub.Broker) -> list[str]:
    """The names in the store."""
    with broker.store.engine.pipeline():
        rows = broker.store.engine.fetch(Step("kept", "select item from stream_item"))
    return sorted(name.partition("//")[0] for name in rows["item"].to_pylist())


def delivered(place: Path) -> Counter[str]:
    return Counter(pq.read_table(place / "out")["message_id"].to_pylist())


def run(broker: xpubsub.Broker, place: Path, **options: Any) -> int:
    settings: dict[str, Any] = {"once": True, "max_messages": 3, "dead_letters": f"dir:{place}/dead", **options}
    return broker.stream(f"dir:{place}/in", f"dir:{place}/out", **settings).messages


@pytest.mark.parametrize("opened", [on_duckdb, local_parquet])
@pytest.mark.parametrize("done", ["delete", "moved"])
def test_published_files_go_and_their_names_with_them(
    tmp_path: Path, opened: Any, done: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One job, ended at several points: each message is delivered once, and the store keeps no name."""
    names = [f"{'sub/' if n % 2 else ''}{n}.xml" for n in range(10)]
    for name in names:
        put(tmp_path / "in", name)
    put(tmp_path / "in", "bad.xml", "<b>")
    monkeypatch.setattr(batches, "_GONE", 4)
    where = done if done == "delete" else str(tmp_path / "moved")
    with opened(tmp_path / "store") as broker:
        broker.subscribe("all", "//b")
        points = [(Commits, "add"), (published_files, "sync_directory"), (Commits, "forget"), (os, "rename")]
        for owner, name in points[:3 if done == "delete" else 4]:
            with monkeypatch.context() as patch, pytest.raises(Crash):
                patch.setattr(owner, name, crashing(getattr(owner, name), 2, after=name != "forget"))
                run(broker, tmp_path, done=where)
            put(tmp_path / "in", f"after-{name}.xml")
            names.append(f"after-{name}.xml")
        run(broker, tmp_path, done=where)
        assert delivered(tmp_path) == Counter(names) and kept(broker) == []
        put(tmp_path / "in", "0.xml")
        assert run(broker, tmp_path, done=where) == 1, "a name can be used again once its file is gone"
    assert left(tmp_path / "in") == []
    if done == "moved":
        assert set(left(tmp_path / "moved")) == {*names, "bad.xml", "0.xml.1700000000000000000"}


def test_files_that_were_not_read_completely_stay(tmp_path: Path) -> None:
    put(tmp_path / "in", "large.xml", "<b>12345678</b>")
    put(tmp_path / "in", "good.xml")
    put(tmp_path / "docs" / "in", "good.xml", "<f><b>1</b><b>2</b></f>")
    put(tmp_path / "docs" / "in", "cut.xml", "<f><b>1</b><b>123456789012345</b><b>2</b><b>3</b></f>")
    with xpubsub.connect(":memory:", limits=xpubsub.Limits(max_bytes=12)) as broker:
        broker.subscribe("all", "//b")
        for _ in range(2):
            run(broker, tmp_path, done="delete", checkpoint=tmp_path / "c")
            assert left(tmp_path / "in") == ["large.xml"] and kept(broker) == ["large.xml"]
        run(broker, tmp_path / "docs", done="delete", checkpoint=tmp_path / "d", split="/f/b", max_messages=2)
        assert left(tmp_path / "docs" / "in") == ["cut.xml"] and kept(broker) == ["cut.xml", "large.xml"]
        assert delivered(tmp_path / "docs") == Counter(
            ["good.xml#1", "good.xml#2", "cut.xml#1", "cut.xml#3", "cut.xml#4"])


def test_a_file_that_cannot_be_removed_is_not_published_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(*_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    put(tmp_path / "in", "1.xml")
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("all", "//b")
        with monkeypatch.context() as patch:
            patch.setattr(os, "rename", refused)
            assert [run(broker, tmp_path, done=tmp_path / "m", checkpoint=tmp_path / "c") for _ in "12"] == [1, 0]
        assert "1.xml was published, but stays: Permission denied" in caplog.text and kept(broker) == ["1.xml"]
        assert run(broker, tmp_path, done=tmp_path / "m", checkpoint=tmp_path / "c") == 0
        assert left(tmp_path / "m") == ["1.xml"] and kept(broker) == []


def test_names_of_old_files_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name is kept until the newest file is an age younger; older files are not read, whether published or not."""
    monkeypatch.setattr(batches, "_GONE", 2)
    with xpubsub.connect(tmp_path / "s.duckdb") as broker:
        broker.subscribe("all", "//b")
        for day in range(12, 0, -1):
            put(tmp_path / "in", f"{day}.xml", age=day * DAY)
            put(tmp_path / "in", f"{day}-late.xml", age=(day + 1) * DAY)
            assert run(broker, tmp_path, max_file_age="3d") == 2, day
            assert len(kept(broker)) <= 10
        put(tmp_path / "in", "much-too-late.xml", age=5 * DAY)
        assert run(broker, tmp_path, max_file_age="3d") == 0
        assert set(kept(broker)) == {*(f"{day}.xml" for day in range(1, 5)), *(f"{day}-late.xml" for day in range(1, 4))}
        assert max(delivered(tmp_path).values()) == 1 and len(delivered(tmp_path)) == 24


def test_a_job_of_many_files_keeps_few_names(tmp_path: Path) -> None:
    """What the source holds in memory does not grow with the files that were published."""
    source = DirectorySource(tmp_path, max_bytes=10, published=RecentFiles(DAY))
    source.seek(None, [f"{n}.xml//{n * 60 * 10**9}" for n in range(50_000)])
    assert len(source.release(f"{n}.xml//{n * 60 * 10**9}" for n in range(50_000))) == 50_000 - 1441
    files: Any = source._published
    assert len(files._published) == 1441 and not files._reading


@pytest.mark.parametrize(("options", "said"), [
    ({"done": "delete", "dead_letters": None}, "name a sink for dead letters"),
    ({"done": "in/moved"}, "whose files are read: use another directory"),
    ({"done": "in/1.xml/x"}, "cannot be used: Not a directory|whose files are read"),
    ({"max_file_age": "soon"}, "positive number with ms, s, m, h, d"),
    ({"source": "-", "done": "moved"}, r"the source must be dir:PATH"),
    ({"source": "-", "max_file_age": "1d"}, r"the source must be dir:PATH"),
])
def test_what_cannot_be_done_with_files(
    tmp_path: Path, options: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "in", "1.xml")
    given = {"dead_letters": "dir:dead", **options}
    with xpubsub.connect(":memory:") as broker, pytest.raises(xpubsub.Error, match=said):
        broker.stream(given.pop("source", "dir:in"), "dir:out", once=True, checkpoint="c", **given)


def test_published_files_may_go_to_a_hidden_directory(tmp_path: Path) -> None:
    put(tmp_path / "in", "1.xml")
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("all", "//b")
        assert [run(broker, tmp_path, done=tmp_path / "in" / ".done", checkpoint=tmp_path / "c") for _ in "12"] == [1, 0]
    assert left(tmp_path / "in") == [".done/1.xml"]


@pytest.mark.parametrize("split", [None, "//b"])
def test_a_pipe_in_the_directory_is_no_message(tmp_path: Path, split: str | None) -> None:
    """Opening it would wait for a writer for ever."""
    put(tmp_path / "in", "1.xml")
    os.mkfifo(tmp_path / "in" / "pipe.xml")
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("all", "//b")
        assert run(broker, tmp_path, checkpoint=tmp_path / "c", split=split) == 2
    [letter] = pq.read_table(tmp_path / "dead").to_pylist()
    assert (letter["message_id"], letter["code"], letter["reason"]) == ("pipe.xml", "unreadable", "not a regular file")


def test_a_full_disk_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    put(tmp_path / "in", "1.xml")
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("all", "//b")
        for sink in (f"dir:{tmp_path}/out", f"each:{tmp_path}/each"):
            with monkeypatch.context() as patch, pytest.raises(OSError, match=f"No space left on device: '{tmp_path}/"):
                patch.setattr(os, "fsync", full)
                broker.stream(f"dir:{tmp_path}/in", sink, once=True, checkpoint=tmp_path / sink[:4])
            broker.stream(f"dir:{tmp_path}/in", sink, once=True, checkpoint=tmp_path / sink[:4])
    assert delivered(tmp_path) == Counter(["1.xml"])
    assert len((tmp_path / "each" / "all.jsonl").read_text().splitlines()) == 1
