"""Subscriptions as rows: names of columns, headers, what a row says for itself, and each mistake with its place."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result

import xpubsub
from xpubsub.cli import program
from xpubsub.jobs.subscribe.call_options import CallOptions, formed
from xpubsub.jobs.subscribe.incoming import Incoming, read_rows

ROW = {"id": "s", "text": "/p:a", "namespaces": {"p": "urn:x"}, "dialect": "branching", "stream": "T"}
READ = {"subscription_id": "s", "text": "/p:a", "namespaces": '{"p": "urn:x"}', "dialect": "branching", "stream": "T"}
MAP = pa.map_(pa.string(), pa.string())


def run(*arguments: object) -> Result:
    return CliRunner().invoke(program, [str(each) for each in arguments])


def read(*arguments: Any, **options: Any) -> list[dict[str, Any]]:
    return read_rows(*arguments, **options).rows.drop_columns(["row_no"]).to_pylist()


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


class Stream:
    """What has nothing but Arrow's stream interface."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("rows", [
    [ROW], iter([ROW]), [{**ROW, "namespaces": '{"p":"urn:x"}', "other": 5}],
    pa.Table.from_pylist([ROW]), Stream(pa.Table.from_pylist([ROW])),
    pa.table({**{name: [value] for name, value in ROW.items()}, "namespaces": pa.array([[("p", "urn:x")]], MAP)}),
    pa.table({**{name: pa.array([value]).dictionary_encode() for name, value in READ.items()}}),
], ids=["dicts", "iterator", "json", "struct", "c-stream", "map", "dictionary"])
def test_a_row_says_its_form(rows: Any) -> None:
    assert read(rows) == [READ]


def test_null_and_empty_are_the_calls_and_an_empty_map_is_none() -> None:
    rows = [{"id": "a", "text": "/a", "namespaces": None}, {"id": "b", "text": "/a", "namespaces": "", "stream": ""},
            {"id": "c", "text": "/a", "namespaces": {}}, {"id": "d", "text": "/a", "namespaces": "{}"}, ("e", "/a"),
            {"id": "f", "text": "/a", "namespaces": float("nan"), "dialect": "branching"}]
    given = formed(read_rows(rows).rows, CallOptions({"p": "urn:x"}, "xpath", "T"))
    forms = given.forms.to_pylist()
    found = {row["subscription_id"]: {**forms[row["form_no"]], "form_no": None} for row in given.rows.to_pylist()}
    of_call = {"form_no": None, "dialect": "xpath", "namespaces": '{"p": "urn:x"}', "stream": "T", "max_delay": "",
               "variables": "", "partial": "", "weights": ""}
    assert found == {"a": of_call, "b": of_call, "e": of_call, "c": {**of_call, "namespaces": "{}"},
                     "d": {**of_call, "namespaces": "{}"}, "f": {**of_call, "dialect": "branching"}}
    assert len(forms) == 3


def test_namespaces_of_a_struct_without_null_fields() -> None:
    table = pa.Table.from_pylist([{**ROW, "namespaces": {"p": "urn:x"}}, {**ROW, "id": "t", "namespaces": {"q": "urn:y"}}])
    assert [row["namespaces"] for row in read(table)] == ['{"p": "urn:x"}', '{"q": "urn:y"}']


BAD = [
    ("namespaces", "p=urn:x", "namespaces must be a map or a JSON object"), ("namespaces", "[1]", "a JSON object"),
    ("namespaces", {"p": 5}, "a namespace URI must be a str, not int"), ("namespaces", {"p": ""}, "has an empty URI"),
    ("namespaces", '{"p": "a", "p": "b"}', "a prefix is given twice"), ("namespaces", 7, "to URIs, not int"),
    ("namespaces", ["p"], "must map prefixes to URIs, not list"), ("dialect", "sql", "use one of xpath, branching"),
    ("dialect", 5, "unknown dialect 5"), ("stream", 5, "a stream's name must be a str, not int"), ("stream", {"a": "b"}, "not dict"),
]


@pytest.fixture(scope="module")
def broker() -> Iterator[xpubsub.Broker]:
    """A store that stays empty, as all rows are bad."""
    with xpubsub.connect(":memory:") as opened:
        yield opened


@pytest.mark.parametrize(("column", "value", "reason"), BAD)
def test_a_bad_value_is_named_with_row_and_column(
    broker: xpubsub.Broker, tmp_path: Path, column: str, value: Any, reason: str
) -> None:
    rows = [ROW, {**ROW, "id": "bad", column: value}, {"id": "worse", "text": "/a["}]
    with pytest.raises(xpubsub.RowErrors) as caught:
        broker.subscribe_many(rows)
    assert [row["row_no"] for row in caught.value.rows] == [2, 3], "with what is wrong in other rows"
    assert f"row 2 (bad): column {column}: " in str(caught.value) and reason in str(caught.value)
    assert broker.list().num_rows == 0
    file = written(tmp_path / "rows.jsonl", "\n" + "".join(json.dumps(row) + "\n" for row in rows))
    failed = run("subscribe", tmp_path / "s.duckdb", "--from", file)
    assert failed.exit_code == 2 and f"{file}:3: bad: column {column}: " in failed.stderr and reason in failed.stderr


def test_a_prefix_twice_in_an_arrow_map() -> None:
    refused = read_rows(pa.table({"id": ["s"], "text": ["/a"], "namespaces": pa.array([[("p", "a"), ("p", "b")]], MAP)})).refused
    assert [row["reason"] for row in refused] == ["column namespaces: a prefix is given twice"]


def test_what_is_the_same_subscription(connect: Callable[..., xpubsub.Broker], engine: str) -> None:
    broker = connect(engine)
    assert broker.subscribe_many([ROW, {**ROW, "namespaces": '{ "p": "urn:x" }'}]) == 1
    assert broker.subscribe_many([("s", "/p:a")], namespaces={"p": "urn:x"}, dialect="branching", stream="T") == 0
    with pytest.raises(xpubsub.RowErrors) as caught:
        broker.subscribe_many([
            {**ROW, "namespaces": {"p": "urn:y"}}, {**ROW, "id": "t"}, {**ROW, "id": "t", "stream": "S"},
            {**ROW, "id": "t", "text": "/p:b"}])
    assert [(row["row_no"], row["reason"]) for row in caught.value.rows] == [
        (1, "the id is subscribed already with other namespaces: unsubscribe it first"),
        (3, "the same id stands in an earlier row with other namespaces, another dialect, stream, max_delay, partial, variables or weights"),
        (4, "the same id stands in an earlier row with another text")]
    for change, other in (("stream", "another stream"), ("dialect", "another dialect")):
        with pytest.raises(xpubsub.RowErrors, match=other):
            broker.subscribe_many([{**ROW, change: None}])


def test_many_forms_in_several_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are cut between processes wherever it falls."""
    monkeypatch.setattr("xpubsub.jobs.subscribe.compiling.PROBE", 10)
    monkeypatch.setattr("xpubsub.jobs.subscribe.compiling.SECONDS_PER_PROCESS", 1e-6)
    monkeypatch.setattr("xpubsub.jobs.subscribe.compiling.cores", lambda: 3)
    rows = [{"id": f"s{n}", "text": f"/p:a = {n % 5}", "namespaces": {"p": f"urn:{n % 7}"}, "stream": f"T{n % 2}"}
            for n in range(70)]
    with xpubsub.connect(":memory:") as broker:
        assert broker.subscribe_many(rows) == 70
        result = broker.publish([("m", "<a xmlns='urn:3'>2</a>")], stream="T1")
    assert sorted(result.notifications["subscription_id"].to_pylist()) == ["s17"], "17 is 3 of 7, 2 of 5 and odd"


# Headers.

@pytest.mark.parametrize(("content", "expected"), [
    ("id,text\na,/a\n", [("a", "/a")]), ("ID , Text\na,/a\n", [("a", "/a")]), ("a,/a\nb,/b\n", [("a", "/a"), ("b", "/b")]),
    ("\ufeffid,text\r\na,/a\r\n", [("a", "/a")]), ("\n\nid,text\n\na,/a\n\n", [("a", "/a")]), ("", []), ("id,text\n", []),
    ("\ufeff", []), ("text,kind,id\n/a,filter,a\n", [("a", "/a")]), ("a,/a,\n", [("a", "/a")]), ("id,/a\n", [("id", "/a")]),
    ('a,"/a[b = ""x,y""]"\n', [("a", '/a[b = "x,y"]')]), ("query,subscription_id\n/a,a\n", [("a", "/a")]),
])
def test_headers(tmp_path: Path, content: str, expected: list[tuple[str, str]]) -> None:
    for ending, delimiter in ((".csv", ","), (".TSV", "\t")):
        path = written(tmp_path / f"rows{ending}", content.replace(",", delimiter))
        found = [(row["subscription_id"], row["text"].replace(delimiter, ",")) for row in read(path)]
        assert found == expected


@pytest.mark.parametrize("first", [
    "name,xpath", "name,rule", "subscription,XPath expression", "id,rule", "#id,text", "key,text", "stream,text", "s1,price",
    "a-b,c.d", "id,stream",
])
def test_a_first_row_that_looks_like_a_header(tmp_path: Path, first: str) -> None:
    path = written(tmp_path / "rows.csv", f"{first}\na,/a\n")
    with pytest.raises(xpubsub.Error) as caught:
        read_rows(path)
    for part in (f"{path}:1: ", "id (or subscription_id), text (or xpath, expression, query), namespaces, dialect, stream",
                 "--columns id=NAME,text=NAME", "--no-header"):
        assert part in str(caught.value)
    assert read(path, header=False)[0] == dict(zip(("subscription_id", "text"), first.split(","), strict=True))


def test_columns_have_other_names(tmp_path: Path) -> None:
    columns = {"id": "name", "text": "the rule", "stream": "topic"}
    expected = [{"subscription_id": "a", "text": "/a", "stream": "T"}]
    record = {"name": "a", "the rule": "/a", "topic": "T", "text": "not this"}
    assert read(written(tmp_path / "r.csv", "name,the rule,Topic,text\na,/a,T,no\n"), columns=columns) == expected
    assert read(written(tmp_path / "r.jsonl", json.dumps(record)), columns=columns) == expected
    assert read([record], columns=columns) == expected
    assert read(pa.Table.from_pylist([record]), columns=columns) == expected


@pytest.mark.parametrize(("name", "content", "options", "reason"), [
    ("r.csv", "id,text,id\na,/a,b\n", {}, "r.csv:1: two columns are for the id, id and id"),
    ("r.csv", "id,text,query\na,/a,b\n", {}, "two columns are for the text, text and query: leave one out, or choose with --columns"),
    ("r.csv", "id,text,namespace\na,/a,b\n", {}, "if it is for the namespaces, call it namespaces"),
    ("r.csv", "name,rule\na,/a\n", {"header": True}, "r.csv:1: no column id or subscription_id among name, rule"),
    ("r.csv", "id,rule\na,/a\n", {"columns": {"text": "rules"}}, "there is no column 'rules' for the text: the columns are id, rule"),
    ("r.csv", "id,rule\na,/a\n", {"columns": {"txt": "rule"}}, "use id, text, namespaces, dialect, stream"),
    ("r.csv", "id,rule\na,/a\n", {"columns": ["rule"]}, "columns must map"), ("r.csv", "a,/a\n", {"columns": {"id": 5}}, "must be a str"),
    ("r.csv", "id,rule\na,/a\n", {"columns": {"text": "rule"}, "header": False}, "names columns of a header"),
    ("r.csv", "id;text\na;/a\n", {}, "r.csv:1: expected an id and a text, found 1 column(s) between commas"),
    ("r.csv", "id,text\na\n", {}, "r.csv:2: expected an id and a text, found 1 column(s)"),
    ("r.csv", "a,for $a in //p return $a/x, $a/y\n", {}, "r.csv:1: expected 2 columns, found 3: put a text that contains a comma in"),
    ("r.csv", 'id,text\na,"/a\nb,/b\n', {}, "r.csv:2: unexpected end of data"),
    ("r.tsv", 'a\t"x" = /a\n', {}, "r.tsv:1: '\t' expected after '\"'"),
    ("r.csv", "id,text\na,/é\n".encode("utf-16"), {}, "r.csv: the file is not UTF-8 text: save it as UTF-8"),
    ("r.jsonl", "{\"id\": \"é\"}\n".encode("latin-1"), {}, "r.jsonl: the file is not UTF-8 text"),
    ("r.jsonl", '\n{"id": 5, "text": "/a"}\n', {}, "r.jsonl:2: the id of a subscription must be a str, not int"),
    ("r.jsonl", '{"id": "a", "text": null}\n', {}, "r.jsonl:1: the text of a subscription must be a str, not NoneType"),
    ("r.jsonl", '{"id": "a", "rule": "/a"}\n', {}, "r.jsonl:1: no column text or xpath or expression or query among id, rule"),
    ("r.jsonl", '["a"]\n', {}, "r.jsonl:1: a subscription must be (id, text)"), ("r.jsonl", "{}", {"header": False}, "is only for .csv and .tsv"),
])
def test_files_with_mistakes(tmp_path: Path, name: str, content: str | bytes, options: dict[str, Any], reason: str) -> None:
    with pytest.raises(xpubsub.Error) as caught:
        read_rows(written(tmp_path / name, content), **options)
    assert reason in str(caught.value)


def test_json_lines_with_a_byte_order_mark(tmp_path: Path) -> None:
    assert len(read(written(tmp_path / "r.jsonl", '\ufeff{"id": "a", "text": "/a"}\r\n["b", "/b"]\r\n'))) == 2


def test_what_is_no_table_of_subscriptions() -> None:
    for rows in (Stream(pa.chunked_array([[1]])), pa.table({"id": ["a"]}), pa.table({"id": ["a"], "text": [["b"]]})):
        with pytest.raises(xpubsub.Error):
            read_rows(rows)
    twice = pa.Table.from_arrays([pa.array(["a"])] * 3, ["id", "text", "id"])
    with pytest.raises(xpubsub.Error, match="two columns are for the id"):
        read_rows(twice)


def test_rows_that_were_read_are_taken_as_they_are() -> None:
    given = read_rows([("a", "/a"), ("a", "/a")])
    assert isinstance(given, Incoming) and read_rows(given) is given and given.ids() == 1


# In the shell.

def test_the_shell_maps_columns_and_says_what_was_there(tmp_path: Path) -> None:
    store, file = tmp_path / "s.duckdb", written(tmp_path / "rules.csv", "name,rule\na,/a\nb,/b\n")
    failed = run("subscribe", store, "--from", file)
    assert failed.exit_code == 2 and "looks like a header" in failed.stderr and not store.exists()
    mapped = ["subscribe", store, "--from", file, "--columns", "id=name,text=rule"]
    assert run(*mapped).stdout == f"subscribed 2 from {file}\n"
    assert run(*mapped).stdout == f"subscribed 0 from {file} (all 2 were already there)\n"
    written(file, "name,rule\na,/a\nc,/c\nc,/c\n")
    assert run(*mapped).stdout == f"subscribed 1 from {file} (1 was already there)\n"
    plain = run("subscribe", store, "--from", file, "--no-header")
    assert plain.stdout == f"subscribed 1 from {file} (2 were already there)\n"
    assert run("subscribe", store, "--from", written(file, "id,text\n")).stdout == (
        f"subscribed 0 from {file}: the file has no subscriptions\n")


def test_the_place_of_a_bad_row_with_mapped_columns(tmp_path: Path) -> None:
    file = written(tmp_path / "rules.CSV", 'name,rule,stream\na,"/a\n",S\n\nb,/b[,S\n')
    failed = run("subscribe", tmp_path / "s.duckdb", "--from", file, "--columns", "id=name,text=rule")
    assert failed.exit_code == 2 and f"{file}:5: b: " in failed.stderr


@pytest.mark.parametrize("arguments", [
    ["--id", "s", "/a", "--no-header"], ["--id", "s", "/a", "--columns", "id=a"], ["--from", "x.csv", "--columns", "id"],
    ["--from", "x.csv", "--columns", "name=id"], ["--from", "x.csv", "--columns", "id=a,id=b"],
])
def test_wrong_use_of_columns(tmp_path: Path, arguments: list[str]) -> None:
    failed = run("subscribe", tmp_path / "s.duckdb", *arguments)
    assert failed.exit_code == 2 and "--columns" in failed.stderr and not (tmp_path / "s.duckdb").exists()
