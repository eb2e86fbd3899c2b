"""Reference data: lxml judges, on messages to which the columns were added by hand."""

from __future__ import annotations

import datetime
import json
import random
import re
import threading
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from click.testing import CliRunner
from lxml import etree

import xpubsub
from tests import inside
from tests.streaming_job import StreamingJob
from xpubsub.cli.program import program
from xpubsub.remote import RemoteBroker
from xpubsub.step import whole

Connect = Callable[..., xpubsub.Broker]
REF = "urn:xpubsub:reference"
SUPPLIERS = pa.table({"party_id": ["p1", "p2", "p3"], "risk": ["high", "low", None], "limit": [500, 2000, 70]})
KEYS = {"key": "//party/id", "on": "party_id"}


def pairs(result: xpubsub.Result) -> set[tuple[str, str]]:
    return {(row["message_id"], row["subscription_id"]) for row in result.notifications.to_pylist()}


def enriched(xml: str, tables: list[tuple[str, str, dict[str, dict[str, str]]]]) -> Any:
    """A message with the columns that a path of keys, as lxml reads it, brings to elements."""
    tree = etree.fromstring(xml)
    for path, attribute, rows in tables:
        for element in tree.xpath(path):
            key = element.get(attribute) if attribute else element.xpath("string()")
            for column, value in rows.get(key, {}).items():
                if f"{{{REF}}}{column}" not in element.attrib:
                    element.set(f"{{{REF}}}{column}", value)
    return etree.ElementTree(tree)


VALUES = ("k1", "k2", "k3", "k9", " k1", "5")
ROWS = {"k1": {"risk": "high", "n": "5"}, "k2": {"risk": "low"}, "k3": {"n": "7.5"}, "5": {"risk": "5", "n": "-1"}}
OTHER = {"k1": {"size": "9"}, "k3": {"size": "1"}}


def table_of(rows: dict[str, dict[str, str]], columns: tuple[str, ...]) -> pa.Table:
    return pa.table({"key": list(rows), **{each: pa.array([row.get(each) for row in rows.values()], pa.string()) for each in columns}})


def drawn_message(draw: random.Random, depth: int = 3) -> str:
    name = draw.choice("abc")
    attribute = f' k="{draw.choice(VALUES)}"' if draw.random() < 0.4 else ""
    inside_it = "".join(drawn_message(draw, depth - 1) for _ in range(draw.randrange(3))) if depth else ""
    return f"<{name}{attribute}>{inside_it or draw.choice(VALUES)}</{name}>"


def drawn_filter(draw: random.Random) -> str:
    column = draw.choice(("@ref:risk", "@ref:n", "@ref:size"))
    test = draw.choice(("{0} = 'high'", "{0} > 4", "{0}", "not({0})", "{0} != 'low'", "contains({0}, 'i')", "{0} < 8 and @k",
                        "{0} = 'high' or {0} = 5", "string-length({0}) = 3", "{0} = ../@k", "count({0} | @k) = 2", "{0} + 1 = 6"))
    condition = test.format(column)
    path = draw.choice(("//a", "//b", "/a/b", "//*", "//a//c", "/*/a"))
    return draw.choice(("{0}[{1}]", "not({0}[{1}])", "{0}[{1}]/b", "{0}[b][{1}]", "{0}[{1}] = 'k1'", "count({0}[{1}]) > 1")).format(path, condition)


@pytest.mark.parametrize("seed", range(3))
def test_filters_agree_with_lxml(connect: Connect, seed: int) -> None:
    draw = random.Random(seed)
    broker = connect("duckdb")
    broker.reference("first", table_of(ROWS, ("risk", "n")), key="//a", on="key")
    broker.reference("second", table_of(OTHER, ("size",)), key="//b/@k", on="key")
    filters = {f"f{number}": drawn_filter(draw) for number in range(60)}
    broker.subscribe_many(filters.items())
    messages = {f"m{number}": drawn_message(draw) for number in range(40)}
    tables = [("//a", "", ROWS), ("//b[@k]", "k", OTHER)]
    trees = {name: enriched(xml, tables) for name, xml in messages.items()}
    wanted = {(m, f) for f, text in filters.items() for m, tree in trees.items()
              if tree.xpath(f"boolean({text})", namespaces={"ref": REF})}
    for plan in ("auto", "share", "bucket"):
        got = pairs(broker.publish(messages.items(), plan=plan))
        assert got == wanted, [(messages[m], filters[f]) for m, f in got ^ wanted][:3]
    some = list(messages.items())[:8]
    assert {pair for each in some for pair in pairs(broker.publish([each]))} == {pair for pair in wanted if pair[0] in dict(some)}
    for message, name in [(m, f) for m in list(messages)[:4] for f in list(filters)[:10]]:
        assert broker.explain(name, messages[message]).matches == ((message, name) in wanted), (messages[message], filters[name])


@pytest.mark.parametrize("plan", ["f", "fw", "fwr"])
def test_transformations_ask_for_columns(connect: Connect, plan: str) -> None:
    broker = connect("duckdb")
    broker.reference("supplier", SUPPLIERS, **KEYS)
    broker.subscribe("t", "for $i in //party/id where $i/@ref:limit > 100 return <p>{ $i/@ref:risk, $i }</p>")
    xml = "<r><party><id>p2</id></party><party><id>p3</id></party><party><id>p1</id></party></r>"
    [row] = broker.publish([("m", xml)], plan=plan).notifications.to_pylist()
    declared = f'xmlns:ref="{REF}"'
    assert row["output"] == f'<p {declared} ref:risk="low"><id>p2</id></p><p {declared} ref:risk="high"><id>p1</id></p>'


def values(broker: xpubsub.Broker) -> int:
    return len(inside.store(broker).rows(whole("reference_value")))


def test_replaced_and_removed(connect: Connect, tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    with xpubsub.connect(path) as broker:
        stored = broker.reference("supplier", SUPPLIERS, **KEYS)
        assert stored is not None and (stored.rows, stored.columns) == (3, ("risk", "limit"))
        broker.subscribe_many([("high", "//id[@ref:risk = 'high']"), ("small", "//id[@ref:limit < 100]"), ("none", "//id[not(@ref:risk)]")])
    message = [("m", "<party><id>p1</id></party>")]
    with xpubsub.connect(path) as broker:
        assert pairs(broker.publish(message)) == {("m", "high")}
        broker.reference("supplier", pa.table({"party_id": ["p1"], "limit": [5]}), **KEYS)
        assert pairs(broker.publish(message)) == {("m", "small"), ("m", "none")}
        [listed] = broker.references()
        assert (listed.name, listed.key, listed.on, listed.columns, listed.rows) == ("supplier", "//party/id", "party_id", ("limit",), 1)
        broker.gc()
        assert pairs(broker.publish(message)) == {("m", "small"), ("m", "none")}
        assert values(broker) == 1, "the rows of the table before are gone"
        broker.reference("supplier", None)
        assert pairs(broker.publish(message)) == {("m", "none")} and broker.references() == []
        assert values(broker) == 0


def test_a_message_cannot_bring_the_columns_itself(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.reference("supplier", SUPPLIERS, **KEYS)
    broker.subscribe_many([("high", "//id[@ref:risk = 'high']"), ("checked", "count(//id/@ref:risk | //x) = 1")])
    forged = f"<party xmlns:ref='{REF}'><id ref:risk='high'>p2</id><id ref:risk='high'>none</id></party>"
    assert pairs(broker.publish([("m", forged)])) == {("m", "checked")}


def test_how_values_are_written(connect: Connect) -> None:
    broker = connect("duckdb")
    columns: dict[str, Any] = {
        "i": (pa.array([5]), "5"), "d": (pa.array([Decimal("1.50")]), "1.5"), "whole": (pa.array([2.0]), "2"),
        "f": (pa.array([0.1]), "0.1"), "tiny": (pa.array([1e-7]), "0.0000001"), "big": (pa.array([1e20]), "100000000000000000000"),
        "b": (pa.array([True]), "true"), "day": (pa.array([datetime.date(2024, 1, 2)]), "2024-01-02"),
        "at": (pa.array([datetime.datetime(2024, 1, 2, 3, 4, 5)]), "2024-01-02T03:04:05"), "nan": (pa.array([float("nan")]), "NaN"),
        "text": (pa.array(["007"]), "007"), "ten": (pa.array([10]), "10"), "zero": (pa.array([Decimal("10.00")]), "10"),
    }
    broker.reference("t", pa.table({"key": ["x"], **{name: column for name, (column, _) in columns.items()}}), key="//a", on="key")
    broker.subscribe_many((name, f"//a[@ref:{name} = '{text}']") for name, (_, text) in columns.items())
    assert {pair[1] for pair in pairs(broker.publish([("m", "<a>x</a>")]))} == set(columns)


def test_where_tables_come_from(connect: Connect, tmp_path: Path) -> None:
    broker = connect("duckdb")
    broker.subscribe("s", "//id[@ref:risk = 'high']")
    (tmp_path / "s.csv").write_text("party_id,risk\np1,high\np2,low\n")
    duckdb.sql(f"copy (select 'p1' as party_id, 'high' as risk) to '{tmp_path / 's.parquet'}'")
    tables = [SUPPLIERS, SUPPLIERS.to_pandas(), str(tmp_path / "s.csv"), tmp_path / "s.parquet",
              duckdb.sql("select 'p1' as party_id, 'high' as risk")]
    for table in tables:
        broker.reference("supplier", table, **KEYS)
        assert pairs(broker.publish([("m1", "<party><id>p1</id></party>"), ("m2", "<party><id>p2</id></party>")])) == {("m1", "s")}
        broker.reference("supplier", None)


@pytest.mark.parametrize(("table", "options", "reason"), [
    (pa.table({"k": ["a", "a"], "v": [1, 2]}), {}, "keys in more than one row: 'a'"),
    (pa.table({"v": [1]}), {}, "there is no column 'k'"),
    (pa.table({"k": ["a"], "my v": [1]}), {}, "cannot be the name of an attribute"),
    (pa.table({"k": ["a"], "v": [[1]]}), {}, "has the type"),
    ("nothing.csv", {}, "there is no such file"), ("nothing.xls", {}, "its name must end in"), (5, {}, "not int"),
    (pa.table({"k": ["a"], "v": [1]}), {"key": "//a[b]"}, "a plain path"),
    (pa.table({"k": ["a"], "v": [1]}), {"key": "//p:a"}, "p"),
])
def test_refused_tables(connect: Connect, table: Any, options: dict[str, str], reason: str) -> None:
    with pytest.raises(xpubsub.Error, match=reason):
        connect("duckdb").reference("t", table, **{"key": "//a", "on": "k", **options})


def test_refused_subscriptions(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.reference("supplier", SUPPLIERS, **KEYS)
    with pytest.raises(xpubsub.UnsupportedError, match=r"@ref:\* is not supported"):
        broker.subscribe("s", "//id[@ref:*]")
    with pytest.raises(xpubsub.UnsupportedError):
        broker.subscribe("q", "for $i in //id group by $r := $i/@ref:risk return $r")
    broker.subscribe("s", "//id[@ref:risk]")
    with pytest.raises(xpubsub.UnsupportedError, match="spilling"):
        broker.publish([("m", "<party><id>p1</id></party>")], spill=["//x"])


def test_namespaces_and_attributes_as_keys(connect: Connect) -> None:
    broker = connect("duckdb")
    broker.reference("n", pa.table({"k": ["1"], "v": ["x"]}), key="//p:a/@id", on="k", namespaces={"p": "urn:p"})
    broker.subscribe("s", "//p:a[@ref:v = 'x']/p:b", namespaces={"p": "urn:p"})
    broker.subscribe("own", "//a[@r:v = 'x']", namespaces={"r": REF})
    messages = [("m1", "<a xmlns='urn:p' id='1'><b/></a>"), ("m2", "<a id='1'><b/></a>"), ("m3", "<a xmlns='urn:p' id='2'><b/></a>")]
    assert pairs(broker.publish(messages)) == {("m1", "s")}


def test_the_shell(tmp_path: Path) -> None:
    store, run = str(tmp_path / "s.duckdb"), CliRunner().invoke
    (tmp_path / "s.csv").write_text("party_id,risk\np1,high\n")
    assert run(program, ["subscribe", store, "--id", "s", "//id[@ref:risk = 'high']"]).exit_code == 0
    added = run(program, ["reference", store, "add", "supplier", str(tmp_path / "s.csv"), "--key", "//party/id", "--on", "party_id"])
    assert added.exit_code == 0 and "stored 1 rows of 'supplier' with @ref:risk" in added.stdout
    assert "supplier" in run(program, ["reference", store, "list"]).stdout
    published = run(program, ["publish", store, "-"], input="<party><id>p1</id></party>\n")
    assert "1 messages, 1 notifications" in published.stderr
    assert run(program, ["reference", store, "remove", "supplier"]).exit_code == 0
    assert "note: there is no" in run(program, ["reference", store, "remove", "supplier"]).stderr
    assert run(program, ["reference", store, "add", "supplier"]).exit_code == 2


@pytest.mark.spark
def test_on_spark(connect: Connect) -> None:
    broker = connect("spark")
    session = broker._publisher._sessions.session  # type: ignore[attr-defined]
    broker.reference("supplier", session.createDataFrame([("p1", "high"), ("p2", "low")], "party_id string, risk string"), **KEYS)
    broker.subscribe_many([("high", "//id[@ref:risk = 'high']"), ("c", "count(//id/@ref:risk | //x) = 2"),
                           ("t", "for $i in //id where $i/@ref:risk = 'low' return <o>{$i/@ref:risk}</o>")])
    messages = [("m1", "<party><id>p1</id><x/></party>"), ("m2", "<party><id>p2</id></party>")]
    wanted = {("m1", "high"), ("m1", "c"), ("m2", "t")}
    for plan in ("partition", "sql"):
        assert pairs(broker.publish(messages, plan=plan)) == wanted
    broker.reference("supplier", pa.table({"party_id": ["p2"], "risk": ["high"]}), **KEYS)
    assert pairs(broker.publish(messages)) == {("m2", "high")}


def test_replaced_in_the_middle_of_a_stream(connect: Connect, tmp_path: Path) -> None:
    """Each batch of a job sees one table as a whole, whoever replaces it meanwhile."""
    path, inbox, count = tmp_path / "s.duckdb", tmp_path / "in", 60
    inbox.mkdir()
    names = [f"p{number}" for number in range(50)]

    def versioned(version: int) -> pa.Table:
        return pa.table({"party_id": names, "version": [version] * len(names)})

    with xpubsub.connect(path) as broker:
        broker.reference("supplier", versioned(0), **KEYS)
        broker.subscribe("t", "for $i in //id return <v>{ $i/@ref:version }</v>")
        message = "<r>" + "".join(f"<party><id>{name}</id></party>" for name in names) + "</r>"
        for number in range(count):
            (inbox / f"m{number:02}.xml").write_text(message)
        running = threading.Thread(target=broker.stream, args=(f"dir:{inbox}", f"dir:{tmp_path / 'out'}"),
                                   kwargs={"once": True, "checkpoint": tmp_path / "job", "max_messages": 4, "format": "jsonl"})
        running.start()
        version = 0
        while running.is_alive():
            version += 1
            broker.reference("supplier", versioned(version), **KEYS)
        running.join()
    batches = [[json.loads(line)["output"] for line in file.read_text().splitlines()] for file in sorted((tmp_path / "out").glob("batch-*"))]
    seen = [{found for output in batch for found in re.findall(r'ref:version="(\d+)"', output)} for batch in batches]
    assert sum(map(len, batches)) == count and all(len(each) == 1 for each in seen), seen
    assert [output.count("<v ") for batch in batches for output in batch] == [len(names)] * count


def test_another_process_replaces_it_while_a_job_runs(tmp_path: Path) -> None:
    """Through the control socket, as `xpubsub reference` does beside a streaming job."""
    path = tmp_path / "s.duckdb"
    with xpubsub.connect(path) as broker:
        broker.subscribe("s", "//id[@ref:risk = 'high']")
    job = StreamingJob(path)
    try:
        with xpubsub.connect(path) as remote:
            assert isinstance(remote, RemoteBroker)
            stored = remote.reference("supplier", SUPPLIERS, **KEYS)
            assert stored is not None and stored.rows == 3 and [each.name for each in remote.references()] == ["supplier"]
            assert remote.explain("s", "<party><id>p1</id></party>").matches
            job.publish("m", "<party><id>p1</id></party>")
            assert {subscription for _, subscription in job.notified()} == {"s"}
            remote.reference("supplier", None)
            assert remote.references() == []
    finally:
        job.stop()
