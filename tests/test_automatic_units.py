"""Units that the subscriptions imply: the answers are those of the whole document."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import xpubsub
from tests.test_cli import run
from tests.test_publish_stream import pairs, rejected
from xpubsub.jobs.split import automatic
from xpubsub.language.unit_paths import NoUnits, unit_paths
from xpubsub.limits import Limits

FILTERS = [
    "/r/a", "//b", "/r/a/b = 1", "/r[@x = 1]/a[b]", "/r/a[b = 1]/c", "//a[not(b)]", "/r//c/@x = 2", "//a[b]//c", "/r/*/b",
    "/r/c[contains(a, '1')]", "//b/text() = '2'", "/r/a or /r/c[b]", "/r[@x]/a[@x = 2]/b", "//a/b != 1", "/r/a//a", "/*/b",
    "/r[@y and not(@x)]//b",
]


def paths(text: str, kind: str = "filter") -> set[str]:
    return unit_paths(kind, text, {}, "xpath", "S", Limits())


@pytest.mark.parametrize(("text", "wanted"), [
    ("/r/a/b = 1", {"/r/a/b"}), ("/r/a[b]/c", {"/r/a"}), ("/r[@x]/a/@y", {"/r/a"}), ("//a[b = 1] or /r/c", {"//a", "/r/c"}),
    ("5 < /r/a", {"/r/a"}), ("/r/a[@x = 1]/b[c]", {"/r/a/b"}),
])
def test_the_units_of_filters(text: str, wanted: set[str]) -> None:
    assert paths(text) == wanted


@pytest.mark.parametrize(("text", "wanted"), [
    ("for $a in //person return $a, $a/name", "//person"),
    ("<x>{for $a in /r/person[name], $b in $a/name where $a/age > 5 return $b}</x>", "/r/person"),
    ("for $a in /r/a return <x>{for $b in $a/b where $b/c return $b}</x>", "/r/a"),
])
def test_the_units_of_transformations(text: str, wanted: str) -> None:
    assert paths(text, "transformation") == {wanted}


def test_the_units_of_correlations() -> None:
    text = "S//a AS $x [@k AS $k] FOLLOWED BY {$k = $l, INF} T/r/b[@x]/c AS $y [@k AS $l]"
    assert paths(text, "correlation") == {"//a"}
    assert unit_paths("correlation", text, {}, "xpath", "T", Limits()) == {"/r/b/c"}


@pytest.mark.parametrize(("kind", "text"), [
    ("filter", "/r"), ("filter", "//*"), ("filter", "not(/r/a)"), ("filter", "/r/a and /r/b"), ("filter", "/r[a]/b"),
    ("filter", "contains(/r/a, '1')"), ("filter", "/r/a[/r/b]"), ("filter", "//@x = 1"), ("filter", "/r/@x"),
    ("filter", "/r/a[b[//c]]"), ("filter", "'x'"),
    ("transformation", "for $a in /r/a, $b in /r/b return $a"), ("transformation", "for $a in /r/a where /r/b return $a"),
    ("transformation", "for $a in /r/a return (for $b in //b return $b)"), ("transformation", "for $a in /r return $a"),
    ("transformation", "<x>{/r/b}{for $a in /r/a return $a}</x>"),
    ("transformation", "for $a in /r/a return $a/b[/r/c]"),
])
def test_what_needs_the_whole_document(kind: str, text: str) -> None:
    with pytest.raises(NoUnits):
        paths(text, kind)


def document(rng: random.Random) -> str:
    def element(depth: int, name: str) -> str:
        attributes = "".join(f" {each}='{rng.choice('12')}'" for each in "xy" if rng.random() < 0.3)
        inner = "".join(
            element(depth + 1, rng.choice("abc")) if depth < 4 and rng.random() < 0.6 else rng.choice(["1", "2", ""])
            for _ in range(rng.randrange(4)))
        return f"<{name}{attributes}>{inner}</{name}>"

    return element(0, "r")


def test_the_answers_are_those_of_the_whole_document() -> None:
    rng = random.Random(1)
    for chosen in (FILTERS, FILTERS[:5], rng.sample(FILTERS, 4)):
        with xpubsub.connect(":memory:") as broker:
            broker.subscribe_many([(text, text) for text in chosen])
            for _ in range(12):
                text = document(rng)
                found = {subscription for _, subscription in pairs(list(broker.publish_stream([text], name="d")))}
                tree = etree.fromstring(text).getroottree()
                assert found == {each for each in chosen if tree.xpath(f"boolean({each})")}, text


def test_outputs_unit_by_unit(engine: str, connect: Callable[..., xpubsub.Broker]) -> None:
    broker = connect(engine)
    broker.subscribe("t", "for $a in /r[@v = 1]/g/a return $a/b")
    text = "<r v='1'><g><a><b>1</b></a><b/></g><g><a/><a><b>2</b></a></g></r>"
    results = list(broker.publish_stream([text], name="d"))
    rows = [(row["message_id"], row["output"]) for result in results for row in result.notifications.to_pylist()]
    assert rows == [("d#1", "<b>1</b>"), ("d#2", ""), ("d#3", "<b>2</b>")]


def test_errors_name_the_subscription() -> None:
    with xpubsub.connect(":memory:") as broker:
        with pytest.raises(xpubsub.Error, match="no subscription of the stream 'S'"):
            broker.publish_stream([])
        broker.subscribe_many([("good", "/r/a"), ("bad", "/r/a and /r/b"), ("elsewhere", "/r")])
        with pytest.raises(xpubsub.Error, match=r"split=PATH(?s:.)*bad: it joins(?s:.)*elsewhere: it looks"):
            broker.publish_stream([])
        broker.unsubscribe(["bad", "elsewhere"])
        broker.subscribe("other", "not(/r)", stream="T")
        assert list(broker.publish_stream(["<r/>"])) == []
        with pytest.raises(xpubsub.Error, match="names in split"):
            broker.publish_stream([], namespaces={"p": "u"})


def test_places_of_errors_are_those_of_the_document() -> None:
    with xpubsub.connect(":memory:", limits=xpubsub.Limits(max_depth=4)) as broker:
        broker.subscribe("s", "/r/a")
        text = "<r\n x='1'>\n <a/> <a><b><c><d></d></c></b></a></r>"
        results: Any = list(broker.publish_stream([text], name="d"))
        assert pairs(results) >= {("d#1", "s")}
        [row] = rejected(results)
        assert (row["message_id"], row["code"], row["line"], row["column"]) == ("d#2", "limit-depth", 3, 19)


def test_filters_that_differ_in_constants_are_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = []
    monkeypatch.setattr(automatic, "unit_paths", lambda *given: parsed.append(given[1]) or unit_paths(*given))
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many((f"s{n}", f"/r/a[b > {n}]/c = 'x{n}'") for n in range(50))
        broker.subscribe_many([("t", "/r/d[b = '/r/a[']"), ("u", "/r/d[b = 1]")])
        assert automatic.automatic_units(broker.store, "S", Limits()) == ["/r/a", "/r/d"]
        assert len(parsed) == 3
        broker.subscribe_many((f"w{n}", f"/r = {n}") for n in range(7))
        with pytest.raises(xpubsub.Error, match=r"w4: it looks at the whole document\n... and 2 more"):
            automatic.automatic_units(broker.store, "S", Limits())


def test_a_streaming_job_with_units_of_the_subscriptions(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "d.xml").write_text("<r><x><a k='1'><b>1</b></a></x><a/><a><b>2</b></a></r>")
    store, how = tmp_path / "s.duckdb", ("--source", f"dir:{tmp_path}/in", "--sink", "-", "--once", "--split", "auto")
    with xpubsub.connect(store) as broker:
        broker.subscribe_many([("f", "/r//a[b]"), ("g", "/r/x/a/@k")])
    done = run("stream", store, *how)
    found = {(row["message_id"], row["subscription_id"]) for row in map(json.loads, done.stdout.splitlines())}
    assert (done.exit_code, found) == (0, {("d.xml#1", "f"), ("d.xml#1", "g"), ("d.xml#3", "f")})
    assert run("stream", store, *how).exit_code == 0, "the units are the same"
    with xpubsub.connect(store) as broker:
        broker.subscribe("h", "/r/x[a]")
    done = run("stream", store, *how)
    assert (done.exit_code, "imply other units than when the job began" in done.stderr) == (2, True)
    assert run("stream", store, *how, "--namespace", "p=urn:p").exit_code == 2


@pytest.mark.parametrize(("xml", "said"), [
    ("<feed><entri><x/></entri><!-- --><head/></feed>", "d has no units: the path selects nothing. The outermost elements"
     " are /feed, /feed/entri, /feed/head, /feed/entri/x"),
    ("<feed><entry/></feed>", None), ("<feed", None), ("<feed><entry>", None),
])
def test_a_path_that_selects_nothing(xml: str, said: str | None, caplog: pytest.LogCaptureFixture) -> None:
    with xpubsub.connect(":memory:") as broker:
        list(broker.publish_stream([xml], "/feed/entry", "d"))
    assert caplog.messages == ([] if said is None else [said])
