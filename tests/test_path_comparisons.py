"""Comparisons of two paths within a message are indexed: lxml says when they hold."""

from __future__ import annotations

import io
from collections.abc import Callable

import xpubsub
from tests import inside
from tests.judge import pairs, verdicts
from xpubsub.language.xpath1.ways import FilterReader
from xpubsub.shred.path_comparisons import PathComparison, Side, Values, holds

Connect = Callable[..., xpubsub.Broker]
NAMESPACES = {"p": "urn:p/=x?b=a%20b"}
FILTERS = [
    "//a = //b", "//a != //b", "//a > //b", "//a <= //b", "not(//a = //b)", "//a[b = ../c]", "//a[b != c]", "//a[. = ../c]", "//a[@x < ../@y]",
    "//a[b >= ../../c]", "//a[not(b = ../c)]", "//a[.//b = /r/c]", "//b[. = ../../c/text()]", "//@x[. = ../b]", "(//a | //b) = //c",
    "/r[a = c]", "/r[a != a]", "count(//a[b = ../c]) = 1", "/r/a = /r/a/b", "//a[b = //c][@x]", "//a[b = ../c or c = ../b]/@x = 2",
    "//a//b = //a/b", "//p:a = //a", "//p:a[p:b = ../p:c]", "//a[../../c = b]", "//a[../c = ../b]", "string(//a[b != ../c]) = '1'",
    "//text()[. = ../../c]", "//a[@* = b]", "//a[(b | c) = ../c]", "//a = //a[b]", "/ = //b",
]
MESSAGES = [
    "<r><a>1<b>1</b></a><c>1</c></r>", "<r y='3'><a x='2'><b>x</b></a><c>x</c><c>2</c></r>", "<r><b/><a/></r>", "<r/>", "<r><b>1</b></r>",
    "<r><c>5</c><a><c>7</c><a><b>5</b></a></a></r>", "<r><a><b>1</b></a><a><b>2</b></a><c>2</c><b>2</b></r>", "<a><a><a><b>1</b></a><c>1</c></a></a>",
    "<r xmlns:q='urn:p/=x?b=a%20b'><q:a><q:b>1</q:b></q:a><a>1</a><q:c>1</q:c></r>", "<r y=' 3 '><a x='3.0'>NaN</a><b>NaN</b></r>",
]
NAMED = {f"s{n}": text for n, text in enumerate(FILTERS)}
SENT = {f"m{n}": xml for n, xml in enumerate(MESSAGES)}
WANTED = verdicts(SENT, NAMED, NAMESPACES)


def found(result: xpubsub.Result) -> set[tuple[str, str]]:
    return pairs(result.notifications.to_pylist())


def told(got: set[tuple[str, str]]) -> list[tuple[str, str, bool]]:
    return sorted((NAMED[s], SENT[m], (m, s) in WANTED) for m, s in got ^ WANTED)


def test_they_are_indexed() -> None:
    reader = FilterReader(NAMESPACES, "xpath", xpubsub.Limits(), {})
    assert [text for text in FILTERS if reader.way(text).name != "indexed"] == ["/ = //b"]


def test_lxml_agrees_in_batches_and_one_by_one(connect: Connect, engine: str) -> None:
    broker = connect(engine)
    broker.subscribe_many(NAMED.items(), namespaces=NAMESPACES)
    assert told(found(broker.publish(SENT.items()))) == []
    if inside.on_spark(broker):
        assert told(found(inside.publish(broker, SENT.items(), "auto", branches_in_sql=False))) == []
        return
    assert told(found(inside.publish(broker, SENT.items(), "share", branches_in_sql=False))) == []
    assert told({pair for each in SENT.items() for pair in found(broker.publish([each]))}) == []
    for message, xml in SENT.items():
        for subscription in ("s0", "s5", "s10", "s23"):
            assert broker.explain(subscription, xml).matches == ((message, subscription) in WANTED)
    assert "//p:a[./p:b = ../p:c] = 'true'" in str(broker.explain("s23", MESSAGES[8]))


def test_a_rejected_message_leaves_nothing_behind(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe("s", "//a = //b")
    result = broker.publish([("m1", "<r><a>1</a>"), ("m2", "<r><b>1</b></r>"), ("m3", "<r><b>1</b><a>1</a></r>")])
    assert (found(result), result.rejected.num_rows) == ({("m3", "s")}, 1)


def test_units_of_a_stream_are_compared_when_they_are_complete(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe_many([("s", "//a = //b"), ("n", "//a[not(. = ../b)]"), ("f", "contains(//a[not(. = ../b)], '1')")])
    text = "<s><u><a>1</a><b>1</b></u><u><a>1</a><b>2</b></u></s>"
    pieces = io.BytesIO(text.encode())
    got = [pair for result in broker.publish_stream(pieces, split="/s/*", name="d") for pair in found(result)]
    assert sorted(got) == [("d#1", "s"), ("d#2", "f"), ("d#2", "n")]


def test_what_is_spilled_may_decide(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe_many([("same", "/r[a = c]"), ("other", "/r[not(a = c)]"), ("t", "for $b in /r/c return $b")])
    result = broker.publish([("m", "<r><a>1</a><c>1</c></r>"), ("n", "<r><a>1</a><c>2</c></r>")], spill=["/r/c"])
    rows = [*result.notifications.to_pylist(), *broker.complete().notifications.to_pylist()]
    assert {(row["message_id"], row["subscription_id"]) for row in rows} >= {("m", "same"), ("n", "other")}
    assert not {("m", "other"), ("n", "same")} & {(row["message_id"], row["subscription_id"]) for row in rows}


def test_sides_and_sets() -> None:
    assert PathComparison.of("./{a b}c != ../..//d") == PathComparison(Side(0, "/{a b}c"), "!=", Side(2, "//d"))
    assert PathComparison.of(". <= /a") == PathComparison(Side(0, ""), "<=", Side(None, "/a"))
    assert not holds("!=", Values(["x"]), Values(["x"])) and holds("!=", Values(["x", "y"]), Values(["x"]))
    assert not holds("<", Values(["x"]), Values(["1"])) and holds(">", Values(["2", "x"]), Values(["1", "3"]))
