"""Sources and sinks of the streaming job, one by one: lines, servers, a file per subscription, functions, dead letters."""

from __future__ import annotations

import io
import json
import os
import socket
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import xpubsub
from tests.test_stream_job import Crash, crashing
from xpubsub.jobs.stream import subscriber_sink
from xpubsub.jobs.stream.byte_source import ByteSource, LineServer
from xpubsub.jobs.stream.commits import Commits
from xpubsub.jobs.stream.delays import Delays
from xpubsub.jobs.stream.directory_source import DirectorySource
from xpubsub.jobs.stream.lines import MessageLines
from xpubsub.jobs.stream.metrics import metrics_text
from xpubsub.jobs.stream.numbered_files import NumberedFiles
from xpubsub.jobs.stream.pace import DEFAULT_WAIT, Pace
from xpubsub.jobs.stream.readers import LineReader
from xpubsub.jobs.stream.spark_source import SparkSource
from xpubsub.jobs.stream.subscriber_sink import SubscriberSink, subscriber_file
from xpubsub.rows import NOTIFICATIONS

STRANGE = ("../up", "a/b", ".", "..", "_manifest", "~x", "ü" * 300, "ü" * 299 + "v", "a b%2F", "plain")


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[xpubsub.Broker]:
    with xpubsub.connect(tmp_path / "s.duckdb") as opened:
        opened.subscribe_many([("big", "//b > 2"), ("all", "//b")])
        yield opened


def lines_in(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def piped(monkeypatch: pytest.MonkeyPatch, text: bytes) -> None:
    """Let standard input be a pipe with this text."""
    reading, writing = os.pipe()
    os.write(writing, text)
    os.close(writing)
    monkeypatch.setattr(sys, "stdin", os.fdopen(reading))


def test_lines_from_standard_input_to_standard_output(
    broker: xpubsub.Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    piped(monkeypatch, b"<a><b>1</b></a>\n\n<a><b>3</b></a>\n<a>\n<a><b>4</b></a>")
    written = io.StringIO()
    monkeypatch.setattr(sys, "stdout", written)
    figures = broker.stream("-", "-")
    found = [json.loads(line) for line in written.getvalue().splitlines()]
    pairs = {(row["message_id"].rpartition("-")[2], row["subscription_id"]) for row in found}
    assert pairs == {("1", "all"), ("3", "big"), ("3", "all"), ("5", "big"), ("5", "all")} and len(found) == 5
    assert (figures.messages, figures.notifications, figures.rejected) == (4, 5, 1)


@pytest.mark.parametrize(("owner", "name", "call", "after"), [
    (Commits, "add", 2, False), (Commits, "add", 2, True), (NumberedFiles, "write", 1, True),
    (NumberedFiles, "remove", 1, False), (SubscriberSink, "deliver", 1, False), (SubscriberSink, "_write", 2, False),
    (SubscriberSink, "_write", 2, True), (subscriber_sink, "write_manifest", 1, False),
])
def test_lines_that_were_read_are_published_after_a_crash(
    broker: xpubsub.Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, call: int, after: bool
) -> None:
    """The batch is in the journal; lines that wait for the next batch are lost with their pipe, as is its nature."""
    with monkeypatch.context() as patched:
        piped(patched, b"".join(b"<a><b>%d</b></a>\n" % number for number in range(3, 8)))
        patched.setattr(owner, name, crashing(getattr(owner, name), call, after=after))
        with pytest.raises(Crash):
            broker.stream("-", f"each:{tmp_path}/out", max_messages=3)
    piped(monkeypatch, b"<a><b>9</b></a>\n")
    broker.stream("-", f"each:{tmp_path}/out", max_messages=3)
    ids = [row["message_id"] for row in lines_in(tmp_path / "out" / "all.jsonl")]
    assert [each.rpartition("-")[2] for each in ids] == ["1", "2", "3", "1"] and len(set(ids)) == 4
    assert [row["message_id"] for row in lines_in(tmp_path / "out" / "big.jsonl")] == ids


def test_a_server_of_lines_is_connected_again(monkeypatch: pytest.MonkeyPatch) -> None:
    server = socket.create_server(("127.0.0.1", 0))
    monkeypatch.setattr(LineServer, "FIRST", 0.01)

    def serve() -> None:
        for part in (b"<a>1</a>\n<a", b"<a>2</a>\n"):
            connection, _ = server.accept()
            with connection:
                connection.sendall(part)
        server.close()

    threading.Thread(target=serve, daemon=True).start()
    source = ByteSource(LineServer(f"127.0.0.1:{server.getsockname()[1]}"), LineReader(100))
    found = []
    while len(found) < 3:
        polled = source.poll(10, 1000, 0.5)
        found += [message.xml for message in polled.messages] if polled else []
    source.close()
    assert found == [b"<a>1</a>", b"<a", b"<a>2</a>"]


def test_lines_are_the_same_however_they_are_cut() -> None:
    text = b"one\n\n two\r\n" + b"x" * 20 + b"\nlast"
    for size in range(1, len(text)):
        lines = MessageLines(8)
        for start in range(0, len(text), size):
            lines.add(text[start : start + size])
        lines.add(b"")
        assert list(lines.waiting) == [(1, b"one"), (3, b" two\r"), (4, b"x" * 9), (5, b"last")]


DOCUMENT = b"<feed xml:lang='en'>\n<b>1</b>\n<b>3</b><x/><b>\n<c></b>"


def test_units_of_files_go_on_after_a_crash(
    broker: xpubsub.Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1.xml").write_bytes(b"<feed>" + b"".join(b"<b>%d</b>" % n for n in range(10)) + b"</feed>")
    (tmp_path / "in" / "2.xml").write_bytes(DOCUMENT)
    (tmp_path / "in" / "empty.xml").write_bytes(b"<feed/>")
    settings: dict[str, Any] = {"dead_letters": f"dir:{tmp_path}/dead", "split": "/feed/b", "max_messages": 3, "once": True}
    for call in (2, 3):
        with monkeypatch.context() as patched, pytest.raises(Crash):
            patched.setattr(Commits, "add", crashing(Commits.add, call, after=True))
            broker.stream(f"dir:{tmp_path}/in", f"dir:{tmp_path}/out", **settings)
    broker.stream(f"dir:{tmp_path}/in", f"dir:{tmp_path}/out", **settings)
    found = Counter((row["message_id"], row["subscription_id"]) for row in pq.read_table(tmp_path / "out").to_pylist())
    units = [(f"1.xml#{n + 1}", n) for n in range(10)] + [("2.xml#1", 1), ("2.xml#2", 3)]
    assert found == Counter([(name, "all") for name, _ in units] + [(name, "big") for name, n in units if n > 2])
    [letter] = pq.read_table(tmp_path / "dead").to_pylist()
    assert (letter["message_id"], letter["line"], letter["column"]) == ("2.xml#3", 4, 6)
    assert broker.stream(f"dir:{tmp_path}/in", f"dir:{tmp_path}/out", **settings).messages == 0


def test_units_of_standard_input(broker: xpubsub.Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    piped(monkeypatch, DOCUMENT)
    got: list[Any] = []
    dead: list[Any] = []
    broker.stream("-", got.append, dead_letters=dead.append, split="/feed/b")
    pairs = [(row["message_id"][-2:], row["subscription_id"]) for batch in got for row in batch.rows.to_pylist()]
    assert pairs == [("#1", "all"), ("#2", "all"), ("#2", "big")]
    assert [(row["code"], row["line"]) for batch in dead for row in batch.rows.to_pylist()] == [("not-well-formed", 4)]


def test_each_subscription_has_a_file_of_its_own(tmp_path: Path) -> None:
    rows = pa.table({"message_id": [f"m{n}" for n in range(len(STRANGE))], "subscription_id": STRANGE,
                     "output": pa.array([None] * len(STRANGE), pa.string())}, schema=NOTIFICATIONS)
    sink = SubscriberSink(tmp_path / "out")
    sink.open("job", NOTIFICATIONS)
    for number in (1, 1, 2):
        sink.deliver(number, rows)
    assert len({subscriber_file(name) for name in STRANGE}) == len(STRANGE)
    for number, name in enumerate(STRANGE):
        found = lines_in(tmp_path / "out" / subscriber_file(name))
        assert [row["message_id"] for row in found] == [f"m{number}"] * 2, "delivered again, a batch is there once"
    assert sorted(tmp_path.iterdir()) == [tmp_path / "out"]


def test_a_function_gets_batches_with_their_numbers(broker: xpubsub.Broker, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(4):
        (tmp_path / "in" / f"{number}.xml").write_text(f"<a><b>{number}</b></a>")
    got, dead = [], []
    broker.stream(f"dir:{tmp_path}/in", got.append, dead_letters=dead.append, max_messages=2, once=True)
    assert [batch.number for batch in got] == [1, 2] and dead == []
    assert Counter(each for batch in got for each in batch.rows["subscription_id"].to_pylist()) == {"all": 4, "big": 1}


@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
def test_dead_letters_are_replayed_once(broker: xpubsub.Broker, tmp_path: Path, kind: str) -> None:
    (tmp_path / "in").mkdir()
    texts = {"bad": b"<a>\xff</a>", "deep": b"<a><x><y><b>7</b></y></x></a>", "good": b"<a><b>1</b></a>"}
    for name, text in texts.items():
        (tmp_path / "in" / f"{name}.xml").write_bytes(text)
    (tmp_path / "in" / "gone.xml").symlink_to("nowhere")
    with xpubsub.connect(tmp_path / "s.duckdb", limits=xpubsub.Limits(max_depth=2)) as strict:
        strict.stream(f"dir:{tmp_path}/in", f"dir:{tmp_path}/out", dead_letters=f"dir:{tmp_path}/dead", format=kind,
                      once=True)
    if kind == "parquet":
        found = {row["message_id"]: row for row in pq.read_table(tmp_path / "dead").to_pylist()}
        assert {name: row["raw"] for name, row in found.items()} == {
            "bad.xml": texts["bad"], "deep.xml": texts["deep"]}
        assert found["bad.xml"]["code"] == "encoding" and found["bad.xml"]["line"] == 1
        assert found["deep.xml"]["position"] == "deep.xml" and found["deep.xml"]["stream"] == "S"
    for published in (1, 0):
        got: list[Any] = []
        figures = broker.replay(tmp_path / "dead", got.append)
        assert (figures.messages - figures.rejected, figures.rejected) == (published, 1)
        pairs = {(row["message_id"], row["subscription_id"]) for batch in got for row in batch.rows.to_pylist()}
        assert pairs == ({("deep.xml", "big"), ("deep.xml", "all")} if published else set())


def test_files_that_vanish_are_left_out_and_come_again(tmp_path: Path) -> None:
    for name in ("1.xml", "2.xml", ".hidden.xml", "other.txt"):
        (tmp_path / name).write_text("<a/>")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "3.xml").write_text("<a/>")
    source = DirectorySource(tmp_path, max_bytes=10)
    source.seek(None, ["1.xml"])
    assert source._look()
    (tmp_path / "2.xml").unlink()
    first = source.poll(10, 100, 0.0)
    assert first is not None and [message.message_id for message in first.messages] == ["sub/3.xml"]
    assert source.poll(10, 100, 0.0) is None and source.drained
    (tmp_path / "2.xml").write_text("<a/>")
    again = source.poll(10, 100, 0.0)
    assert again is not None and again.items == ["2.xml"]


def test_max_delay_forms_batches_and_is_shown(broker: xpubsub.Broker, tmp_path: Path) -> None:
    broker.subscribe("slow", "//b", max_delay="1.5h")
    broker.subscribe_many([{"id": "soon", "text": "//b", "max_delay": "50 ms"}])
    assert broker.show("soon").max_delay == "50ms" and broker.show("big").max_delay is None
    assert {row["subscription_id"]: row["max_delay"] for row in broker.list().to_pylist()} == {
        "all": None, "big": None, "slow": "1.5h", "soon": "50ms"}
    with pytest.raises(xpubsub.Error, match="another max_delay"):
        broker.subscribe("soon", "//b", max_delay="1s")
    for wrong in ("5", "0s", "-1s", "5 years", "", "1e400s"):
        with pytest.raises(xpubsub.Error):
            broker.subscribe("x", "//b", max_delay=wrong)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1.xml").write_text("<a><b>3</b></a>")
    broker.stream(f"dir:{tmp_path}/in", lambda batch: None, once=True)
    assert list(broker.delays()) == ["0.05", "5400", "any"]
    assert all(0 < half <= most < 600 for half, most in broker.delays().values())
    broker.unsubscribe(["soon"])
    broker.gc()
    assert broker.show("slow").max_delay == "1.5h"


def test_a_batch_waits_as_long_as_the_shortest_delay_allows() -> None:
    pace = Pace(1000)
    assert pace.wait(0.0) == DEFAULT_WAIT and pace.most() == 1000
    pace.shortest = 5.0
    assert pace.wait(0.0) == 5.0 and pace.wait(6.0) < 0
    pace.learn(100, 1.0)
    assert 3.0 < pace.wait(0.0) < 4.0 and pace.most() == 250
    pace.shortest = 0.001
    assert pace.wait(0.0) < 0 and pace.most() == 1


def test_batches_of_spark_wait_as_long_as_delays_allow(caplog: pytest.LogCaptureFixture) -> None:
    pace = Pace(10)
    assert pace.rest() == 0.0
    pace.shortest = 10.0
    pace.learn(5, 2.0)
    assert pace.rest() == 5.0
    source = SparkSource(None, "", once=False, max_messages=10)  # type: ignore[arg-type]
    source.committed({"batch": 0})
    source.rest(30.0)
    assert source._answers.empty(), "messages may gather"
    source.rest(0.0)
    source.rest(0.0)
    assert source._answers.get_nowait() and source._answers.empty()
    source._full = True
    for number in (1, 2):
        source.committed({"batch": number})
        source.rest(-1.0)
        assert source._answers.get_nowait(), "a full batch waits for nothing"
    assert caplog.text.count("batches of 10 messages take longer than a subscription's max_delay allows") == 1
    source.committed({"batch": 3})
    source.close()
    assert [source._answers.get_nowait() for _ in "12"] == [True, False]


def test_quantiles_of_delays() -> None:
    delays = Delays()
    delays.add("5", pa.array([n / 100 for n in range(1, 101)]).to_numpy())
    again = Delays(json.loads(json.dumps(delays.saved())))
    for share in (0.5, 0.9, 0.99):
        assert share <= again.quantile("5", share) <= 1.2 * share
    assert again.count("5") == 100


def test_metrics_are_served_while_the_job_runs(broker: xpubsub.Broker, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1.xml").write_text("<a><b>3</b></a>")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    stop, texts = threading.Event(), []

    def look(figures: Any) -> None:
        texts.append(urlopen(f"http://127.0.0.1:{port}/metrics").read().decode())
        stop.set()

    figures = broker.stream(f"dir:{tmp_path}/in", lambda batch: None, metrics=port, progress=look, stop=stop)
    assert "\nxpubsub_messages_total 1\n" in texts[0] and "\nxpubsub_notifications_total 2\n" in texts[0]
    assert 'xpubsub_delay_seconds{max_delay="any",quantile="0.99"}' in metrics_text(figures)
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(xpubsub.Error, match="port"):
        broker.stream(f"dir:{tmp_path}/in", lambda batch: None, metrics=taken.getsockname()[1])


@pytest.mark.parametrize(("source", "sink", "said"), [
    ("dir:nowhere", "-", "no such directory"), ("ftp:x", "-", "unknown source 'ftp:x'"), ("dir:", "-", "unknown source"),
    ("tcp:host", "-", "tcp:HOST:PORT"), ("tcp:host:0", "-", "from 1 to 65535"), (5, "-", "must be text"),
    ("dir:.", "ftp:x", "unknown sink"), ("dir:.", "-x", "unknown sink"), ("dir:.", 5, "must be text"),
])
def test_what_is_no_source_or_sink_is_an_error(broker: xpubsub.Broker, source: Any, sink: Any, said: str) -> None:
    with pytest.raises(xpubsub.Error, match=said):
        broker.stream(source, sink, once=True)


def test_lines_that_are_sent_again_are_left_out() -> None:
    """Each connection begins with the first line; one that breaks off in a line leaves it to the next."""
    lines = MessageLines(100, repeated=True)
    lines.skip(1)
    for sent in (b"a\nb\nc", b"", b"a\nb\nc\n\ne\n", b"", b"a\n", b"", b"a\nb\nc\n\ne\nf\n"):
        lines.add(sent)
    assert list(lines.waiting) == [(2, b"b"), (3, b"c"), (5, b"e"), (6, b"f")]


def test_a_resumed_job_of_another_source_is_refused(broker: xpubsub.Broker) -> None:
    source = ByteSource(LineServer("127.0.0.1:9"), LineReader(100, repeated=True), resume=True)
    with pytest.raises(xpubsub.Error, match="has read a source of another kind: use another checkpoint"):
        source.seek({"topic": "t", "next": {}}, [])
    with pytest.raises(xpubsub.Error, match="use --split or --resume, not both"):
        broker.stream("tcp:127.0.0.1:9", "-", split="/a/b", resume=True)
