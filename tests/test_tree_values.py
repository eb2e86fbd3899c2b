"""Values that need the tree around a node are indexed: lxml says what they are, whoever publishes."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

import xpubsub
from tests import inside
from tests.judge import pairs, verdicts
from xpubsub.jobs.publish.timing import Timings
from xpubsub.language.xpath.syntax import name_of
from xpubsub.language.xpath1.tree_values import TreeValue
from xpubsub.language.xpath1.ways import CHECKED, EVERY_MESSAGE, INDEXED, FilterReader

Connect = Callable[..., xpubsub.Broker]
NAMESPACES = {"p": "urn:p/=x?b=a%20b&c"}
FILTERS = [
    "sum(//a) > 3", "not(sum(//a) > 3)", "sum(//a) != 3", "sum(//nope) = 0", "concat(//a, '-', //b) = '1-x'", "concat(//a, //b) != ''",
    "//a + //b = 3", "//a - //b != 0", "contains(//a, //b)", "not(contains(//a, //b))", "starts-with(concat(//b, //a), 'x')",
    "//a[2] = '2'", "(//a)[2] = '2'", "(//a)[last()] > 2", "//a[position() < 3] = '3'", "//a[last()]/@k = 'z'", "//r/a[2]/following-sibling::b = 'x'",
    "//a[position() mod 2 = 0]", "//b[preceding-sibling::a]", "//b[preceding-sibling::a = '2']", "//a[not(following-sibling::a)] = '3'",
    "//a[following-sibling::b[c = 'K']]", "//a[following-sibling::*[1][self::b]]", "//c[ancestor::b]", "//c[ancestor::b/@k = 'z']",
    "//c/ancestor::b[@k = 'z']", "//c[count(ancestor::*) > 2]", "//c[../../@k = 'r']", "//a[name() = 'p:a']", "name(//*[@k]) = 'a'",
    "//a[lang('en')] = '1'", "//a[not(lang('en'))]", "count(//a | //b) > 3", "count(//a | //b) < '3'", "//a[b] = //b", "count(//a/node()) = 2",
    "//a[preceding::b]", "//a/comment()", "count(//*) = count(//a)", "string(//a[2]) = '2'", "normalize-space(//a[last()]) = '3'",
    "//p:a[preceding-sibling::p:a] = '2'", "//p:a/following::p:*/@p:k = 'v'", "sum(//p:a) = 3", "//a[sum(b) > 1]", "//a[sum(b) div count(b) = 2]",
    "local-name(//*[last()]) = 'c'", "//r[a[1] = b[1]]", "//c[../../@k = 'r' or ../../../a]",
    "//a[../../q/a = '2']", "//a[concat(b, '-', c) = 'x-']", "//a[count(//b[1]) = 1]", "//c[ancestor::r/@k = ../../@k]", "//b[ancestor::a = '1']",
    "boolean(//r[count(a) > count(b)])", "//text()[. = following::a]", "//@k[. = ../../a[2]]",
    "position() = 1", "last() = 2", "0 div 0", "1 div 0", "..", "../a", "name() = ''", "lang('en')",
]
MESSAGES = [
    "<r k='r'><a>1</a><a k='z'>2</a><b>x</b><a>3</a></r>", "<r><b>x</b><a>1</a></r>", "<r/>", "<r><a>1</a></r>", "<a><a>1<b>1</b></a><b k='z'><c/></b></a>",
    "<r xml:lang='en-US'><a>1</a><q xml:lang='fr'><a>2</a></q><b><c>K</c></b></r>", "<r><a k='1'>4<b>x</b></a><b><c>K</c></b></r>",
    """<r xmlns:q="urn:p/=x?b=a%20b&amp;c" q:k="v"><q:a>1</q:a><x/><q:a>2</q:a><q:z q:k="v"/></r>""", "<r><a/><!--c--><a><!--d-->t<?p i?></a><a><b>1</b><b>3</b></a></r>",
    "<p:a xmlns:p='urn:z'>1</p:a>", "<r><!--c--><a> 2 </a>t<![CDATA[u]]><a>x</a></r>", "<a k='r'><x><b><c>1</c></b></x><a>1</a></a>",
]
NAMED = {f"s{n}": text for n, text in enumerate(FILTERS)}
SENT = {f"m{n}": xml for n, xml in enumerate(MESSAGES)}
WANTED = verdicts(SENT, NAMED, NAMESPACES)


def found(result: xpubsub.Result) -> set[tuple[str, str]]:
    return pairs(result.notifications.to_pylist())


def told(got: set[tuple[str, str]]) -> list[tuple[str, str, bool]]:
    return sorted((NAMED[s], SENT[m], (m, s) in WANTED) for m, s in got ^ WANTED)


def way(text: str) -> str:
    return FilterReader(NAMESPACES, "xpath", xpubsub.Limits(), {}).way(text).name


def test_they_are_indexed() -> None:
    assert [text for text in FILTERS if way(text) != INDEXED] == []


@pytest.mark.parametrize(("text", "wanted"), [
    ("//a[b = 'x'][2] = 'y'", CHECKED), ("//a[contains(., 'x')][2] = 'y'", CHECKED), ("//a[following-sibling::b[c = 'x']/d]", CHECKED), ("//a[following-sibling::b = 5]/c", CHECKED),
    ("id('x')/a", CHECKED), ("//comment()", EVERY_MESSAGE), ("not(count(//a[. = 'x'] | //b) > 1)", EVERY_MESSAGE),
    ("count(//a[. = 'x'] | //b) > 1", CHECKED), (f"sum(//{'a' * 3000}) > 1", CHECKED),
])
def test_what_few_filters_would_share_is_not(text: str, wanted: str) -> None:
    assert way(text) == wanted


def test_lxml_agrees_in_batches_one_by_one_and_after_changes(connect: Connect, engine: str) -> None:
    broker = connect(engine)
    broker.subscribe_many([*NAMED.items(), ("gone", "sum(//c) = 'z'")], namespaces=NAMESPACES)
    assert told(found(broker.publish(SENT.items()))) == []
    if inside.on_spark(broker):
        assert told(found(inside.publish(broker, SENT.items(), "auto", branches_in_sql=False))) == []
        return
    for plan in ("share", "bucket"):
        assert told(found(inside.publish(broker, SENT.items(), plan, branches_in_sql=plan == "share"))) == []
    assert told({pair for each in SENT.items() for pair in found(broker.publish([each]))}) == []
    for message, xml in list(SENT.items())[::3]:
        for subscription in list(NAMED)[::5]:
            assert broker.explain(subscription, xml).matches == ((message, subscription) in WANTED)
    broker.unsubscribe(["gone"])
    broker.gc()
    assert told(found(broker.publish(SENT.items()))) == []


def test_filters_share_values(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe_many([(f"s{n}", f"//a[preceding-sibling::b > {n}]") for n in range(20)])
    broker.subscribe_many([(f"t{n}", f"sum(//a) > {n}") for n in range(20)])
    computing = inside.known(broker).cache.computing
    assert computing is not None and len(computing.linear_paths) == 2
    assert found(broker.publish([("m", "<r><b>2</b><a>3</a></r>")])) == {*(("m", f"s{n}") for n in range(2)), *(("m", f"t{n}") for n in range(3))}


@pytest.mark.parametrize("text", [
    "//a[preceding-sibling::b = 5]", "//a[following-sibling::b = 5]/c = 7", "//a[ancestor::r = 'x']", "//a[../../r = 'x'][b]", "//a[preceding::b = 1]",
    "//a[string(ancestor::r) = 'x']", "//a[//b = ../b]", "//a[sum(//b) = 1]", "//a[concat(.., 'x') = 'x']", "//a[preceding-sibling::b[1] > c]/d = 1",
])
def test_values_take_about_as_much_room_as_the_message(connect: Connect, text: str) -> None:
    broker = connect("duckdb")
    broker.subscribe("s", text)
    xml = "<q><r>" + "".join(f"<a>{n}<c/></a><b>{n}</b>" for n in range(200)) + "</r></q>"
    shredder = broker._publisher.shred([(1, "m", xml)], Timings())  # type: ignore[attr-defined]
    assert shredder.nodes().num_rows < 2000
    assert sum(len(row[4] or "") for row in shredder.rows) < 3 * len(xml)


def test_a_message_without_such_nodes_is_not_parsed_again(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    broker = connect("duckdb")
    broker.subscribe_many([("s", "//a[preceding-sibling::b]"), ("n", "not(sum(//c) > 1)"), ("t", "sum(//c) > 1")])
    monkeypatch.setattr("xpubsub.shred.tree_values.parsed_source", None)
    assert found(broker.publish([("m", "<r><b/></r>")])) == {("m", "n")}


def test_units_of_a_stream_have_values_when_they_are_complete(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe_many([("sum", "sum(//a) = 3"), ("no", "not(sum(//a) = 3)"), ("next", "//a[following-sibling::b]"), ("last", "//a[not(following-sibling::a)] = 2")])
    text = "<s><u><a>1</a><a>2</a></u><u><a>1</a><b/></u><u xmlns='urn:x'><a>3</a></u></s>"
    pieces = io.BytesIO(text.encode())
    got = [pair for result in broker.publish_stream(pieces, split="/s/*", name="d") for pair in found(result)]
    assert sorted(got) == [("d#1", "last"), ("d#1", "sum"), ("d#2", "next"), ("d#2", "no"), ("d#3", "no")]


def test_what_is_spilled_may_decide(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe_many([("some", "sum(/r/c) = 1"), ("none", "not(sum(/r/c) = 1)"), ("next", "/r/a[following-sibling::c]"), ("t", "for $b in /r/c return $b")])
    result = broker.publish([("m", "<r><a/><c>1</c></r>"), ("n", "<r><a/><c>2</c></r>")], spill=["/r/c"])
    early = {(row["message_id"], row["subscription_id"]) for row in result.notifications.to_pylist()}
    late = {(row["message_id"], row["subscription_id"]) for row in broker.complete().notifications.to_pylist()}
    filters = {(m, s) for m, s in early | late if s != "t"}
    assert filters == {("m", "some"), ("n", "none"), ("m", "next"), ("n", "next")}


@pytest.mark.parametrize("xml", [
    "<?xml version='1.0' encoding='utf-16'?><a>é<b>1</b></a>".encode("utf-16"), "\ufeff<a>é<b>1</b></a>".encode(),
    "<?xml version='1.0' encoding='iso-8859-1'?><a>é<b>1</b></a>".encode("latin-1"), "<a>é<b>1</b></a>".encode("utf-32"),
], ids=range(4))
def test_whatever_a_message_is_encoded_in(connect: Connect, xml: bytes) -> None:
    broker = connect("duckdb")
    broker.subscribe("s", "sum(//b) = 1 and //b[preceding-sibling::text() = 'é']")
    assert found(broker.publish([("m", xml)])) == {("m", "s")}


def test_helper_processes_ask_lxml_too(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe("s", "sum(//a) = 2000")
    big = {f"m{n}": f"<r>{'<a> 1 </a>' * (2000 + n % 2)}</r>" for n in range(120)}
    for _ in range(2):
        assert found(broker.publish(big.items())) == {(f"m{n}", "s") for n in range(0, 120, 2)}


def test_names_of_values_are_read_back() -> None:
    value = TreeValue("sum(/n0:a | /b['|'])", {"n0": "urn:a |=b%20"}, ("//{urn:a |%7B}a/*", "//b"))
    assert TreeValue.named(name_of(value.step.test)) == value


def test_an_explanation_shows_them(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe("s", "//p:a[preceding-sibling::p:b = 2]", namespaces={"p": "urn:p"})
    shown = str(broker.explain("s", "<r xmlns='urn:p'><b>1</b><a/></r>"))
    assert "preceding-sibling::p:b" in shown and "'1'" in shown, shown
