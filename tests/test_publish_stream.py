"""`publish_stream`: documents of any length, from every kind of source, on both engines."""

from __future__ import annotations

import gzip
import io
import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import xpubsub
from tests.test_cli import run
from xpubsub.jobs.publish.publisher import Publisher
from xpubsub.jobs.split import publishing
from xpubsub.jobs.split import sources as sources_

Connect = Callable[..., xpubsub.Broker]
FEED = ('<?xml version="1.0"?>\n<feed xmlns:p="urn:p" xml:lang="en">\n <entry n="1"><p:x>a</p:x></entry>\n'
        ' <entry n="2"/>\n <entry n="3"><entry n="4"><p:x>b</p:x></entry></entry>\n</feed>\n')
FOUND = {("d#1", "x"), ("d#3", "x"), ("d#3", "nested"), ("d#1", "copy"), ("d#1", "lang"), ("d#2", "lang"),
         ("d#3", "lang"), ("d#3", "copy")}


def subscribed(broker: xpubsub.Broker) -> xpubsub.Broker:
    broker.subscribe("x", "//p:x", namespaces={"p": "urn:p"})
    broker.subscribe("nested", "/entry/entry")
    broker.subscribe("lang", "/entry/@xml:lang = 'en'")
    broker.subscribe("copy", "for $e in /entry where $e//p:x return $e//p:x", namespaces={"p": "urn:p"})
    return broker


def pairs(results: list[xpubsub.Result]) -> set[tuple[str, str]]:
    rows = [row for result in results for row in result.notifications.to_pylist()]
    found = {(row["message_id"], row["subscription_id"]) for row in rows}
    assert len(found) == len(rows)
    return found


def rejected(results: list[xpubsub.Result]) -> list[dict[str, Any]]:
    return [row for result in results for row in result.rejected.to_pylist()]


@pytest.fixture(scope="module")
def broker() -> Iterator[xpubsub.Broker]:
    with xpubsub.connect(":memory:") as made:
        yield subscribed(made)


def test_units_are_messages(engine: str, connect: Connect) -> None:
    results = list(subscribed(connect(engine)).publish_stream([FEED], "/feed/entry", "d"))
    assert pairs(results) == FOUND
    assert rejected(results) == []
    outputs = {row["message_id"]: row["output"] for row in results[0].notifications.to_pylist() if row["output"]}
    assert outputs == {"d#1": '<p:x xmlns:p="urn:p">a</p:x>', "d#3": '<p:x xmlns:p="urn:p">b</p:x>'}


def test_a_document_that_breaks_off(engine: str, connect: Connect) -> None:
    cut = FEED[: FEED.index("</entry></entry>")]
    results = list(subscribed(connect(engine)).publish_stream(io.StringIO(cut), "/feed/entry", "d"))
    assert pairs(results) == {pair for pair in FOUND if pair[0] != "d#3"}
    [row] = rejected(results)
    assert (row["message_id"], row["code"], row["line"]) == ("d#3", "not-well-formed", 5)


KINDS = ("path", "text path", "file", "text file", "gzip", "bytes", "text", "iterator", "characters", "socket", "pipe",
         "raw pipe", "text pipe")


def sources(tmp_path: Path) -> dict[str, Callable[[], Any]]:
    path = tmp_path / "feed.xml"
    path.write_text(FEED)
    packed = tmp_path / "feed.xml.gz"
    packed.write_bytes(gzip.compress(FEED.encode()))
    return {
        "path": lambda: path, "text path": lambda: str(path), "file": lambda: path.open("rb"),
        "text file": lambda: path.open(encoding="utf-8"), "gzip": lambda: gzip.open(packed),
        "bytes": lambda: io.BytesIO(FEED.encode()), "text": lambda: io.StringIO(FEED),
        "iterator": lambda: iter([FEED[:50], FEED[50:]]), "characters": lambda: list(FEED), "socket": connected,
        "pipe": lambda: os.fdopen(piped(), "rb"), "raw pipe": lambda: os.fdopen(piped(), "rb", buffering=0),
        "text pipe": lambda: os.fdopen(piped(), "r"),
    }


def connected() -> socket.socket:
    ours, theirs = socket.socketpair()
    threading.Thread(target=lambda: (theirs.sendall(FEED.encode()), theirs.close())).start()
    return ours


def piped() -> int:
    read, write = os.pipe()
    threading.Thread(target=lambda: (os.write(write, FEED.encode()), os.close(write))).start()
    return read


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_source(kind: str, broker: xpubsub.Broker, tmp_path: Path) -> None:
    source = sources(tmp_path)[kind]()
    results = list(broker.publish_stream(source, "/feed/entry", "d"))
    assert pairs(results) == FOUND
    if hasattr(source, "close"):
        source.close()


def test_names(broker: xpubsub.Broker, tmp_path: Path) -> None:
    path = tmp_path / "feed.xml"
    path.write_text(FEED)
    assert (f"{path}#1", "x") in pairs(list(broker.publish_stream(path, "//entry")))
    with path.open("rb") as file:
        assert (f"{path}#1", "x") in pairs(list(broker.publish_stream(file, "//entry")))
    one, other = (pairs(list(broker.publish_stream([FEED], "//entry"))) for _ in range(2))
    assert not one & other
    assert all(message_id.startswith("stream-2") for message_id, _ in one)


def test_what_is_there_is_published_at_once(broker: xpubsub.Broker) -> None:
    ours, theirs = socket.socketpair()
    theirs.sendall(FEED[: FEED.index("<entry n=\"2\"/>") + 3].encode())
    results = broker.publish_stream(ours, "/feed/entry", "d")
    assert pairs([next(results)]) == {("d#1", "x"), ("d#1", "copy"), ("d#1", "lang")}
    theirs.sendall(FEED[FEED.index("<entry n=\"2\"/>") + 3 : FEED.index("</feed>")].encode())
    assert pairs([next(results)]) == {pair for pair in FOUND if pair[0] != "d#1"}
    theirs.sendall(b"</feed>")
    theirs.close()
    assert list(results) == []
    ours.close()


def test_a_source_that_fails(broker: xpubsub.Broker) -> None:
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            data = super().read(size)
            if not data:
                raise ConnectionResetError(104, "Connection reset by peer")
            return data

    results = list(broker.publish_stream(Failing(FEED[:100].encode()), "/feed/entry", "d"))
    assert pairs(results) == {("d#1", "x"), ("d#1", "copy"), ("d#1", "lang")}
    assert rejected(results) == [{"message_id": "d#2", "code": "unreadable", "reason": "Connection reset by peer",
                                  "line": None, "column": None}]


def test_large_documents_are_published_in_batches(broker: xpubsub.Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = (f'<entry n="{n}"><p:x>{n}</p:x></entry>' for n in range(1, 1001))
    text = f'<feed xmlns:p="urn:p">{"".join(entries)}</feed>'
    read: list[int] = []
    results = list(broker.publish_stream(io.StringIO(text), "//entry", "d", batch_size=300, progress=read.append))
    assert [result.notifications.num_rows for result in results] == [600, 600, 600, 200]
    assert read == [300, 300, 300, 100]
    monkeypatch.setattr(publishing, "BATCH_BYTES", 10_000)
    monkeypatch.setattr(sources_, "FILE_CHUNK", 5_000)
    results = list(broker.publish_stream(io.StringIO(text), "//entry", "d"))
    assert len(results) == 3
    assert sum(result.notifications.num_rows for result in results) == 2000


def test_rejected_units_have_the_places_of_the_document() -> None:
    with xpubsub.connect(":memory:", limits=xpubsub.Limits(max_depth=3, max_bytes=200)) as broker:
        broker.subscribe("s", "//b")
        text = "<r xmlns:p='urn:p'>\n<a><b/></a> <a><b>\n<c><d></d></c></b></a><a><b/></a>"
        text += f"<a>{'x' * 300}</a></r>"
        results = list(broker.publish_stream([text], "/r/a", "d"))
        assert pairs(results) == {("d#1", "s"), ("d#3", "s")}
        first, second = rejected(results)
        assert (first["message_id"], first["code"], first["line"], first["column"]) == ("d#2", "limit-depth", 3, 7)
        assert (second["message_id"], second["code"], second["line"], second["column"]) == ("d#4", "limit-bytes", 3, 34)


def test_correlations_join_units(engine: str, connect: Connect) -> None:
    broker = connect(engine)
    broker.subscribe("c", "S//a AS $x [@k AS $k] FOLLOWED BY {$k = $l, INF} S//b AS $y [@k AS $l]")
    results = list(broker.publish_stream(["<r><a k='1'/>", "<b k='2'/>", "<b k='1'/></r>"], "/r/*", "d"))
    assert pairs(results) == {("d#3", "c")}


@pytest.mark.parametrize(("arguments", "words"), [
    ((b"<r/>", "//a"), r"write \[data\]"),
    ((5, "//a"), "not int"),
    (("/no/such/file.xml", "//a"), "is not a file"),
    (([], ""), "split is empty"),
    (([], "//a", ""), "name of a document is empty"),
    (([], "//z:a"), "namespaces="),
    (([], "//a[1]"), "not supported"),
    (([], 7), "must be a str"),
])
def test_bad_arguments(broker: xpubsub.Broker, arguments: tuple[Any, ...], words: str) -> None:
    with pytest.raises(xpubsub.Error, match=words):
        broker.publish_stream(*arguments)
    with pytest.raises(xpubsub.Error, match="at least 1"):
        broker.publish_stream([], "//a", batch_size=0)
    with pytest.raises(xpubsub.Error, match="no plan"):
        broker.publish_stream([], "//a", plan="none")


def test_a_chunk_of_another_type(broker: xpubsub.Broker) -> None:
    with pytest.raises(xpubsub.Error, match="bytes or str"):
        list(broker.publish_stream([1], "//a"))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("split") / "subs.duckdb"
    with xpubsub.connect(path) as broker:
        subscribed(broker)
    return path


def test_the_command(store: Path, tmp_path: Path) -> None:
    feed, broken = tmp_path / "feed.xml", tmp_path / "broken.xml"
    feed.write_text(FEED)
    broken.write_text(FEED.replace("<entry n=\"2\"/>", "<entry n=\"2\">"))
    done = run("publish", store, feed, "--split", "/feed/entry", "--timings")
    lines = {tuple(line.split("\t")[:2]) for line in done.stdout.splitlines()[1:]}
    assert lines == {(message_id.replace("d#", f"{feed}#"), subscription) for message_id, subscription in FOUND}
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (0, "3 messages, 8 notifications, 0 rejected")
    assert "14 tokens in units, 2.29 tokens buffered on average" in done.stderr
    done = run("publish", store, feed, broken, feed, "--split", "/feed/entry")
    assert done.exit_code == 1
    assert f"rejected {broken}#2:6:3: mismatched tag [not-well-formed]" in done.stderr
    assert f"rejected {feed}: the file is given twice [duplicate-id]" in done.stderr
    assert done.stderr.splitlines()[-1] == "6 messages, 11 notifications, 2 rejected"


def test_the_command_reads_standard_input(store: Path) -> None:
    done = run("publish", store, "-", "--split", "/feed/entry", stdin=FEED)
    ids = sorted({line.split("\t")[0].rpartition("#")[2] for line in done.stdout.splitlines()[1:]})
    assert (done.exit_code, ids) == (0, ["1", "2", "3"])
    assert done.stdout.splitlines()[1].startswith("stdin-2")


@pytest.mark.parametrize(("arguments", "words"), [
    (("--split", "/feed/entry[1]"), "at line 1, column 12"),
    (("--split", "/z:feed"), "z"),
    (("--namespace", "p=urn:p"), "--split"),
    (("--split", "//a", "--file-times"), "--file-times"),
])
def test_wrong_usage(store: Path, tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    feed = tmp_path / "feed.xml"
    feed.write_text(FEED)
    done = run("publish", store, feed, *arguments)
    assert done.exit_code == 2
    assert words in done.stderr
    assert run("publish", store, feed, "--split", "//p:x", "--namespace", "p=urn:p").exit_code == 0


def test_a_file_that_cannot_be_read(store: Path, tmp_path: Path) -> None:
    (tmp_path / "gone.xml").symlink_to("nowhere")
    done = run("publish", store, tmp_path, "--split", "//a")
    assert (done.exit_code, "[unreadable]" in done.stderr) == (1, True)


def test_batches_are_published_in_order_while_the_next_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Spark, where other processes match: the results are the same, and come in the same order."""
    path = tmp_path / "d.xml"
    path.write_text("<r>" + "".join(f"<e n='{n}'/>" for n in range(95)) + "</x>")
    published = list[str]()
    plain = Publisher.publish

    def publish(publisher: Publisher, batch: Any, beside: Any = None) -> xpubsub.Result:
        published.append(threading.current_thread().name)
        if len(published) > 11:
            raise xpubsub.EngineError("lost", step="partition")
        return plain(publisher, batch, beside)

    monkeypatch.setattr(Publisher, "ON_SPARK", True)
    monkeypatch.setattr(Publisher, "publish", publish)
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("s", "/e/@n >= 0")
        cut = list[int]()
        results = list(broker.publish_stream(path, "/r/e", "d", batch_size=10, progress=cut.append))
        found = [row["message_id"] for each in results for row in each.notifications.to_pylist()]
        assert found == [f"d#{n}" for n in range(1, 96)] and sum(cut) == 96
        assert [row["message_id"] for row in rejected(results)] == ["d#96"]
        assert {name.rpartition("_")[0] for name in published} == {"xpubsub-units"} and len(published) == 10
        abandoned = broker.publish_stream(path, "/r/e", "d", batch_size=50)
        with pytest.raises(xpubsub.EngineError, match="lost"):
            list(abandoned)
        assert not [each for each in threading.enumerate() if each.name.startswith("xpubsub-units")]
