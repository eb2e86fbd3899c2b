"""Subscriptions in and out: all or nothing per call, each bad row named; removal, streams, formats, statistics."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import xpubsub
from tests.judge import pairs

Connect = Callable[..., xpubsub.Broker]
ROWS = [("s1", "/a/b = 1"), ("s2", "//c[contains(., 'x,y')]"), ("s3", "/a[b and not(c)]")]


def matched(broker: xpubsub.Broker, *messages: tuple[Any, ...], **options: Any) -> set[tuple[str, str]]:
    return pairs(broker.publish(messages, **options).notifications.to_pylist())


def ids(broker: xpubsub.Broker) -> list[str]:
    return broker.list()["subscription_id"].to_pylist()


def test_the_life_of_subscriptions(connect: Connect, engine: str) -> None:
    """Subscribe, publish, subscribe again, remove, subscribe anew, collect, reopen: on every engine."""
    broker = connect(engine)
    assert broker.subscribe_many(ROWS) == 3
    assert broker.subscribe_many(ROWS) == 0, "repeating a call is harmless"
    message = ("m", "<a><b>1</b></a>")
    assert matched(broker, message) == {("m", "s1"), ("m", "s3")}
    assert broker.unsubscribe(["s1", "unknown"]) == ["s1"]
    assert matched(broker, message) == {("m", "s3")}
    broker.subscribe("s1", "/a/b = 2")
    with pytest.raises(xpubsub.Error, match="subscribed already with another text"):
        broker.subscribe("s1", "/a/b = 3")
    assert matched(broker, message, ("n", "<a><b>2</b><c/></a>")) == {("m", "s3"), ("n", "s1")}
    removed = broker.gc()
    assert removed["subscription"] == 1 and removed["unsubscription"] == 1 and removed["stored_query"] == 1
    assert broker.gc() == {}
    assert matched(broker, message, ("n", "<a><b>2</b><c/></a>")) == {("m", "s3"), ("n", "s1")}
    broker.close()
    again = connect(engine)
    assert ids(again) == ["s1", "s2", "s3"]
    assert again.show("s1").text == "/a/b = 2"
    assert matched(again, message, ("n", "<a><b>2</b><c/></a>")) == {("m", "s3"), ("n", "s1")}
    assert again.stats()["subscriptions"] == 3


def test_all_or_nothing_and_each_bad_row_is_named(connect: Connect, engine: str) -> None:
    broker = connect(engine)
    broker.subscribe_many(ROWS[:1])
    rows = [("good", "/a"), ("bad", "/a["), ("twice", "/a"), ("twice", "/b"), ("s1", "/other"), ("far", "tokenize(a, 1)"), ("", "/a")]
    with pytest.raises(xpubsub.RowErrors) as caught:
        broker.subscribe_many(rows)
    assert [(row["row_no"], row["subscription_id"]) for row in caught.value.rows] == [
        (2, "bad"), (4, "twice"), (5, "s1"), (6, "far"), (7, ""),
    ]
    text = str(caught.value)
    assert "row 2 (bad): expected an expression" in text and "at line 1, column 4" in text
    assert "row 6 (far): the function tokenize() is not supported" in text
    assert ids(broker) == ["s1"]


def test_or_that_never_matches_and_duplicates_of_a_query(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe_many([("never", "1 = 2"), ("either", "/a or /a/b"), ("same", "/a"), ("always", "not(/zzz)")])
    assert matched(broker, ("m", "<a><b/></a>")) == {("m", "either"), ("m", "same"), ("m", "always")}
    assert broker.stats()["queries"] == 3
    assert ids(broker) == ["always", "either", "never", "same"]


def test_streams_keep_subscriptions_apart(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe("s", "/a")
    broker.subscribe("t", "/a", stream="T")
    assert matched(broker, ("m", "<a/>")) == {("m", "s")}
    assert matched(broker, ("m", "<a/>"), stream="T") == {("m", "t")}


def test_messages_that_are_set_aside_and_how_text_and_data_are_read(connect: Connect, engine: str) -> None:
    broker = connect(engine)
    broker.subscribe_many([("s", "/a"), ("e", "/a = 'é'")])
    declared = '<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>'
    result = broker.publish([
        ("m", "<b/>"), ("m", "<a/>"), ("x", "<a>"), ("x", "<a/>"), ("n", "<a/>", 12.5), ("t", declared),
        ("d", declared.encode("iso-8859-1")), ("none", None), ("half", "<a>\ud800</a>"),
    ])
    assert pairs(result.notifications.to_pylist()) == {("n", "s"), ("t", "s"), ("d", "s"), ("t", "e"), ("d", "e")}
    codes = sorted((row["message_id"], row["code"]) for row in result.rejected.to_pylist())
    assert [code for code in codes if code[0] != "half"] == [
        ("m", "duplicate-id"), ("none", "not-text"), ("x", "duplicate-id"), ("x", "not-well-formed"),
    ]
    assert len(codes) == 5
    assert result.rejected.column_names == ["message_id", "code", "reason", "line", "column"]
    assert result.notifications.column_names == ["message_id", "subscription_id", "output"]


def test_no_messages_and_no_subscriptions(connect: Connect, engine: str) -> None:
    broker = connect(engine)
    assert matched(broker) == set()
    assert matched(broker, ("m", "<a/>")) == set()
    broker.subscribe_many([])
    assert ids(broker) == []


def test_hostile_texts_stay_texts(connect: Connect) -> None:
    broker = connect("duckdb")
    name = "x'); drop table subscription; --"
    broker.subscribe(name, "/a = \"'; drop table stored_query; --\"", stream="'; --", namespaces={"p": "'"})
    message = ("'; --", "<a>'; drop table stored_query; --</a>")
    assert matched(broker, message, stream="'; --") == {("'; --", name)}
    assert ids(broker) == [name]


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_files_of_subscriptions(connect: Connect, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"subscriptions{ending}"
    if ending == ".parquet":
        pq.write_table(pa.table({"id": [row[0] for row in ROWS], "xpath": [row[1] for row in ROWS]}), path)
    elif ending == ".jsonl":
        path.write_text("".join(json.dumps({"id": key, "text": text}) + "\n" for key, text in ROWS))
    else:
        comma = "," if ending == ".csv" else "\t"
        path.write_text(f"id{comma}text\n" + "".join(f'{key}{comma}"{text}"\n' for key, text in ROWS))
    broker = connect("duckdb")
    assert broker.subscribe_many(path) == 3
    assert broker.list()["text"].to_pylist() == [text for _, text in ROWS]


def test_arrow_and_iterables_of_subscriptions(connect: Connect) -> None:
    broker = connect("duckdb")
    assert broker.subscribe_many(pa.table({"subscription_id": ["a"], "text": ["/a"]})) == 1
    assert broker.subscribe_many((f"n{n}", f"/n{n}") for n in range(3)) == 3


@pytest.mark.parametrize(("name", "content", "reason"), [
    ("x.csv", "a\n", "expected an id and a text"), ("x.jsonl", "{]\n", "not JSON"), ("x.jsonl", '{"id": "a"}\n', "no column text"),
    ("x.txt", "a", "unknown file type"), ("x.parquet", "a", "x.parquet"), ("x.jsonl", "5\n", "an object"),
])
def test_files_that_cannot_be_read(connect: Connect, tmp_path: Path, name: str, content: str, reason: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(xpubsub.Error, match=reason):
        connect("duckdb").subscribe_many(tmp_path / name)


@pytest.mark.parametrize("call", [
    lambda broker: broker.subscribe("s", "/a", dialect="sql"), lambda broker: broker.publish([("m", "<a/>")], plan="fast"),
    lambda broker: broker.publish(["<a/>"]), lambda broker: broker.publish([(1, "<a/>")]), lambda broker: broker.show("zzz"),
    lambda broker: broker.publish([("m", "<a/>")], plan="unroll,share"), lambda broker: broker.subscribe_many(5),
    lambda broker: broker.subscribe_many([("a",)]), lambda broker: broker.subscribe_many("missing.csv"),
    lambda broker: broker.publish_frame(None), lambda broker: broker.subscribe("s", "/a", namespaces={"p": 5}),
    lambda broker: broker.publish([("\ud800", "<a/>")]), lambda broker: broker.subscribe("s\ud800", "/a"),
    lambda broker: broker.subscribe("s", "/a = '\ud800'"), lambda broker: broker.subscribe(None, "/a"),
    lambda broker: broker.subscribe("s", "/a", stream=""), lambda broker: broker.explain("zzz", "<a/>"),
])
def test_bad_calls_raise_our_errors(connect: Connect, call: Callable[[xpubsub.Broker], Any]) -> None:
    with pytest.raises(xpubsub.Error):
        call(connect("duckdb"))


def test_connect_refuses_what_it_cannot_open(tmp_path: Path) -> None:
    (tmp_path / "text.duckdb").write_text("this is no database" * 100)
    for call in (
        lambda: xpubsub.connect(tmp_path / "text.duckdb"), lambda: xpubsub.connect(tmp_path / "no" / "folder.duckdb"),
        lambda: xpubsub.connect(":memory:", engine="oracle"), lambda: xpubsub.connect(":memory:", slots=9),
    ):
        with pytest.raises(xpubsub.Error):
            call()


def test_a_store_keeps_the_slots_it_was_created_with(tmp_path: Path) -> None:
    xpubsub.connect(tmp_path / "s.duckdb", slots=3).close()
    with xpubsub.connect(tmp_path / "s.duckdb") as broker:
        assert broker.store.slots == 3
    with pytest.raises(xpubsub.StoreError, match="slots=3"):
        xpubsub.connect(tmp_path / "s.duckdb", slots=4)


def test_a_store_in_use_by_another_process(connect: Connect, tmp_path: Path) -> None:
    connect("duckdb")
    script = "import sys, xpubsub; xpubsub.connect(sys.argv[1])"
    command = [sys.executable, "-c", script, str(tmp_path / "store.duckdb")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "StoreError" in done.stderr and f"is open in another process (PID {os.getpid()})" in done.stderr


def test_progress_of_long_work(connect: Connect) -> None:
    broker = connect("duckdb")
    told: list[int] = []
    broker.subscribe_many([(f"s{n}", f"/a/b = {n % 5}") for n in range(6000)], progress=told.append)
    assert sum(told) == 6000 and len(told) > 1
    told.clear()
    broker.publish([(f"m{n}", "<a/>") for n in range(10)], progress=told.append)
    assert told == [1] * 10


def test_two_brokers_on_one_file_see_each_others_changes(tmp_path: Path) -> None:
    message = ("m", "<a><b>1</b><c>2</c></a>")
    with xpubsub.connect(tmp_path / "s.duckdb") as one, xpubsub.connect(tmp_path / "s.duckdb") as two:
        one.subscribe("s1", "/a/b = 1")
        assert matched(one, message) == {("m", "s1")}
        two.subscribe("s2", "/a/c = 2")
        assert matched(one, message) == {("m", "s1"), ("m", "s2")}
        two.unsubscribe(["s1"])
        two.gc()
        assert matched(one, message) == {("m", "s2")}


def test_a_call_from_within_a_call_is_refused(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe("s", "/a")

    def messages() -> Any:
        yield "m1", "<a/>"
        broker.subscribe("late", "/a/b")

    with pytest.raises(xpubsub.Error, match="busy with another call"):
        broker.publish(messages())
    assert matched(broker, ("m", "<a/>")) == {("m", "s")}


def test_threads_take_turns(connect: Connect) -> None:
    from concurrent.futures import ThreadPoolExecutor

    broker = connect("duckdb")

    def work(number: int) -> set[tuple[str, str]]:
        broker.subscribe(f"s{number}", f"/a{number}/b")
        return matched(broker, ("m", f"<a{number}><b/></a{number}>"))

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(12))) == [{("m", f"s{number}")} for number in range(12)]


@pytest.mark.parametrize("call", [
    *(lambda broker, text=text: broker.subscribe("s", text) for text in (None, b"/a", 5, ["/a"])),
    *(lambda broker, ns=ns: broker.subscribe("s", "/a", namespaces=ns) for ns in ([1], "x", {"p": "\ud800"}, {"p": ""})),
    *(lambda broker, stream=stream: broker.publish([], stream=stream) for stream in (None, 5, "\ud800", "")),
    *(lambda broker, ids=ids: broker.unsubscribe(ids) for ids in (None, 5, [5], ["\ud800"])),
    *(lambda broker, bad=bad: broker.publish(bad) for bad in (None, 5, "<a/>", [("m",)])),
    lambda broker: broker.publish([], plan=None), lambda broker: broker.publish([], progress=5),
    lambda broker: broker.explain("\ud800", "<a/>"), lambda broker: broker.explain(5, "<a/>"),
    lambda broker: broker.subscribe_many(pa.table({"id": [[1]], "text": ["/a"]})),
    lambda broker: (broker.close(), broker.subscribe("s", "/a")), lambda broker: (broker.close(), broker.publish([])),
    *(lambda _, path=path: xpubsub.connect(path) for path in (None, 5, "", "\ud800", "a\0b")),
    *(lambda _, slots=slots: xpubsub.connect(":memory:", slots=slots) for slots in ("3", 2.5, True)),
    lambda _: xpubsub.connect(":memory:", limits=5),
])
def test_wrong_types_raise_our_errors(connect: Connect, call: Callable[[xpubsub.Broker], Any]) -> None:
    with pytest.raises(xpubsub.Error):
        call(connect("duckdb"))


def test_a_file_nested_too_deeply(connect: Connect, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("[" * 100_000)
    with pytest.raises(xpubsub.Error):
        connect("duckdb").subscribe_many(tmp_path / "x.jsonl")


@pytest.mark.parametrize("text", ["//a = 'JOIN {'", "FROM", "SELECT = 'x'", "FROM/SELECT", "declare and 1"])
def test_words_of_other_languages_are_names_in_xpath(connect: Connect, text: str) -> None:
    connect("duckdb").subscribe("s", text)


def test_plans_of_other_kinds_may_be_named(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe("s", "/a")
    assert matched(broker, ("m", "<a/>"), plan="unroll,fwr,mmqjp") == {("m", "s")}


def colliding(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    """Ids in a module as if all texts had the same hash; of paths that other tests use they may be remembered."""
    monkeypatch.setattr(f"xpubsub.{module}.stable_id", lambda *parts: 5000 + len(parts))


def test_two_linear_paths_with_one_id_in_two_calls(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    broker = connect("duckdb")
    colliding(monkeypatch, "compile.row_types")
    broker.subscribe("s", "/one-of-two")
    with pytest.raises(xpubsub.StoreError, match="two linear path texts have the same id"):
        broker.subscribe("t", "/other-of-two")
    assert ids(broker) == ["s"]


def test_two_linear_paths_with_one_id_in_one_call(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    broker = connect("duckdb")
    colliding(monkeypatch, "compile.row_types")
    with pytest.raises(xpubsub.StoreError, match="have the same id"):
        broker.subscribe_many([("s", "/one-of-both"), ("t", "/other-of-both")])
    assert ids(broker) == []


def test_two_tag_paths_with_one_id(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    broker = connect("duckdb")
    broker.subscribe("s", "//*")
    colliding(monkeypatch, "match.path_matches")
    with pytest.raises(xpubsub.StoreError, match="two tag path texts have the same id"):
        broker.publish([("m", "<a><b/></a>")])
    monkeypatch.undo()
    assert matched(broker, ("m", "<a><b/></a>")) == {("m", "s")}
