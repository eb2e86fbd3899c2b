"""The streaming job: killed at any moment and started again, it delivers what an undisturbed run delivers."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import xpubsub
from tests.crashing import Crash, crashing
from xpubsub.broker import Broker
from xpubsub.engines.duckdb import DuckDBEngine
from xpubsub.engines.parquet import ParquetEngine
from xpubsub.engines.store_files import StoreFiles
from xpubsub.jobs.publish.publisher import Publisher
from xpubsub.jobs.stream import directory_sink
from xpubsub.jobs.stream.commits import Commits
from xpubsub.jobs.stream.directory_sink import DirectorySink
from xpubsub.jobs.stream.numbered_files import NumberedFiles
from xpubsub.store.store import Store

MESSAGES = 16
SUBSCRIPTIONS = [
    ("price", "//price > 50"),
    ("copy", "for $t in //tick where $t/price > 20 return <p>{ $t/price }</p>"),
    ("pair", "S//tick AS $a [./symbol AS $x] FOLLOWED BY {$x = $y, INF} S//tick AS $b [./symbol AS $y]"),
    ("onward", "S//tick AS $a [./symbol AS $x] FOLLOWED BY {$x = $y, INF} S//tick AS $b [./symbol AS $y] PUBLISH pairs"),
]
Row = tuple[str, str, str | None]


def fill(directory: Path, amount: int = MESSAGES) -> None:
    """Files that appear by a rename; each seventh is no XML."""
    directory.mkdir()
    for number in range(amount):
        text = f"<tick><symbol>s{number % 5}</symbol><price>{number * 4}</price></tick>"
        partial = directory / f"{number:03d}.tmp"
        partial.write_text(text if number % 7 else text[:-3])
        partial.rename(directory / f"{number:03d}.xml")


def local_parquet(path: Path) -> Broker:
    """A store as Spark has it, with batches matched in this process."""
    store = Store(ParquetEngine(str(path)))
    return Broker(store, Publisher(store, xpubsub.Limits()), xpubsub.Limits())


def on_duckdb(path: Path) -> Broker:
    return xpubsub.connect(path)


def prepared(place: Path, opened: Callable[[Path], Broker] = on_duckdb) -> None:
    """A directory `in` with messages, and a store with subscriptions."""
    place.mkdir()
    fill(place / "in")
    with opened(place / "store") as broker:
        broker.subscribe_many(SUBSCRIPTIONS)


def run(place: Path, opened: Callable[[Path], Broker] = on_duckdb, **options: Any) -> None:
    settings: dict[str, Any] = {"once": True, "max_messages": 5, "dead_letters": f"dir:{place}/dead", **options}
    with opened(place / "store") as broker:
        broker.stream(f"dir:{place}/in", f"dir:{place}/out", **settings)


def rows(directory: Path) -> Counter[Row]:
    """The notifications in a sink; one that is there twice counts twice."""
    table = pq.read_table(directory)
    return Counter((row["message_id"], row["subscription_id"], row["output"]) for row in table.to_pylist())


def letters(directory: Path) -> Counter[str]:
    return Counter(pq.read_table(directory)["message_id"].to_pylist())


def read(place: Path) -> tuple[Counter[Row], Counter[str]]:
    return rows(place / "out"), letters(place / "dead")


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What each test starts with, to copy."""
    place = tmp_path_factory.mktemp("start") / "job"
    prepared(place)
    return place


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Counter[Row], Counter[str]]:
    place = tmp_path_factory.mktemp("undisturbed") / "job"
    prepared(place)
    run(place)
    found = read(place)
    assert len(found[0]) > 30 and max(found[0].values()) == 1
    assert {name for _, name, _ in found[0]} == {name for name, _ in SUBSCRIPTIONS}
    assert found[1] == Counter(f"{number:03d}.xml" for number in range(0, MESSAGES, 7))
    return found


def copied(start: Path, target: Path) -> Path:
    return Path(shutil.copytree(start, target / "job"))


POINTS: list[tuple[str, Any, str]] = [
    ("outbox", NumberedFiles, "write"), ("commit row", Commits, "add"), ("delivery", DirectorySink, "deliver"),
    ("delivered", NumberedFiles, "remove"), ("sink file", directory_sink, "write_durably"),
    ("manifest", directory_sink, "write_manifest"), ("engine", DuckDBEngine, "_before_commit"),
]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(("owner", "name"), [pytest.param(owner, name, id=what) for what, owner, name in POINTS])
def test_ended_at_any_point_nothing_is_lost_or_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: Path, undisturbed: Any, owner: Any, name: str, after: bool
) -> None:
    place = copied(start, tmp_path)
    monkeypatch.setattr(owner, name, crashing(getattr(owner, name), 3, after=after))
    with pytest.raises(Crash):
        run(place)
    monkeypatch.undo()
    run(place)
    assert read(place) == undisturbed
    assert not list((place / "store.stream" / "outbox").iterdir())


@pytest.mark.parametrize(("name", "call"), [("_write", 3), ("_write", 11), ("_record", 2), ("_move", 5), ("_move", 14)])
def test_ended_between_the_files_of_a_store_on_parquet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undisturbed: Any, name: str, call: int
) -> None:
    """Files of Parquet have no transaction of their own: a record makes all files of a batch visible, or none."""
    place = tmp_path / "job"
    prepared(place, local_parquet)
    monkeypatch.setattr(StoreFiles, name, crashing(getattr(StoreFiles, name), call, after=bool(call % 2)))
    with pytest.raises(Crash):
        run(place, local_parquet)
    monkeypatch.undo()
    run(place, local_parquet)
    assert read(place) == undisturbed
