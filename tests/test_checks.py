"""Filters that lxml decides: wherever messages come from, whatever they are encoded in, and what is told of them."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import xpubsub
from tests import inside
from tests.judge import judge, pairs, verdicts
from xpubsub.cli import program
from xpubsub.jobs.publish.early import Early
from xpubsub.jobs.publish.messages import Batch
from xpubsub.jobs.publish.timing import Timings
from xpubsub.match.filter_checks import parsed_source
from xpubsub.rows import OPEN_NODE
from xpubsub.shred.open_units import EVENT_ID, OpenNodes

Connect = Callable[..., xpubsub.Broker]
SUBSCRIBED = {
    "counted": "count(//a[. != 'z'] | //b) > 1", "second": "//a = 'y' and not(id('q'))", "plain": "//a = 'x'", "alike": "//a = //b",
    "none": "not(count(//a[. != 'z'] | //b) > 1)", "either": "//c or //a[. != 'z'][last()] = 'y'",
}
MESSAGES = {
    "m1": "<r><a>x</a><a>y</a><b>y</b></r>", "m2": "<r><a>x</a></r>", "m3": "<r><b>x</b></r>", "m4": "<r><c/><a>y</a></r>",
}
WANTED = {(m, s) for m, xml in MESSAGES.items() for s, text in SUBSCRIBED.items() if judge(text, xml)}


def found(result: xpubsub.Result) -> set[tuple[str, str]]:
    return pairs(result.notifications.to_pylist())


def test_in_batches_one_by_one_and_after_changes(connect: Connect, engine: str) -> None:
    broker = connect(engine)
    broker.subscribe_many(SUBSCRIBED.items())
    broker.subscribe("elsewhere", "count(//a[. != 'z'] | //b) > 1", stream="T")
    assert found(broker.publish(MESSAGES.items())) == WANTED
    if inside.on_spark(broker):
        assert found(broker.publish(MESSAGES.items(), plan="sql")) == WANTED
    else:
        assert {pair for message in MESSAGES.items() for pair in found(broker.publish([message]))} == WANTED
    assert found(broker.publish(MESSAGES.items(), stream="T")) == {("m1", "elsewhere")}
    broker.unsubscribe(["counted", "none"])
    left = {pair for pair in WANTED if pair[1] not in ("counted", "none")}
    assert found(broker.publish(MESSAGES.items())) == left
    assert broker.gc()["query_check"] == 1, "the check of `elsewhere` is that of `counted`"
    assert found(broker.publish(MESSAGES.items())) == left


def test_point_lookups_ask_lxml(connect: Connect) -> None:
    broker = connect("duckdb")
    plain = {key: text for key, text in SUBSCRIBED.items() if key in ("second", "none", "plain", "alike")}
    broker.subscribe_many(plain.items())
    broker.subscribe("elsewhere", "//a = 'y' and not(id('q'))", stream="T")
    assert inside.known(broker).lookup is not None
    got = {pair for message in MESSAGES.items() for pair in found(broker.publish([message]))}
    assert got == {pair for pair in WANTED if pair[1] in plain}
    assert found(broker.publish([("m1", MESSAGES["m1"])], stream="T")) == {("m1", "elsewhere")}
    broker.unsubscribe(["second"])
    broker.subscribe("second", "//a = 'y' and id('q')")
    assert found(broker.publish([("m1", MESSAGES["m1"])])) == {
        pair for pair in WANTED if pair[1] in plain and pair[0] == "m1" and pair[1] != "second"}


@pytest.mark.spark
def test_frames_are_checked_by_the_workers(connect: Connect) -> None:
    broker = connect("spark")
    broker.subscribe_many(SUBSCRIBED.items())
    frame = broker._publisher._sessions.session.createDataFrame(list(MESSAGES.items()), "id string, xml string")  # type: ignore[attr-defined]
    assert {tuple(row)[:2] for row in broker.publish_frame(frame).collect()} == WANTED
    assert {tuple(row)[:2] for row in broker.publish_frame(frame, plan="sql").collect()} == WANTED


def test_helper_processes_give_the_messages_back(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe("s", "count(//a | //b) = 2000")
    big = {f"m{n}": f"<r>{'<a>text</a>' * (2000 + n % 2)}</r>" for n in range(120)}
    for _ in range(2):
        assert found(broker.publish(big.items())) == {(f"m{n}", "s") for n in range(0, 120, 2)}


def test_lxml_works_on_several_messages_at_a_time(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xpubsub.match.filter_checks.WORTH_THREADS", 10)
    monkeypatch.setattr("xpubsub.match.filter_checks.WORTH_TURNS", 0)
    monkeypatch.setattr("xpubsub.match.filter_checks.cores", lambda: 3)
    broker = connect("duckdb")
    broker.subscribe_many(SUBSCRIBED.items())
    sent = [(f"{name}-{n}", xml) for n in range(30) for name, xml in MESSAGES.items()]
    for _ in range(2):
        assert found(broker.publish(sent)) == {(f"{m}-{n}", s) for m, s in WANTED for n in range(30)}
    assert broker.show("none").candidates == 2 * len(sent)


@pytest.mark.parametrize("xml", [
    "<?xml version='1.0' encoding='utf-16'?><a>é</a>".encode("utf-16"),
    "<?xml version='1.0' encoding='iso-8859-1'?><a>é</a>".encode("latin-1"),
    "<?xml version='1.0' encoding='cp1252'?><a>é</a>".encode("cp1252"), "<?xml version='1.0' encoding='ascii'?><a>é</a>",
    "\ufeff<a>é</a>", "\ufeff<a>é</a>".encode(), "<a>é</a>".encode("utf-32"), "<!DOCTYPE a SYSTEM 'no.dtd'><a>é</a>",
    "<!DOCTYPE a [<!ATTLIST a x CDATA 'y'>]><a>é</a>", "<a xmlns:p='%%'>é</a>", "<a xml:space='no'>é</a>",
], ids=range(11))
def test_what_our_reader_reads_lxml_reads(connect: Connect, xml: str | bytes) -> None:
    broker = connect("duckdb")
    broker.subscribe("s", "string-length(/a) = 1 and translate(/a, 'é', 'e') = 'e' and count(//@*) < 2")
    result = broker.publish([("m", xml)])
    assert (result.rejected.num_rows, found(result)) == (0, {("m", "s")})


def test_lxml_opens_nothing(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("secret")
    source = f"<!DOCTYPE a [<!ENTITY e SYSTEM '{tmp_path / 'x.txt'}'>]><a>&e;</a>".encode()
    tree = parsed_source(source)
    assert tree is not None and "secret" not in "".join(tree.getroot().itertext())


def test_units_of_a_stream_are_checked_when_they_are_complete(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe("two", "count(//a | //b) = 2")
    broker.subscribe("sure", "//a")
    text = "<s><u><a/><a/></u><u><a/><a/><a/></u><u xmlns='urn:x'><a/></u></s>"
    pieces = io.BytesIO(text.encode())
    got = [pair for result in broker.publish_stream(pieces, split="/s/*", name="d") for pair in found(result)]
    assert sorted(got) == [("d#1", "sure"), ("d#1", "two"), ("d#2", "sure")]


def test_early_output_waits_for_lxml(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe("two", "//a/b and not(id('q'))")
    broker.subscribe("sure", "//a")
    known = inside.known(broker)
    shredder = broker._publisher.shred([(EVENT_ID, "m", "<u><a/><a/></u>")], Timings())  # type: ignore[attr-defined]
    plan = broker._publisher.plan(Batch((), "S").request)
    assert known.summary.checks == 1
    assert found(Early("m", OpenNodes(shredder.nodes(), OPEN_NODE.empty_table()), Batch((), "S")).result(plan)) == {("m", "sure")}


def test_what_compares_a_number_of_nodes_with_no_number_is_false(connect: Connect) -> None:
    """So that its not() is true: `<=` and `>` are no opposites then."""
    texts = [f"not(count(//a) {op} {right})" for op in ("=", "!=", "<", "<=", ">", ">=") for right in ("'x'", "//b", "'1'", "2")]
    messages = {"none": "<r/>", "two": "<r><a/><a/></r>", "text": "<r><a/><b>x</b></r>", "three": "<r><a/><b>3</b></r>"}
    expressions = {f"s{n}": text for n, text in enumerate(texts)}
    broker = connect("duckdb")
    broker.subscribe_many(list(expressions.items()))
    found = pairs(broker.publish(list(messages.items())).notifications.to_pylist())
    assert found == verdicts(messages, expressions, {})


def test_the_way_is_named(connect: Connect) -> None:
    broker = connect("duckdb")
    told = broker.subscribe_many(SUBSCRIBED.items()).warnings
    ways = {row["subscription_id"]: row["way"] for row in broker.list().to_pylist()}
    assert ways == {"counted": "checked", "second": "checked", "none": "every message", "plain": "indexed",
                    "alike": "indexed", "either": "checked"}
    assert broker.show("none").way == "every message"
    assert [each.partition(": ")[0] for each in told if ": every message: " in each] == ["none"]
    stats = broker.stats()
    assert (stats["filters that lxml checks"], stats["filters that lxml checks on every message"]) == (3, 1)


def test_what_checks_cost_is_shown(tmp_path: Path) -> None:
    path = str(tmp_path / "s.duckdb")
    with xpubsub.connect(path) as broker:
        broker.subscribe_many(SUBSCRIBED.items())
        assert broker.show("counted").candidates is None
        broker.publish(MESSAGES.items())
        assert (broker.show("counted").candidates, broker.show("none").candidates, broker.show("plain").candidates) == (4, 4, None)
        broker.publish([("m5", MESSAGES["m1"])])
        broker.subscribe("other", "//q")
        broker.publish([("m6", MESSAGES["m1"])])
    with xpubsub.connect(path, read_only=True) as broker:
        costs = {row["subscription_id"]: row["candidates"] for row in broker.list().to_pylist()}
        assert (costs["counted"], costs["none"], costs["plain"]) == (6, 6, None)
        stats = broker.stats()
        assert stats["candidates that lxml checked"] == sum(filter(None, costs.values()))
        assert 0 < stats["candidates that matched"] < stats["candidates that lxml checked"]
        assert broker.show("counted").seconds > 0
    shown = CliRunner().invoke(program, ["show", path, "counted"]).output
    assert "cost   6 candidates, " in shown, shown
    with xpubsub.connect(path) as broker:
        broker.unsubscribe(["none"])
        broker.gc()
        assert broker.show("counted").candidates == 6
        assert broker.stats()["candidates that lxml checked"] < stats["candidates that lxml checked"]


def test_an_explanation_says_what_lxml_decides(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.subscribe_many(SUBSCRIBED.items())
    for (message, xml), (subscription, text) in ((m, s) for m in MESSAGES.items() for s in SUBSCRIBED.items()):
        explanation = broker.explain(subscription, xml)
        assert explanation.matches == ((message, subscription) in WANTED), (text, xml, str(explanation))
    assert "lxml evaluates the whole expression to false" in str(broker.explain("counted", MESSAGES["m2"]))
    assert "no such node" in str(broker.explain("counted", "<r/>"))


def test_strict_refuses_what_is_not_indexed(connect: Connect) -> None:
    broker = connect("duckdb")
    with pytest.raises(xpubsub.UnsupportedError, match="count"):
        broker.subscribe("counted", "count(//a[. != 'z'] | //b) > 1", strict=True)
    with pytest.raises(xpubsub.RowErrors) as caught:
        broker.subscribe_many(SUBSCRIBED.items(), strict=True)
    assert [row["subscription_id"] for row in caught.value.rows] == ["counted", "second", "none", "either"]
    broker.subscribe("union", "//a | //b", strict=True)
    assert broker.show("union").way == "indexed"


def test_variables(connect: Connect, engine: str) -> None:
    broker = connect(engine)
    broker.subscribe("text", "//p > $x", variables={"x": "5"})
    broker.subscribe_many([
        {"id": "place", "text": "//p[$n] = '9'", "variables": {"n": 2}},
        {"id": "list", "text": "//p = $of", "variables": '{"of": ["7", 8]}'},
        {"id": "none", "text": "//p = $of", "variables": {"of": []}}, {"id": "call", "text": "//p = $n"},
    ], variables={"n": 3.0})
    got = found(broker.publish([("m1", "<a><p>7</p><p>9</p></a>"), ("m2", "<a><p>3</p></a>")]))
    assert got == {("m1", "text"), ("m1", "place"), ("m1", "list"), ("m2", "call")}
    assert broker.show("list").variables == {"of": ["7", 8]}
    assert {row["subscription_id"]: row["variables"] for row in broker.list().to_pylist()}["place"] == '{"n": 2}'
    assert broker.explain("place", "<a><p>7</p><p>9</p></a>").matches


def test_lists_are_bound_by_a_column_of_any_table(connect: Connect, tmp_path: Path) -> None:
    rows = tmp_path / "rows"
    rows.mkdir()
    written, text = '{"of": ["7", 8]}', "//p = $of"
    quoted = written.replace('"', '""')
    (rows / "a.csv").write_text(f'id,text,variables\na,{text},"{quoted}"\n')
    (rows / "b.tsv").write_text(f"id\ttext\tvariables\nb\t{text}\t{written}\n")
    (rows / "c.jsonl").write_text(f'{{"id": "c", "text": "{text}", "variables": {written}}}\n')
    pq.write_table(pa.table({"id": ["d"], "text": [text], "variables": [written]}), rows / "d.parquet")
    pq.write_table(pa.table({"id": ["e"], "text": [text], "variables": [{"of": ["7", "8"]}]}), rows / "e.parquet")
    broker = connect("duckdb")
    for path in sorted(rows.iterdir()):
        broker.subscribe_many(str(path))
    broker.subscribe_many(pa.table({"id": ["f"], "text": [text], "variables": [written]}))
    broker.subscribe_many([("g", text)], variables={"of": ("7", 8)})
    assert found(broker.publish([("m", "<r><p>8</p></r>"), ("n", "<r><p>9</p></r>")])) == {("m", name) for name in "abcdefg"}


@pytest.mark.parametrize(("variables", "reason"), [
    ({"x": None}, "must be a str, a number"), ({"x": float("nan")}, "not nan"), ({"x": {}}, "not dict"),
    ({"x": [[]]}, "not list"), (["x"], "must map names"), ({1: "x"}, "must be a str"), ({}, "not bound"),
])
def test_wrong_variables(connect: Connect, variables: object, reason: str) -> None:
    with pytest.raises(xpubsub.Error, match=reason):
        connect("duckdb").subscribe("s", "//a = $x", variables=variables)  # type: ignore[arg-type]


def test_the_shell_binds_variables_and_names_ways(tmp_path: Path) -> None:
    store, run = str(tmp_path / "s.duckdb"), CliRunner()
    made = run.invoke(program, ["subscribe", store, "--id", "s", "count(//p[. != 'z']) > $n and not(id($n))", "--variable", "n=1"])
    assert made.exit_code == 0, made.output
    shown = run.invoke(program, ["show", store, "s"]).output
    assert "way    checked" in shown and "value  $n=1" in shown
    refused = run.invoke(program, ["subscribe", store, "--id", "t", "count(//p[. = 1] | //q) > 1", "--strict"])
    assert refused.exit_code == 2 and "count()" in refused.output
    assert run.invoke(program, ["subscribe", store, "--id", "t", "//p", "--variable", "n"]).exit_code == 2
    out = str(tmp_path / "all.jsonl")
    assert run.invoke(program, ["list", store, "--output", out]).exit_code == 0
    copied = run.invoke(program, ["subscribe", str(tmp_path / "copy.duckdb"), "--from", out])
    assert copied.exit_code == 0 and "subscribed 1" in copied.output, copied.output
