"""`kill -9` at any moment of a call leaves a store that opens and has all of the call or nothing of it."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest

import xpubsub
from tests.forks import killed
from tests.judge import pairs
from xpubsub.step import Step

SUBSCRIBER = """
import sys, xpubsub
broker = xpubsub.connect(sys.argv[1])
print("open", flush=True)
for call in range(1000):
    broker.subscribe_many([(f"c{call}-{n}", f"//a[b = {n % 7}]/c > {call}") for n in range(400)])
    print(call, flush=True)
"""
PUBLISHER = """
import sys, xpubsub
broker = xpubsub.connect(sys.argv[1])
print("open", flush=True)
for call in range(1000):
    broker.publish([(f"m{n}", f"<a><b>1</b><x{call}><c>{n}</c></x{call}></a>") for n in range(300)])
    print(call, flush=True)
"""


@pytest.mark.parametrize("seed", range(5))
def test_killed_while_subscribing(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "s.duckdb"
    finished = killed(SUBSCRIBER, path, Random(seed).uniform(0.05, 1.2))
    with xpubsub.connect(path) as broker:
        ids = broker.list()["subscription_id"].to_pylist()
        calls = {name.split("-")[0] for name in ids}
        assert len(ids) == 400 * len(calls), "a call is there in part"
        assert len(calls) in (finished, finished + 1)
        again = [(f"c{finished}-{n}", f"//a[b = {n % 7}]/c > {finished}") for n in range(400)]
        broker.subscribe_many(again)
        result = broker.publish([("m", f"<a><b>0</b><c>{finished + 1}</c></a>")])
        expected = {("m", f"c{call}-{n}") for call in range(finished + 1) for n in range(0, 400, 7)}
        assert pairs(result.notifications.to_pylist()) == expected


@pytest.mark.parametrize("seed", range(4))
def test_killed_while_publishing(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "s.duckdb"
    with xpubsub.connect(path) as broker:
        broker.subscribe_many([(f"s{n}", f"//a[b = 1]//c = {n}") for n in range(50)])
    killed(PUBLISHER, path, Random(seed).uniform(0.05, 1.0))
    with xpubsub.connect(path) as broker:
        orphans = "select * from tagpath_map as t anti join path_match as m on m.tagpath_id = t.tagpath_id"
        assert broker.store.rows(Step("orphans", orphans)) == []
        result = broker.publish([(f"m{n}", f"<a><b>1</b><x0><c>{n}</c></x0></a>") for n in range(100)])
        assert pairs(result.notifications.to_pylist()) == {(f"m{n}", f"s{n}") for n in range(50)}


def test_an_error_in_the_middle_of_a_call_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with xpubsub.connect(tmp_path / "s.duckdb") as broker:
        append, calls = broker.store.engine.append, []

        def failing(table: str, step: Step) -> None:
            calls.append(table)
            if table == "subscription":
                raise xpubsub.EngineError("disk full")
            append(table, step)

        monkeypatch.setattr(broker.store.engine, "append", failing)
        with pytest.raises(xpubsub.EngineError):
            broker.subscribe("s", "//a[b]/c")
        monkeypatch.undo()
        assert len(calls) > 10
        assert broker.stats()["queries"] == 0
        broker.subscribe("s", "//a[b]/c")
        assert pairs(broker.publish([("m", "<a><b/><c/></a>")]).notifications.to_pylist()) == {("m", "s")}


COLLECTOR = """
import sys, xpubsub
broker = xpubsub.connect(sys.argv[1])
print("open", flush=True)
for call in range(1000):
    broker.gc()
    print(call, flush=True)
"""


def large_store(path: Path, amount: int) -> None:
    """A store that has had many more subscriptions than it has: every fiftieth."""
    with xpubsub.connect(path) as broker:
        broker.subscribe_many([(f"s{n}", f"/stock[symbol = 'Y{n % 977}']/price > {n}") for n in range(amount)])
        broker.unsubscribe([f"s{n}" for n in range(amount) if n % 50])


def test_gc_makes_the_file_smaller(tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    large_store(path, 50_000)
    before = path.stat().st_size
    with xpubsub.connect(path) as broker, xpubsub.connect(path) as beside:
        assert broker.gc()["subscription"] == 49_000
        assert broker.gc() == {}
        assert beside.list().num_rows == 1000
        message = [("m", "<stock><symbol>Y50</symbol><price>51</price></stock>")]
        assert pairs(beside.publish(message).notifications.to_pylist()) == {("m", "s50")}
    assert path.stat().st_size < 0.7 * before


@pytest.fixture(scope="module")
def removed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with much to collect, to copy."""
    path = tmp_path_factory.mktemp("removed") / "s.duckdb"
    large_store(path, 20_000)
    return path


@pytest.mark.parametrize("seed", range(4))
def test_killed_while_collecting(tmp_path: Path, removed: Path, seed: int) -> None:
    path = Path(shutil.copy(removed, tmp_path))
    killed(COLLECTOR, path, Random(seed).uniform(0.0, 1.0))
    with xpubsub.connect(path) as broker:
        assert set(broker.list()["subscription_id"].to_pylist()) == {f"s{n}" for n in range(0, 20_000, 50)}
        message = [("m", "<stock><symbol>Y50</symbol><price>51</price></stock>")]
        assert pairs(broker.publish(message).notifications.to_pylist()) == {("m", "s50")}
        broker.gc()
        assert broker.stats()["subscriptions"] == 400


TABLES = ("stored_query", "completed_call")


@pytest.mark.parametrize("table", TABLES)
def test_on_spark_a_call_cut_off_at_any_table_is_invisible_and_can_be_repeated(
    spark_session: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    """Plain Parquet has no transaction: the row that makes a call visible is written last."""
    with xpubsub.connect(tmp_path / "s", spark=spark_session) as broker:
        broker.subscribe("old", "/a/c")
        broker.publish([("m", "<a><b/><c/></a>")])
        append = broker.store.engine.append

        def cut_off(name: str, step: Step) -> None:
            if name == table:
                raise KeyboardInterrupt
            append(name, step)

        monkeypatch.setattr(broker.store.engine, "append", cut_off)
        both = [("new", "//a[b]/c"), ("plain", "/a/b and /a/c")]
        with pytest.raises(KeyboardInterrupt):
            broker.subscribe_many(both)
        monkeypatch.undo()
        assert pairs(broker.publish([("m", "<a><b/><c/></a>")]).notifications.to_pylist()) == {("m", "old")}
        broker.subscribe_many(both)
        found = broker.publish([("m", "<a><b/><c/></a>")]).notifications.to_pylist()
        assert pairs(found) == {("m", "old"), ("m", "new"), ("m", "plain")}
        assert len(found) == 3, "what the first attempt has left is not found twice"
