"""Spilling on Spark: workers skip the elements, this process keeps the messages; the same rows as on DuckDB."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import xpubsub
from tests.crashing import Crash, crashing
from tests.flwr_generate import Documents, Transformations
from tests.overload_source import BurstSource
from tests.test_overload_job import EAGER, ORDERS, SUBSCRIPTIONS, undisturbed
from tests.test_overload_job import rows as plain_rows
from tests.test_spill import DATA, Q1
from tests.test_spill_agreement import PREFIXES, spilled_paths
from xpubsub.jobs.overload.spool import Spool
from xpubsub.jobs.publish import spark_publisher
from xpubsub.jobs.stream.relief import Relief
from xpubsub.spill import merge

PAIR = "SELECT <p>{ $x/d }</p> FROM S/a AS $x [d AS $y] FOLLOWED BY { $y = $z, 1h } S/a AS $w [d AS $z]"
MESSAGES = [
    ("m1", "<a><d>none</d></a>", 1), ("m2", DATA, 2), ("m3", "<a><b>", 3), ("m2", DATA, 4), ("m5", DATA.encode("utf-16"), 5),
    ("m6", DATA.replace("b1", "ü"), 6),
]
"""A message without what is spilled, one that is no XML, one whose id came before, and bytes."""


def rows(table: pa.Table) -> Counter[Any]:
    return Counter(tuple(row.values()) for row in table.to_pylist())


@pytest.fixture
def several_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Share out even a small batch."""
    monkeypatch.setattr(spark_publisher, "MOST_MESSAGES", 1)


@pytest.fixture
def stores(connect: Callable[..., xpubsub.Broker], several_workers: None) -> Iterator[tuple[xpubsub.Broker, xpubsub.Broker]]:
    """A store on DuckDB, and one on Spark."""
    yield connect("duckdb"), connect("spark")


def test_the_same_rows_as_on_duckdb(stores: tuple[xpubsub.Broker, xpubsub.Broker], tmp_path: Path) -> None:
    """Notifications with the numbers of their holes, fillers, rejections; also for correlations and `partial=False`."""
    first, later, merged = [], [], []
    for broker in stores:
        broker.subscribe_many([("q", Q1), ("touched", "/a/b/c"), ("sure", "/a/d = 'd1'"), ("pair", PAIR)])
        broker.subscribe("whole", Q1, partial=False)
        results = [broker.publish(MESSAGES, spill=["/a/b"]), broker.publish([("m2", DATA, 9)], spill=["/a/b", "/a/e"])]
        stats = broker.stats()
        assert (stats["spilled messages"], stats["spilled messages without /a/b"]) == (4, 3)
        first.append((Counter(), *(rows(result.notifications) for result in results), rows(results[0].rejected)))
        broker.subscribe("new", "//c")
        found = [broker.complete(limit=1).notifications, broker.complete().notifications]
        later.append([rows(table) for table in found])
        merged.append(rows(merge(*(result.notifications for result in results), *found)))
        assert "spilled messages" not in broker.stats() and broker.complete().notifications.num_rows == 0
    assert first[0] == first[1] and later[0] == later[1] and merged[0] == merged[1]
    parts = Counter(row[3] for row in first[1][1].elements())
    assert parts["reduced"] == 3 and parts["whole"] > 3 and sum(map(Counter.total, later[1])) > 8
    assert os.listdir(tmp_path / "store.spill") == ["lock"]
    again = [broker.publish(MESSAGES[1:2]).notifications for broker in stores]
    assert rows(again[0]) == rows(again[1]) and "part" not in again[1].column_names


def test_random_draws_merge_to_an_undisturbed_run(stores: tuple[xpubsub.Broker, xpubsub.Broker]) -> None:
    random = Random(7)
    documents, texts = Documents(random), Transformations(random)
    subscriptions = [(f"q{n}", texts.transformation()[0]) for n in range(16)]
    messages, seen = [[(f"m{n}", documents.document()) for n in range(16)]], Counter[str]()
    for broker in stores:
        broker.subscribe_many(subscriptions)
    for each in messages:
        spill = spilled_paths(random)
        duckdb, spark = (broker.publish(each, spill=spill, namespaces=PREFIXES).notifications for broker in stores)
        assert rows(duckdb) == rows(spark)
        completed = stores[1].complete().notifications
        assert plain_rows(merge(spark, completed)) == plain_rows(stores[0].publish(each).notifications)
        seen.update([*spark["part"].to_pylist(), *completed["part"].to_pylist()])
    assert min(seen[part] for part in ("whole", "reduced", "filler")) > 3, seen


def test_what_is_refused_on_spark(
    connect: Callable[..., xpubsub.Broker], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broker = connect("spark")
    broker.subscribe_many([("q", Q1), ("pair", PAIR)])
    with pytest.raises(xpubsub.UnsupportedError, match=r"needs the plan partition.*the plan sql is not supported here"):
        broker.publish(MESSAGES, spill=["/a/b"], plan="sql")
    with pytest.raises(xpubsub.UnsupportedError, match="correlations need"):
        broker.publish(MESSAGES, spill=["/a/d"])
    with pytest.raises(xpubsub.UnsupportedError, match="the plan sql cannot spill"):
        broker.stream(BurstSource(ORDERS), print, plan="sql", overload=xpubsub.Overload())
    with monkeypatch.context() as patch, pytest.raises(Crash):
        patch.setattr(Spool, "write", crashing(Spool.write, 1, after=True))
        broker.publish(MESSAGES[:2], spill=["/a/b"])
    assert os.listdir(tmp_path / "store.spill") == ["lock"] and broker.complete().notifications.num_rows == 0
    assert broker.publish(MESSAGES[:2], spill=["/a/b"]).notifications.num_rows
    other = connect("spark")
    with pytest.raises(xpubsub.StoreError, match="another broker spills or completes messages"):
        other.complete()
    broker.close()
    assert other.complete().notifications["part"].to_pylist() == ["filler", "filler"]


def test_an_overloaded_job_on_spark(
    connect: Callable[..., xpubsub.Broker], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A job that is stopped after its first completion goes on: early and late together are an undisturbed run."""
    monkeypatch.setattr(Relief, "paths", lambda *_: ("/order/note",))
    broker, found = connect("spark"), list[pa.Table]()
    broker.subscribe_many(SUBSCRIPTIONS)
    how: dict[str, Any] = {"once": True, "overload": xpubsub.Overload(**EAGER), "checkpoint": tmp_path / "job"}
    with monkeypatch.context() as patch:
        patch.setattr("xpubsub.jobs.stream.loop.StreamJob._waits", lambda _: False)
        figures = broker.stream(BurstSource(ORDERS[:8]), lambda batch: found.append(batch.rows), **how)
        assert figures.spills is not None and figures.spills.waiting == 8
    figures = broker.stream(BurstSource(ORDERS), lambda batch: found.append(batch.rows), **how)
    assert figures.spills is not None and figures.spills.waiting == 0 and figures.messages == 12
    table = pa.concat_tables(found)
    parts = Counter(table["part"].to_pylist())
    assert parts["reduced"] == parts["filler"] == 20
    assert plain_rows(merge(table)) == undisturbed(ORDERS)


def test_a_job_of_a_directory_does_not_change_its_way_of_reading_on_spark(
    connect: Callable[..., xpubsub.Broker], tmp_path: Path
) -> None:
    """With overload this process reads, without it Spark does: neither knows what the other has read."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.xml").write_text(ORDERS[0][1])
    broker = connect("spark")
    broker.subscribe_many(SUBSCRIPTIONS)
    overload = xpubsub.Overload(**EAGER)
    for first, second, words in ((None, overload, "with Structured Streaming"), (overload, None, "without Structured")):
        how: dict[str, Any] = {"once": True, "checkpoint": tmp_path / words}
        assert broker.stream(f"dir:{tmp_path}/in", lambda _: None, overload=first, **how).messages == 1
        with pytest.raises(xpubsub.StoreError, match=words):
            broker.stream(f"dir:{tmp_path}/in", lambda _: None, overload=second, **how)
