"""A streaming job that is overloaded: what it delivers early and late is together what an undisturbed job delivers."""

from __future__ import annotations

import errno
import os
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import xpubsub
from tests.flwr_generate import Documents, Transformations
from tests.overload_source import BurstSource
from xpubsub.jobs.overload import settings
from xpubsub.jobs.stream.metrics import metrics_text
from xpubsub.jobs.stream.read_ahead import ReadAhead
from xpubsub.jobs.stream.relief import Relief
from xpubsub.rows import NOTIFICATIONS
from xpubsub.spill import merge

ORDERS = [(f"m{n}", f"<order><sku>A{n}</sku><note>Ring <b>{n}</b> times.</note><price>{n}</price></order>")
          for n in range(20)]
SUBSCRIPTIONS = [
    ("t", "for $o in /order return <want>{ $o/sku, $o/note, $o/price }</want>"),
    ("u", "for $o in /order where $o/price > 10 return $o/sku"), ("f", "contains(/order/note, '1')"), ("g", "//price > 15"),
]
EAGER: dict[str, Any] = {"messages": 8, "start": 0.1, "stop": 0.01}
"""Settings by which almost every batch finds the buffer full."""


def streamed(
    place: Path, source: BurstSource, overload: xpubsub.Overload | None, dead: list[pa.Table] | None = None, **options: Any
) -> tuple[pa.Table, Any]:
    """Run a job over a source; returns the notifications and the figures."""
    found: list[pa.Table] = []
    with xpubsub.connect(place / "s.duckdb", overload=overload) as broker:
        figures = broker.stream(source, lambda batch: found.append(batch.rows), once=True, control=False,
                                max_messages=5, dead_letters=None if dead is None else lambda batch: dead.append(batch.rows),
                                **options)
    return pa.concat_tables(found) if found else NOTIFICATIONS.empty_table(), figures


def subscribed(place: Path, subscriptions: Any = SUBSCRIPTIONS) -> Path:
    with xpubsub.connect(place / "s.duckdb") as broker:
        broker.subscribe_many(subscriptions)
    return place


def rows(table: pa.Table) -> Counter[Any]:
    return Counter((row["message_id"], row["subscription_id"], row["output"]) for row in table.to_pylist())


def undisturbed(messages: Any, subscriptions: Any = SUBSCRIPTIONS) -> Counter[Any]:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many(subscriptions)
        return rows(broker.publish(messages).notifications)


@pytest.fixture
def forced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every batch is spilled, whatever the load: the price is what it costs most."""
    monkeypatch.setattr(Relief, "paths", lambda *_: ("/order/note",))


@pytest.mark.parametrize("policy", ["optprune", "random", "whole"])
def test_random_traces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: str) -> None:
    """Bursts and pauses × random transformations: merged, nothing differs; a hole has exactly one filler."""
    if policy != "optprune":
        monkeypatch.setattr(ReadAhead, "rate", lambda _: 1e9)
        monkeypatch.setattr(ReadAhead, "occupancy", lambda _: 1.0)
    random = Random(policy)
    documents, texts = Documents(random), Transformations(random)
    subscriptions = [(f"q{n}", texts.transformation()[0]) for n in range(8)]
    messages = [(f"m{n}", documents.document()) for n in range(24)]
    source = BurstSource(messages, random, pause=0.02)
    overload = xpubsub.Overload(policy=policy, idle=0.01, **EAGER)
    found, figures = streamed(subscribed(tmp_path, subscriptions), source, overload)
    assert figures.messages == 24 and figures.spills.waiting == 0
    assert figures.spills.completed == figures.spills.spilled and (policy == "optprune" or figures.spills.spilled)
    assert rows(merge(found) if policy != "whole" else found) == undisturbed(messages, subscriptions)
    assert ("part" in found.column_names) == (policy != "whole")


@pytest.mark.usefixtures("forced")
def test_what_is_missing_comes_when_the_source_is_idle(tmp_path: Path) -> None:
    found, figures = streamed(subscribed(tmp_path), BurstSource(ORDERS), xpubsub.Overload(**EAGER))
    parts = Counter(found["part"].to_pylist())
    assert parts["reduced"] == parts["filler"] == 20 and figures.spills.spilled == figures.spills.completed == 20
    assert rows(merge(found)) == undisturbed(ORDERS)
    assert not (tmp_path / "s.duckdb.spill").exists() or not os.listdir(tmp_path / "s.duckdb.spill")


def test_an_overloaded_job_chooses_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More comes than any choice can process: by chance, one path after the other is spilled."""
    chosen: list[tuple[str, ...]] = []
    choose = Relief.paths
    monkeypatch.setattr(Relief, "paths", lambda *given: chosen.append(choose(*given) or ()) or chosen[-1])
    monkeypatch.setattr(ReadAhead, "rate", lambda _: 1e9)
    monkeypatch.setattr(ReadAhead, "occupancy", lambda _: 1.0)
    found, figures = streamed(subscribed(tmp_path), BurstSource(ORDERS), xpubsub.Overload(policy="random", **EAGER))
    assert set(chosen) == {("/order",)} and figures.spills.spilled == 20
    assert rows(merge(found)) == undisturbed(ORDERS)


def test_whole_messages_are_set_aside_and_come_later(tmp_path: Path) -> None:
    """As if they came then: also for correlations, and with the place of a message that is rejected."""
    pair = "p", "S//order AS $a [./price AS $x] FOLLOWED BY {$x = $y, INF} S//order AS $b [./price AS $y]"
    dead: list[pa.Table] = []
    messages = [*ORDERS, ("bad", "<order>"), ("last", ORDERS[3][1])]
    found, figures = streamed(subscribed(tmp_path, [*SUBSCRIPTIONS, pair]), BurstSource(messages),
                              xpubsub.Overload(policy="whole", **EAGER), dead)
    assert figures.spills.spilled > 5 and figures.messages == 22 and figures.rejected == 1
    plain = [row for row in rows(found) if row[1] != "p"]
    assert Counter(plain) == undisturbed([*ORDERS, messages[-1]])
    assert [row["position"] for table in dead for row in table.to_pylist()] == ["place bad"]
    assert found["subscription_id"].to_pylist().count("p") == 1


def test_correlations_are_not_spilled(tmp_path: Path) -> None:
    """Paths that correlations need are no candidates; with one that needs all of a message, there are none."""
    pair = "p", "S//order AS $a [./note AS $x] FOLLOWED BY {$x = $y, INF} S//order AS $b [./note AS $y]"
    found, _ = streamed(subscribed(tmp_path, [*SUBSCRIPTIONS, pair]), BurstSource([*ORDERS, ("again", ORDERS[5][1])]),
                        xpubsub.Overload(policy="random", **EAGER))
    whole = merge(found)
    assert whole["subscription_id"].to_pylist().count("p") == 1
    assert "/order/note" not in "".join(found.filter(pa.compute.equal(found["part"], "reduced"))["output"].to_pylist())


def test_without_overload_nothing_differs(tmp_path: Path) -> None:
    """`backpressure` is what a job does anyway: no thread, no column, no file."""
    found, figures = streamed(subscribed(tmp_path), BurstSource(ORDERS), xpubsub.Overload(policy="backpressure"))
    assert found.column_names == ["message_id", "subscription_id", "output"] and figures.spills is None
    assert rows(found) == undisturbed(ORDERS) and "spill" not in metrics_text(figures)
    assert sorted(os.listdir(tmp_path / "s.duckdb.stream")) == ["job.json", "journal", "lock", "outbox"]


@pytest.mark.parametrize("policy", ["optprune", "whole"])
def test_a_job_that_never_spills_delivers_the_same_bytes(tmp_path: Path, policy: str) -> None:
    """Batch by batch, row by row; `part` says that all is whole, and nothing is written beside the store."""
    delivered = []
    for name, overload in (("none", None), ("idle", xpubsub.Overload(policy=policy))):
        (tmp_path / name).mkdir()
        found, figures = streamed(subscribed(tmp_path / name), BurstSource(ORDERS), overload)
        assert figures.messages == 20 and (figures.spills is None or figures.spills.spilled == 0)
        delivered.append(found)
    assert ("part" in delivered[1].column_names) == (policy == "optprune")
    assert set(delivered[1]["part"].to_pylist() if policy == "optprune" else ["whole"]) == {"whole"}
    assert delivered[1].select(delivered[0].column_names).equals(delivered[0])
    written = [sorted(path.name for path in (tmp_path / name).rglob("*")) for name in ("none", "idle")]
    assert written[0] == written[1]


@pytest.mark.parametrize("policy", ["optprune", "whole"])
@pytest.mark.usefixtures("forced")
def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: str) -> None:
    """What cannot be spilled is not accepted as spilled: it is published whole, and the source waits."""
    replace, full = os.replace, []

    def refused(source: Any, target: Any, **options: Any) -> None:
        if ".spill" in str(target) or "aside" in str(target):
            full.append(target)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(source, target, **options)

    monkeypatch.setattr(os, "replace", refused)
    found, figures = streamed(subscribed(tmp_path), BurstSource(ORDERS), xpubsub.Overload(policy=policy, **EAGER))
    assert full and figures.spills.spilled == 0 and figures.messages == 20
    assert rows(found) == undisturbed(ORDERS)
    assert set(found["part"].to_pylist() if policy == "optprune" else ["whole"]) == {"whole"}


@pytest.mark.usefixtures("forced")
def test_stopped_before_completion_and_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits is completed by the next run of the job, and not by a job that does not own it."""
    subscribed(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("xpubsub.jobs.stream.loop.StreamJob._waits", lambda _: False)
        first, figures = streamed(tmp_path, BurstSource(ORDERS), xpubsub.Overload(**EAGER))
    assert figures.spills.waiting == 20
    with xpubsub.connect(tmp_path / "s.duckdb") as broker:
        stats = broker.stats()
        assert stats["spilled messages"] == stats["spilled messages without /order/note"] == 20
    other, _ = streamed(tmp_path, BurstSource(ORDERS[:1]), xpubsub.Overload(**EAGER), checkpoint=tmp_path / "other")
    assert set(other["message_id"].to_pylist()) == {"m0"}
    second, figures = streamed(tmp_path, BurstSource(ORDERS), xpubsub.Overload(**EAGER))
    assert figures.spills.waiting == 0 and figures.messages == 0
    assert rows(merge(first, second)) == undisturbed(ORDERS)


def test_messages_set_aside_are_published_by_a_job_without_overload(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribed(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("xpubsub.jobs.stream.loop.StreamJob._waits", lambda _: False)
        first, figures = streamed(tmp_path, BurstSource(ORDERS), xpubsub.Overload(policy="whole", **EAGER))
    with xpubsub.connect(tmp_path / "s.duckdb") as broker:
        assert broker.stats()["spilled messages"] == figures.spills.waiting > 0
    second, _ = streamed(tmp_path, BurstSource(ORDERS), None)
    assert rows(pa.concat_tables([first, second])) == undisturbed(ORDERS)
    with xpubsub.connect(tmp_path / "s.duckdb") as broker:
        assert "spilled messages" not in broker.stats()


def test_an_error_of_the_source_ends_the_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After what was read before it is published."""
    poll = BurstSource.poll

    def failing(source: BurstSource, *given: Any) -> Any:
        if source.given > 10:
            raise xpubsub.Error("the source is broken")
        return poll(source, *given)

    monkeypatch.setattr(BurstSource, "poll", failing)
    source = BurstSource(ORDERS)
    with pytest.raises(xpubsub.Error, match="the source is broken"):
        streamed(subscribed(tmp_path), source, xpubsub.Overload(**EAGER))
    assert source.committed_at == source.given > 10


@pytest.mark.usefixtures("forced")
def test_metrics(tmp_path: Path) -> None:
    figures = streamed(subscribed(tmp_path), BurstSource(ORDERS), xpubsub.Overload(**EAGER))[1]
    text = metrics_text(figures)
    for line in ("xpubsub_spilled_total 20", "xpubsub_completed_total 20", "xpubsub_spilled_waiting 0",
                 "xpubsub_spilled_bytes 0", "xpubsub_spilled_age_seconds 0.0", "xpubsub_spilling 1",
                 'xpubsub_spilled_path{path="/order/note"} 1.0'):
        assert line in text.splitlines()


@pytest.mark.parametrize(("given", "reason"), [
    ({"policy": "best"}, "unknown policy 'best': the policies are optr, optprune, tox, random, whole, backpressure"),
    ({"buffer": 10}, "buffer must be an integer of at least 1024, not 10"),
    ({"messages": True}, "messages must be an integer of at least 1, not True"),
    ({"start": 0.2, "stop": 0.3}, "stop must be less than start"), ({"start": 2}, "both from 0 to 1"),
    ({"idle": -1}, "idle must be a number of at least 0"), ({"idle": "1s"}, "idle must be a number"),
    ({"budget": 0}, "budget must be more than 0"), ({"budget": float("nan")}, "budget must be a number"),
])
def test_wrong_settings(given: dict[str, Any], reason: str) -> None:
    with pytest.raises(xpubsub.Error, match=reason):
        xpubsub.Overload(**given)
    with pytest.raises(xpubsub.Error, match=r"overload must be an xpubsub.Overload, not str"):
        settings.check_overload("optprune")
