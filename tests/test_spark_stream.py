"""The streaming job on Spark: Structured Streaming forms the batches, the store recognises those that come again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import pyarrow.parquet as pq
import pytest

import xpubsub
from tests.crashing import Crash, crashing
from xpubsub.broker import Broker
from xpubsub.engines.parquet import ParquetEngine
from xpubsub.jobs.publish.publisher import Publisher
from xpubsub.jobs.stream import spark_reading
from xpubsub.jobs.stream.deliveries import Deliveries
from xpubsub.jobs.stream.numbered_files import NumberedFiles
from xpubsub.jobs.stream.spark_source import SparkSource
from xpubsub.store.store import Store

MESSAGES = 12
SUBSCRIPTIONS = [
    ("price", "//price > 20"),
    ("copy", "for $t in //tick where $t/price > 12 return <p>{ $t/price }</p>"),
]
PAIR = "pair", "S//tick AS $a [./symbol AS $x] JOIN {$x = $y, INF} S//tick AS $b [./symbol AS $y]"
Row = tuple[str, str, str | None]


def tick(number: int) -> str:
    """A message; each fifth is no XML."""
    text = f"<tick><symbol>s{number % 4}</symbol><price>{number * 4}</price></tick>"
    return text if number % 5 else text[:-3]


def fill(directory: Path, numbers: Any = range(MESSAGES)) -> None:
    (directory / "below").mkdir(parents=True, exist_ok=True)
    for number in numbers:
        partial = directory / "partial"
        partial.write_text(tick(number))
        partial.rename(directory / "below" / f"{number:02d}.xml")


def expected(numbers: Any = range(MESSAGES)) -> Counter[Row]:
    good = [number for number in numbers if number % 5]
    rows: Counter[Row] = Counter((f"below/{n:02d}.xml", "price", None) for n in good if n > 5)
    rows.update((f"below/{n:02d}.xml", "copy", f"<p><price>{n * 4}</price></p>") for n in good if n > 3)
    return rows


def found(place: Path) -> Counter[Row]:
    """The notifications of filters and transformations; one that is there twice counts twice."""
    rows = pq.read_table(place / "out").to_pylist()
    return Counter((r["message_id"], r["subscription_id"], r["output"]) for r in rows if r["subscription_id"] != "pair")


def subscribe(place: Path, *rows: tuple[str, str]) -> None:
    """Subscribe as another process does, which needs no Spark for it."""
    store, limits = Store(ParquetEngine(str(place / "store"))), xpubsub.Limits()
    with Broker(store, Publisher(store, limits), limits) as broker:
        broker.subscribe_many(rows)


@pytest.fixture
def place(spark_session: Any, tmp_path: Path) -> Iterator[Path]:
    """A store on Spark, beside a directory of messages."""
    fill(tmp_path / "in")
    subscribe(tmp_path, *SUBSCRIPTIONS)
    yield tmp_path


def run(place: Path, session: Any, **options: Any) -> Any:
    settings: dict[str, Any] = {"once": True, "max_messages": 5, "dead_letters": f"dir:{place}/dead", **options}
    with xpubsub.connect(place / "store", spark=session) as broker:
        return broker.stream(f"dir:{place}/in", f"dir:{place}/out", **settings)


def test_messages_of_a_directory_and_a_batch_that_comes_again(place: Path, spark_session: Any) -> None:
    figures = run(place, spark_session)
    assert found(place) == expected()
    assert (figures.messages, figures.rejected, figures.batches) == (MESSAGES, 3, 3)
    letters = {row["message_id"]: row for row in pq.read_table(place / "dead").to_pylist()}
    assert set(letters) == {f"below/{number:02d}.xml" for number in range(0, MESSAGES, 5)}
    assert letters["below/05.xml"]["raw"] == tick(5).encode()
    assert letters["below/05.xml"]["position"] == "below/05.xml"
    assert figures.delays.classes == ["any"] and figures.delays.quantile("any", 0.5) > 0
    for mark in (place / "store.stream" / "spark" / "commits").glob("*2*"):
        mark.unlink()
    fill(place / "in", range(MESSAGES, MESSAGES + 4))
    figures = run(place, spark_session)
    assert found(place) == expected(range(MESSAGES + 4)), "Spark had forgotten that batch 2 was done"
    assert figures.messages == 4


def test_ended_before_and_after_the_commit_nothing_is_lost_or_twice(
    place: Path, spark_session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One job, started again and again; the second batch of each run is cut off at another point."""
    points: list[tuple[Any, str, bool]] = [
        (NumberedFiles, "write", True), (Deliveries, "deliver", False), (SparkSource, "committed", False),
    ]
    for owner, name, after in points:
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, crashing(getattr(owner, name), 2, after=after))
            with pytest.raises(Crash):
                run(place, spark_session, max_messages=2)
    run(place, spark_session, max_messages=2)
    assert found(place) == expected()


KILLS = int(os.environ.get("XPUBSUB_SPARK_KILLS", "1"))
"""How often the job is killed: each time a Spark starts, which takes ten seconds."""


def test_a_process_that_is_killed(place: Path, spark_session: Any) -> None:
    """A process of its own, with a Spark of its own, is killed at a random moment; in the end this one goes on."""
    job = ["stream", place / "store", "--engine", "spark", "--source", f"dir:{place}/in", "--sink", f"dir:{place}/out",
           "--dead-letters", f"dir:{place}/dead", "--max-messages", "2"]
    manifest, random = place / "out" / "_manifest.json", Random(KILLS)
    for turn in range(KILLS):
        fill(place / "in", range(turn * MESSAGES, (turn + 1) * MESSAGES))
        before, until = done(manifest), time.monotonic() + 120
        process = subprocess.Popen([sys.executable, "-m", "xpubsub", *map(str, job)], stderr=subprocess.DEVNULL)
        while process.poll() is None and time.monotonic() < until and done(manifest) == before:
            time.sleep(0.01)
        assert done(manifest) > before, "the job does not come to a batch"
        time.sleep(random.uniform(0.0, 1.0))
        process.kill()
        process.wait()
        assert done(manifest) - before < MESSAGES / 2, "it was killed in the middle"
    run(place, spark_session)
    assert found(place) == expected(range(KILLS * MESSAGES))


def done(manifest: Path) -> int:
    """How many batches a sink has."""
    return int(json.loads(manifest.read_text())["last"]) if manifest.exists() else 0


def test_correlations_join_messages_of_two_batches(place: Path, spark_session: Any) -> None:
    subscribe(place, PAIR)
    run(place, spark_session, max_messages=6)
    rows = pq.read_table(place / "out").to_pylist()
    pairs = Counter(tuple(int(part) // 4 for part in _prices(row["output"])) for row in rows if row["subscription_id"] == "pair")
    good = [number for number in range(MESSAGES) if number % 5]
    assert pairs == Counter((a, b) for a in good for b in good if a != b and a % 4 == b % 4)
    assert found(place) == expected()


def _prices(output: str) -> list[str]:
    return [piece.partition("<")[0] for piece in output.split("<price>")[1:]]


def test_a_subscription_of_another_process_takes_effect_and_the_job_stops_when_asked(
    place: Path, spark_session: Any
) -> None:
    stop, seen = Event(), list[int]()

    def told(figures: Any) -> None:
        if figures.messages == MESSAGES and not seen:
            seen.append(figures.messages)
            subscribe(place, ("new", "//symbol"))
            fill(place / "in", range(MESSAGES, MESSAGES + 3))
        if figures.messages == MESSAGES + 3 or time.monotonic() > until:
            stop.set()

    until = time.monotonic() + 90
    run(place, spark_session, once=False, stop=stop, progress=told, max_messages=MESSAGES)
    rows = pq.read_table(place / "out").to_pylist()
    new = {row["message_id"] for row in rows if row["subscription_id"] == "new"}
    assert new == {f"below/{number}.xml" for number in range(MESSAGES, MESSAGES + 3)}


def test_spark_says_what_is_missing(place: Path, spark_session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_reading, "_FORMAT", "kafka_that_is_missing")
    with xpubsub.connect(place / "store", spark=spark_session) as broker:
        with pytest.raises(xpubsub.Error, match="there is no such directory"):
            broker.stream(f"dir:{place}/nowhere", f"dir:{place}/out", once=True)
        with pytest.raises(xpubsub.Error, match=r"no connector for Kafka.*spark-sql-kafka-0-10_2.13:4"):
            broker.stream("kafka:localhost:9/t", f"dir:{place}/out", once=True)


def test_lines_are_matched_by_spark_in_the_ordinary_loop(
    place: Path, spark_session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = os.pipe()
    os.write(writing, "\n".join(tick(number) for number in range(1, 5)).encode())
    os.close(writing)
    with os.fdopen(reading) as lines, monkeypatch.context() as patch:
        patch.setattr("sys.stdin", lines)
        with xpubsub.connect(place / "store", spark=spark_session) as broker:
            delivered = list[Any]()
            broker.stream("-", lambda batch: delivered.extend(batch.rows.to_pylist()))
    assert [(row["subscription_id"], row["output"]) for row in delivered] == [("copy", "<p><price>16</price></p>")]


@pytest.mark.parametrize("done", ["delete", "moved"])
def test_spark_deletes_or_moves_published_files(place: Path, spark_session: Any, done: str) -> None:
    """The files of a batch go when Spark begins the next; those of the last stay until then."""
    where = done if done == "delete" else str(place / done)
    run(place, spark_session, done=where, max_file_age="1000d", max_messages=4)
    fill(place / "in", [MESSAGES])
    run(place, spark_session, done=where, max_file_age="1000d", max_messages=4)
    assert found(place) == expected(range(MESSAGES + 1))
    assert len(list((place / "in").rglob("*.xml"))) < 6
    if done == "moved":
        assert len(list((place / done).rglob("*.xml"))) > 6
