"""Values that are computed from one node are indexed: lxml says what they are, with and without nodes."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

import xpubsub
from tests import inside
from tests.judge import pairs, verdicts
from xpubsub.language.xpath1.ways import FilterReader
from xpubsub.shred.computing import computed_paths

Connect = Callable[..., xpubsub.Broker]
FILTERS = [
    "normalize-space(//a) = 'x y'", "normalize-space(//a) != 'x y'", "//a[normalize-space() = 'x y']", "normalize-space(/) = ''",
    "not(normalize-space(//b) != '')", "//a[not(normalize-space(b))]", "//r[normalize-space(a) = normalize-space(' 1 ')]",
    "string-length(//a) = 0", "string-length(//a) = 1", "string-length(//a) <= 3", "string-length(//a) > 3", "-string-length(//a) < -1",
    "string-length(//b) < 5", "string-length(//a) * 1000000000000000000000 > 1", "1 div string-length(//b) > 5", "-1 div string-length(//b) > 5",
    "substring-after(//a, '.') = '256'", "substring-before(//a, '.') != '1'", "substring(//a, 2) = '.256'", "substring(//a, 0 div 0) = ''",
    "substring(//a, 1.5, 2.6) = '.25'", "not(string-length(substring-after(//a, '.')) <= 2)", "translate(//a, 'x ', 'y') = 'yy'",
    "concat(//a, '-', //a) = '1-1'", "//@k[concat('<', ., '>') = '<KK>']", "contains(normalize-space(//a), 'x y')",
    "starts-with(concat('q', //b), 'q')", "contains('a 1 b', concat(' ', //a, ' '))", "contains(//a, substring(//a, 2))",
    "//a + 1 = 2", "//a * 2 > 2", "//a mod 2 = 1", "//a - //a = 0", "- //a < 0", "//a[. * 10 div 4 = 2.5]", "floor(//a) = 1", "ceiling(//a) = 2",
    "round(//a) != 1", "round(-(//a)) = -1", "number(normalize-space(//a)) >= 1", "string(number(//b)) = 'NaN'", "string(//a * 1) = '1.256'",
    "string(//a div 3) = '0.333333333333333'", "number(//a) + 1 != 2", "//a[. = normalize-space(.)]", "//a[string-length(.) = . + 2]",
    "(string-length(//a) > 3) = false()", "boolean(string-length(//b) + 1)", "//text()[normalize-space() = 'x y']", "count(//a[string-length() > 1]) = 2",
    "//r[string-length(a[2]) = 3]", "//a[starts-with(normalize-space(), 'x')]/b", "/r[@k and string-length(@k) = 2]", "string-length(//@nope) = 0",
    "translate(//a, '%{}/', 'abcd') = 'abcd'", "concat(//a, '%{}/') = '1%{}/'", "string-length(//a) = string-length('1')",
]
MESSAGES = [
    "<r k='KK'><a>  x   y </a></r>", "<r><a>1.256</a><a>x y</a></r>", "<r><b/><a>1</a><a/></r>", "<r/>", "<a>x <a>y<b/></a></a>",
    "<r><a>\u00a0</a></r>", "<r><a>\U0001f600</a><a>\u00e9</a></r>", "<r><a>x\ty&#13;&#10;</a></r>", "<r><a>%{}/</a></r>", "<r><b> 7 </b><a>-0</a></r>",
    "<r><a>999999999999999999999</a></r>", "<r><a>1.0000000001</a><a>abc</a></r>", "<r k=' 1 '>x y<a>.5</a></r>", "<r><a><b>1</b>.5</a></r>",
]
NAMED = {f"s{n}": text for n, text in enumerate(FILTERS)}
SENT = {f"m{n}": xml for n, xml in enumerate(MESSAGES)}
WANTED = verdicts(SENT, NAMED, {})


def found(result: xpubsub.Result) -> set[tuple[str, str]]:
    return pairs(result.notifications.to_pylist())


def told(got: set[tuple[str, str]]) -> list[tuple[str, str, bool]]:
    return sorted((NAMED[s], SENT[m], (m, s) in WANTED) for m, s in got ^ WANTED)


def test_they_are_indexed() -> None:
    reader = FilterReader({}, "xpath", xpubsub.Limits(), {})
    assert [text for text in FILTERS if reader.way(text).name != "indexed"] == []


def test_lxml_agrees_in_batches_one_by_one_and_after_changes(connect: Connect, engine: str) -> None:
    broker = connect(engine)
    broker.subscribe_many([*NAMED.items(), ("gone", "normalize-space(//c) = 'z'")])
    assert told(found(broker.publish(SENT.items()))) == []
    if inside.on_spark(broker):
        assert told(found(inside.publish(broker, SENT.items(), "auto", branches_in_sql=False))) == []
        return
    for plan in ("share", "bucket"):
        assert told(found(inside.publish(broker, SENT.items(), plan, branches_in_sql=plan == "share"))) == []
    assert told({pair for each in SENT.items() for pair in found(broker.publish([each]))}) == []
    broker.unsubscribe(["gone"])
    broker.gc()
    assert told(found(broker.publish(SENT.items()))) == []


def test_point_lookups_compute_values(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe_many([("a", "//a[normalize-space() = 'x y']"), ("n", "//a[string-length() > 2]"), ("i", "//b[1 div string-length() > 9]")])
    assert inside.known(broker).lookup is not None
    got = {pair for each in (*SENT.items(), ("b", "<b/>")) for pair in found(broker.publish([each]))}
    texts = {"a": "//a[normalize-space() = 'x y']", "n": "//a[string-length() > 2]", "i": "//b[1 div string-length() > 9]"}
    assert got == verdicts({**SENT, "b": "<b/>"}, texts, {})


def test_constants_inside_what_is_computed_make_different_filters(connect: Connect) -> None:
    broker = connect("duckdb")
    texts = {f"s{n}": f"string-length(substring-after(//a, '{'.' * (n % 3)}')) = {n}" for n in range(6)}
    texts |= {f"t{n}": f"normalize-space(//a) = 'x{n}'" for n in range(3)} | {f"u{n}": f"string-length(//a) = {n}" for n in range(3)}
    broker.subscribe_many(texts.items())
    sent = {f"m{n}": xml for n, xml in enumerate(["<r/>", "<a>1.25</a>", "<a>..25</a>", "<a> x1 </a>", "<a>x</a>", "<a>12</a>"])}
    assert found(broker.publish(sent.items())) == verdicts(sent, texts, {})


def test_whoever_does_not_compute_pays_nothing(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe("plain", "//a = 'x'")
    assert inside.known(broker).cache.computing is None
    broker.subscribe("computed", "normalize-space(//a) = 'x'")
    assert inside.known(broker).cache.computing is not None
    assert computed_paths(["//a", "/={string(.)}", "//a/={x}/b"]) == ["/={string(.)}"]


def test_the_first_node_that_is_still_open_counts(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe("first", "normalize-space(//a) = 'y'")
    broker.subscribe("some", "//a[normalize-space() = 'y']")
    text = "<s><u><a><a>y</a>z</a></u><u><a> <a>y</a></a></u></s>"
    pieces = io.BytesIO(text.encode())
    got = [pair for result in broker.publish_stream(pieces, split="/s/*", name="d") for pair in found(result)]
    assert sorted(got) == [("d#1", "some"), ("d#2", "first"), ("d#2", "some")]


def test_a_value_of_which_a_part_is_spilled_waits(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe("whole", "normalize-space(/r) = 'x y'")
    broker.subscribe("t", "for $b in /r/b return $b")
    result = broker.publish([("m", "<r>x <b>y</b></r>")], spill=["/r/b"])
    assert ("m", "whole") not in {(row["message_id"], row["subscription_id"]) for row in result.notifications.to_pylist()}
    rest = broker.complete().notifications.to_pylist()
    assert ("m", "whole") in {(row["message_id"], row["subscription_id"]) for row in rest}


def test_helper_processes_compute_values(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe("s", "normalize-space(//a) = 'text 1'")
    big = {f"m{n}": f"<r>{f'<a> text  {n % 2} </a>' * 1000}</r>" for n in range(120)}
    for _ in range(2):
        assert found(broker.publish(big.items())) == {(f"m{n}", "s") for n in range(1, 120, 2)}


def test_an_explanation_shows_what_is_computed(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe("s", "//r[normalize-space(a) = 'x']")
    shown = str(broker.explain("s", "<r><a> y </a></r>"))
    assert "//r/a/normalize-space(.) = 'x'" in shown and "'y'" in shown, shown
    assert broker.explain("s", "<r><a> x </a></r>").matches
    assert "has no a" in str(broker.explain("s", "<r><b/></r>"))


@pytest.mark.parametrize(("text", "xml", "wanted"), [
    ("//a[lower-case(.) = 'x']", "<r><a>X</a><a>y</a></r>", True), ("lower-case(/r/@k) != 'x'", "<r/>", True),
    ("not(matches(/r/@k, '^[0-9]+$'))", "<r k='7'/>", False), ("//a[ends-with(@k, 'z')]", "<a k='yz'/>", True),
    ("//a[matches(lower-case(.), 'x.z')]", "<a>aXYZ</a>", True), ("upper-case(//a) = 'X'", "<r><a>x</a><a/></r>", False),
])
def test_functions_of_xpath_2(connect: Connect, text: str, xml: str, wanted: bool) -> None:
    broker = connect("duckdb")
    broker.subscribe("s", text)
    assert bool(broker.publish([("m", xml)]).notifications.num_rows) == wanted
    assert broker.show("s").way == ("checked" if text.startswith("upper") else "indexed")
