"""What `list` writes, `subscribe_many` reads: a store out of the file is equal to the one it was written from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.sax.saxutils import escape

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import xpubsub
from xpubsub.cli import program
from xpubsub.cli.output import ENDINGS, table_output
from xpubsub.jobs.subscribe.incoming import read_rows
from xpubsub.step import Step

STREAMS = ("S", "T", "a, 'b'", "zwei\n\"Zeilen\"", "\tß\\")
URIS = ("urn:x", "urn:y", "urn:\"q\",'", "urn:\\n ü")
VALUES = ("1", "v", 'say "hi"', "it's", "a,b", "a\tb", "a\nb", "back\\slash", "ü 水 \U0001f600", "{}", "null", "")
Subscription = tuple[str, str, dict[str, str], str, str]

characters = st.characters(codec="utf-8", exclude_characters="\0")
legal = st.characters(codec="utf-8", exclude_categories=("Cc", "Cn"))
values = st.one_of(st.sampled_from(VALUES), st.text(st.one_of(st.sampled_from("\"',;\t\n\r\\{}#é"), legal), max_size=12))
ids = st.text(characters, min_size=1, max_size=8)


@st.composite
def namespaces(draw: Callable[[Any], Any]) -> dict[str, str]:
    """Some prefixes, `p` always among them; the empty one often."""
    others = draw(st.lists(st.sampled_from(("", "q", "ä")), unique=True))
    return {"p": draw(st.sampled_from(URIS)), **{prefix: draw(st.sampled_from(URIS)) for prefix in others}}


def literal(value: str) -> str:
    quote = "'" if '"' in value else '"'
    return f"{quote}{value.replace(quote, '')}{quote}"


@st.composite
def texts(draw: Callable[[Any], Any]) -> tuple[str, str]:
    """A text of one of the three kinds, and its dialect."""
    name, value = draw(st.sampled_from(("a", "p:a", "*"))), literal(draw(values))
    kind = draw(st.sampled_from(("filter", "branching", "transformation", "correlation")))
    if kind == "filter":
        return draw(st.sampled_from((f"//{name}[b = {value}]", f"contains(//{name},\n\t{value})", f"{name} != {value}"))), "xpath"
    if kind == "branching":
        return f"//{name}[//b = {value} OR NOT(c)]", "branching"
    if kind == "transformation":
        return f"for $x in //{name} where $x/b = {value.replace('&', '')} return <o k='1'>{{ $x/b }}</o>", "xpath"
    select = draw(st.sampled_from(("", "SELECT <p>{ $x }{ $z }</p> FROM ", "SELECT * FROM ")))
    return f"{select}S//{name} AS $x [./b AS $y] JOIN {{ $y = $w, INF }} T//{name} AS $z [./b AS $w]", draw(
        st.sampled_from(("xpath", "branching")))


@st.composite
def subscriptions(draw: Callable[[Any], Any]) -> list[Subscription]:
    found = []
    for subscription_id in draw(st.lists(ids, unique=True, min_size=1, max_size=5)):
        text, dialect = draw(texts())
        found.append((subscription_id, text, draw(namespaces()), dialect, draw(st.sampled_from(STREAMS))))
    return found


def filled(broker: xpubsub.Broker, given: list[Subscription]) -> xpubsub.Broker:
    """A store with subscriptions, added one by one."""
    for subscription_id, text, declared, dialect, stream in given:
        broker.subscribe(subscription_id, text, namespaces=declared, dialect=dialect, stream=stream)
    return broker


def exported(broker: xpubsub.Broker, path: Path) -> Path:
    table = broker.list()
    with table_output(str(path), table.schema) as writer:
        writer.write(table)
    return path


def messages() -> Iterator[tuple[str, str]]:
    for number, uri in enumerate(("", *URIS)):
        values = "".join(f"<b>{escape(value)}</b>" for value in VALUES)
        yield f"m{number}", f"<a xmlns={escape_attribute(uri)}>{values}</a>"
        yield f"n{number}", f"<r><p:a xmlns:p={escape_attribute(uri or 'urn:none')}><b>1</b></p:a></r>"


def escape_attribute(value: str) -> str:
    return '"' + escape(value, {'"': "&quot;"}) + '"'


def notified(broker: xpubsub.Broker, streams: tuple[str, ...]) -> list[list[dict[str, Any]]]:
    """What each stream's messages notify of."""
    found = []
    for stream in streams:
        result = broker.publish([(f"{stream}-{name}", xml, 1.0) for name, xml in messages()], stream=stream)
        assert result.rejected.num_rows == 0
        found.append(sorted(result.notifications.to_pylist(), key=str))
    return found


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow], phases=[Phase.generate])
@given(given=subscriptions(), published=st.sampled_from(ENDINGS))
def test_export_and_import_give_an_equal_store(given: list[Subscription], published: str) -> None:
    """A file of each format gives the same rows in all tables; messages are published to the store of one of them."""
    streams = tuple(dict.fromkeys(("S", "T", *(stream for *_, stream in given))))
    with TemporaryDirectory() as folder, xpubsub.connect(":memory:") as one:
        filled(one, given)
        paths = [exported(one, Path(folder) / f"subscriptions{ending}") for ending in ENDINGS]
        listed, tables = one.list().to_pylist(), [rows_of(one, table) for table in FORMED]
        found = notified(one, streams)
        for path in paths:
            with xpubsub.connect(":memory:") as other:
                assert other.subscribe_many(path, namespaces={"z": "urn:z"}, stream="U") == len(given), path
                assert other.list().to_pylist() == listed, path
                assert other.subscribe_many(path) == 0, "what is there is the same to the letter"
                assert [rows_of(other, table) for table in FORMED] == tables, path
                assert path.suffix != published or notified(other, streams) == found, path


@pytest.mark.parametrize("ending", ENDINGS)
@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(ids, st.text(characters, max_size=20), namespaces(), ids), max_size=6))
def test_files_give_rows_back_to_the_letter(ending: str, rows: list[tuple[str, str, dict[str, str], str]]) -> None:
    """Any texts, also those that are no subscriptions."""
    names = ("subscription_id", "text", "namespaces", "stream")
    written = [dict(zip(names, (one, text, json.dumps(map_, sort_keys=True), stream), strict=True))
               for one, text, map_, stream in rows]
    table = pa.Table.from_pylist(written, pa.schema([(name, pa.string()) for name in names]))
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"rows{ending}"
        with table_output(str(path), table.schema) as writer:
            writer.write(table)
        read = read_rows(path)
    assert read.refused == []
    assert read.rows.drop_columns(["row_no"]).to_pylist() == written


MIXED: list[Subscription] = [
    ("c", "S//p:a AS $x [./b AS $y] JOIN { $y = $w, INF } T//p:a AS $z [./b AS $w]", {"p": "urn:x"}, "xpath", "S"),
    ("d", "S//a AS $x [./b AS $y] JOIN { $y = $w, INF } T//a AS $z [./b AS $w]", {"": "urn:x"}, "xpath", "T"),
    ("e", "S//p:a AS $x [./b AS $y] JOIN { $y = $w, INF } T//p:a AS $z [./b AS $w]", {"p": "urn:x"}, "xpath", "T"),
    ("f", "//a[//b = 1 AND NOT(c)]", {"": "urn:x"}, "branching", "T"), ("g", "//a[b = 1]", {"": "urn:y"}, "xpath", "S"),
    ("h", "//a[b = 1]", {}, "xpath", "S"), ("i", "//a[b = 1]", {}, "xpath", "T"),
    ("j", "for $x in //p:a return <o>{ $x/b }</o>", {"p": "urn:y"}, "xpath", "T"),
    ("k", "//a[//b = 1 AND NOT(c)]", {}, "branching", "S"),
]


FORMED = ("subscription", "subscription_query", "subscription_transformation", "subscription_correlation", "stored_query",
          "lookup_subscription", "transformation_step", "join_edge", "join_pair", "join_result", "join_member")
"""Tables that have what a subscription's form decides; their ids are those of texts, the same in every store."""


def rows_of(broker: xpubsub.Broker, table: str) -> list[str]:
    rows = broker.store.rows(Step(table, f"select * from {table}"))
    return sorted(str({name: value for name, value in row.items() if name not in ("call_no", "lookup_key")}) for row in rows)


def test_forms_by_row_on_every_engine(connect: Any, engine: str) -> None:
    """Rows of different forms in one call, in an order in which those of a form are apart, beside calls of their own."""
    rows = [dict(zip(("id", "text", "namespaces", "dialect", "stream"), each, strict=True)) for each in MIXED[::-1]]
    judge, broker = filled(connect("duckdb", "judge"), MIXED), connect(engine)
    assert broker.subscribe_many(rows) == len(MIXED)
    assert broker.list().to_pylist() == judge.list().to_pylist()
    for table in FORMED:
        assert rows_of(broker, table) == rows_of(judge, table), table


def test_forms_by_row_notify_like_calls_of_their_own(connect: Any) -> None:
    rows = [dict(zip(("id", "text", "namespaces", "dialect", "stream"), each, strict=True)) for each in MIXED[::-1]]
    judge, broker = filled(connect("duckdb", "judge"), MIXED), connect("duckdb")
    broker.subscribe_many(rows)
    assert notified(broker, ("S", "T")) == notified(judge, ("S", "T"))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(program, [str(each) for each in arguments])


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export") / "old.duckdb"
    with xpubsub.connect(path) as broker:
        filled(broker, MIXED)
    return path


@pytest.mark.parametrize("ending", ENDINGS)
def test_list_output_is_read_back_in_the_shell(old: Path, tmp_path: Path, ending: str) -> None:
    new, file = tmp_path / "new.duckdb", tmp_path / f"all{ending}"
    assert run("list", old, "--output", file).exit_code == 0
    assert run("subscribe", new, "--from", file).stdout == f"subscribed 9 from {file}\n"
    assert run("subscribe", new, "--from", file).stdout == f"subscribed 0 from {file} (all 9 were already there)\n"
    assert run("list", new).stdout == run("list", old).stdout
