"""Subscriptions by templates: whatever is shared between texts of one shape, the rows are those of each text alone."""

from __future__ import annotations

import re
import sys
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import xpubsub
from tests.generate import NAMESPACES, Expressions
from xpubsub.compile.compiled_rows import COMPILED_TABLES, CompiledRows
from xpubsub.compile.row_types import COLUMNS
from xpubsub.compile.shapes import shape_template
from xpubsub.compile.subscriptions import Compiler, CompilerRun
from xpubsub.jobs.subscribe import compiling
from xpubsub.rows import table_of
from xpubsub.step import Step

SAME_SHAPE = [
    ["/a/b = 1", "/a/b = 2", "/a/b = 0", "/a/b = .5", "/a/b = 7."],
    ["/a/b = 'x'", "/a/b = 'y'", "/a/b = ''", "/a/b = 'x and y'", "/a/b = '5'"],
    ["/a/b > -1", "/a/b > -2.5", "/a/b > -0"],
    ["/a and 1", "/a and 0", "/a and 2"],
    ["1 = 1 and /a", "1 = 2 and /a", "3 = 3 and /a"],
    ["/a/b > '5'", "/a/b > 'x'", "/a/b > '-3'"],
    ["contains(/a, 5)", "contains(/a, 6)", "contains(/a, 7.5)"],
    ["contains(/a, 'x')", "contains(/a, 'y')", "contains(/a, '')"],
    ["/a = 1 or /a = 1", "/a = 1 or /a = 2", "/a = 3 or /a = 3"],
    ["/a[b = 1 and c = 1]", "/a[b = 1 and c = 2]", "/a[b = 2 and c = 2]"],
    ["/a1/b2 = 3", "/a1/b2 = 4", "/a3/b2 = 4"],
    ["/a\u00b75 = 1", "/a\u00b76 = 1", "/a\u00b76 = 2"],
    ["/a-1 = 1", "/a-2 = 1", "/a.1 = 1"],
    ["/a = \"it's\" and /b = 'x'", "/a = \"it's\" and /b = 'y'", "/a = 'and' and /b = ' and '"],
    ["/a = \"'\" and /b = 'p and q'", "/a = \"'\" and /b = 'r and s'"],
    ["/a[1]", "/a[2]", "/a = 5 5"],
    ["/a = '100%'", "/a = '%s'", "/a = '%%'"],
    ["/a = 1000003.5 and /b = 2", "/a = 1 and /b = 1000003.5"],
]


KINDS = ("refused", "compiled_query", "compiled_branch", "compiled_branchpoint")


def by_template(run: CompilerRun, text: str) -> dict[str, Any]:
    """The rows of a text, by the template of its shape if there is one."""
    tables = dict(run.tables([(1, "s", text, 0)]))
    return {kind: tables[kind].to_pylist() for kind in KINDS}


def alone(text: str, compiler: Compiler) -> dict[str, Any] | None:
    """The rows of a text compiled as it is; None if it is refused."""
    made = CompiledRows()
    try:
        made.add(1, shape_template(compiler.queries(text)), ())
    except xpubsub.Error:
        return None
    tables = dict(made.take())
    return {kind: tables[kind].to_pylist() for kind in KINDS}


def same(texts: list[str], compiler: Compiler) -> None:
    """Twice in a row, so that a template is used where there is one."""
    run = CompilerRun([compiler])
    for text in [*texts, *texts]:
        found, expected = by_template(run, text), alone(text, compiler)
        if expected is None:
            assert len(found["refused"]) == 1, text
        elif len(set(constants := run._shapes.take_out(text)[1])) == len(constants):
            assert found == expected, text
        else:
            assert predicates(found) == predicates(expected), "conditions may be repeated, and nothing else"


def predicates(made: dict[str, Any]) -> set[frozenset[tuple[Any, ...]]]:
    return {frozenset(tuple(each.values()) for each in query["predicates"]) for query in made["compiled_query"]}


@pytest.mark.parametrize("texts", SAME_SHAPE, ids=lambda texts: texts[0])
def test_texts_of_one_shape(texts: list[str]) -> None:
    same(texts, Compiler())


@pytest.mark.parametrize("seed", range(40))
def test_random_texts_with_other_constants(seed: int) -> None:
    random = Random(seed)
    expressions = Expressions(random)
    for _ in range(10):
        text, _ = expressions.expression()
        others = [re.sub(r"(?<![\w.])\d+", lambda _: str(random.randrange(10**6)), text) for _ in range(3)]
        same([text, *others], Compiler(NAMESPACES))


def test_matches_by_template_are_those_of_each_text() -> None:
    texts = [f"/m/a = {n % 4} and /m/b > -{n % 3} and not(/m/c = '{n % 2}')" for n in range(60)]
    messages = [(f"m{n}", f"<m><a>{n % 4}</a><b>{n % 5 - 2}</b><c>{n % 3}</c></m>") for n in range(60)]
    with xpubsub.connect(":memory:") as together, xpubsub.connect(":memory:") as apart:
        together.subscribe_many([(f"s{n}", text) for n, text in enumerate(texts)])
        for n, text in enumerate(texts[:12]):
            apart.subscribe(f"s{n}", text)
        found, expected = (
            {(row["message_id"], row["subscription_id"]) for row in broker.publish(messages).notifications.to_pylist()}
            for broker in (together, apart)
        )
    assert {pair for pair in found if int(pair[1][1:]) < 12} == expected and expected


def test_a_template_has_no_places_without_marks() -> None:
    template = shape_template(Compiler().queries("/a = 'x' and /b > 5"))
    assert template.constants(()) == ("x", 5.0, None)


@pytest.mark.slow
@pytest.mark.parametrize("executable", [sys.executable, "/nonexistent/python"])
def test_several_processes_give_the_same_store(monkeypatch: pytest.MonkeyPatch, executable: str) -> None:
    monkeypatch.setattr(compiling, "PROBE", 10)
    monkeypatch.setattr(compiling, "SECONDS_PER_PROCESS", 1e-6)
    monkeypatch.setattr(compiling, "cores", lambda: 3)
    monkeypatch.setattr(sys, "executable", executable)
    told: list[int] = []
    with xpubsub.connect(":memory:") as broker:
        added = broker.subscribe_many([(f"s{n}", f"/m/a{n % 7} = {n % 4}") for n in range(100)], progress=told.append)
        matches = broker.publish([("m", "<m><a1>1</a1><a2>2</a2></m>")]).notifications.num_rows
        with pytest.raises(xpubsub.RowErrors, match="row 90"):
            broker.subscribe_many([(f"t{n}", "/a[" if n == 89 else "/a") for n in range(100)])
    assert (added, sum(told), matches) == (100, 100, 8)


@pytest.mark.parametrize("name", COLUMNS)
def test_rows_have_the_columns_of_their_schema(name: str) -> None:
    assert sorted(COLUMNS[name]) == sorted(COMPILED_TABLES[name].names)


def test_rows_are_filled_by_name() -> None:
    schema = pa.schema([("second", pa.string()), ("first", pa.int64())])
    assert table_of([(1, "a"), (2, "b")], schema, ("first", "second")).to_pylist() == [
        {"second": "a", "first": 1}, {"second": "b", "first": 2}]
    with pytest.raises(KeyError, match="second"):
        table_of([(1,)], schema, ("first",))


def test_conjunctions_in_any_order_have_one_template() -> None:
    texts = ["/e[contains(a, ']') and b = '[']", "/a > 1 and /b = 'x'", "/b = 'y' and /a > 2", "/c or /b = 'x' and /a > 1", "/a > 1 and /c or /b = 'x'",
             "/m[a = 'p and q' and b] and /d", "/d and /m[a = 'r and s' and b]", "/b = 'x' and\n/a > 1 and /d"]
    messages = [("m1", "<a>1.5</a>"), ("m2", "<b>x</b>"), ("m3", "<c/>"), ("m4", "<m><a>r and s</a><b/></m>"),
                ("m5", "<e><a>]</a><b>[</b></e>")]
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many([(f"s{n}", text) for n, text in enumerate(texts)])
        broker.subscribe_many([
            ("first", "/a > 9 and /b = 'z'"), ("again", texts[2]), ("swapped", "/a > 2 and /b = 'y'")])
        found = {tuple(row.values())[:2] for row in broker.publish(messages).notifications.to_pylist()}
        queries = broker.store.rows(Step("same", "select distinct query_id from subscription_query"
                                                 " where subscription_id in ('again', 'swapped')"))
    assert found == {("m3", "s3"), ("m2", "s4"), ("m5", "s0")} and len(queries) == 1
