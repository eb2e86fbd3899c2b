"""Each step of each plan gives the same rows on both engines, and every SQL file is some step's."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import xpubsub
from tests import inside
from tests.conftest import ENGINES, PLANS
from tests.generate import NAMESPACES, Messages
from xpubsub.engines.dialect import parse, render
from xpubsub.jobs.paths import tagpath_cache
from xpubsub.limits import Limits
from xpubsub.plan.filter_case import FilterCase
from xpubsub.plan.filters import filter_steps
from xpubsub.shred.messages import MessageShredder
from xpubsub.shred.open_units import OpenUnit
from xpubsub.shred.units import UnitCutter
from xpubsub.sqlfiles import sql_file, sql_files
from xpubsub.step import Step, file_step

SUBSCRIPTIONS = [
    ("eq", "//a[b = 1]/@x = '2'"), ("range", "//b > 1 and //c < 10 and //a != 3"), ("deep", "//a[b[c and not(@y)]/a]//c"),
    ("first", "contains(//a[not(b)]/c, '1')"), ("long", "//a and //b and //c and //@x and //@y and //text() = '1'"),
    ("deeper", "//a[b[c[@x and @y]/a]/c]"), ("removed", "//a"), ("none", "not(//a[b]/c)"), ("or", "//a[b = 'ab' or starts-with(c, 'a')]"), ("ns", "//p:a[q:b or *:c]"), ("num", "//b = 2"),
    *((f"r{n}", f"//a/b > {n / 7} and //c <= {n}") for n in range(130)),
]
PART = "<u><a><c>ab</c><c>51<b>2</b></c><b>2</b></a><a>1<c>a7"
"""The first part of a message."""
SQL = sorted(sql_files())


@pytest.fixture(scope="module")
def brokers(spark_session: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The same subscriptions and tag paths on both engines, few slots so that the recursive rest has work."""
    opened = {}
    for engine in ENGINES:
        options = {"spark": spark_session, "limits": inside.IN_SPARK_SQL} if engine == "spark" else {}
        broker = xpubsub.connect(tmp_path_factory.mktemp("steps") / "store", engine=engine, slots=2, **options)
        broker.subscribe_many(SUBSCRIPTIONS, namespaces=NAMESPACES)
        broker.unsubscribe(["removed"])
        broker.publish(messages())
        opened[engine] = broker
    yield opened
    for broker in opened.values():
        broker.close()


def messages() -> list[tuple[str, str]]:
    source = Messages(Random(5))
    nested = "<a><b><c x='1' y='2'><a/></c><c/></b></a>"
    return [("nested", nested), ("part", f"{PART}</c></a></u>"), *((f"m{n}", source.message()) for n in range(25))]


def relations(broker: xpubsub.Broker, plan: str, branches_in_sql: bool, narrowed: bool) -> dict[str, list[Any]]:
    """The rows of each step, from messages shredded once in this process."""
    engine = inside.store(broker).engine
    shredder = MessageShredder(tagpath_cache(broker.store, Limits()), Limits())
    shredder.shred((number, name, xml) for number, (name, xml) in enumerate(messages(), start=1))
    found: dict[str, list[Any]] = {}
    with engine.pipeline():
        engine.load("sax_parse_result", shredder.nodes())
        engine.load("event", shredder.events())
        engine.load("batch", pa.table({"stream": ["S"], "replaces": [True]}))
        for step in inside.steps(broker, plan, branches_in_sql=branches_in_sql, narrowed=narrowed):
            engine.run(step)
            found[step.name] = all_rows(broker, step.name)
    return found


def comparable(row: dict[str, Any]) -> list[tuple[str, Any]]:
    return sorted((name, list(value) if isinstance(value, list) else value) for name, value in row.items())


@pytest.mark.parametrize(("plan", "branches_in_sql", "narrowed"), [
    (PLANS[0], True, False), (PLANS[1], False, False), (PLANS[2], False, True), (PLANS[0], True, True),
])
def test_same_rows_on_both_engines(brokers: Any, plan: str, branches_in_sql: bool, narrowed: bool) -> None:
    if not branches_in_sql:
        for broker in brokers.values():
            inside.publish(broker, [], plan, branches_in_sql=False)
    duckdb, spark = (relations(brokers[engine], plan, branches_in_sql, narrowed) for engine in ENGINES)
    assert list(duckdb) == list(spark)
    for name, rows in duckdb.items():
        assert rows and rows == spark[name], name
    assert duckdb["notification"]


def test_same_rows_on_both_engines_of_a_message_read_in_part(brokers: Any) -> None:
    """The message is cut inside an element whose text already decides comparisons, at a node with open conditions."""
    found: dict[str, dict[str, list[Any]]] = {}
    for name, broker in brokers.items():
        engine, cutter = inside.store(broker).engine, UnitCutter(["/u"], Limits())
        cutter.feed(PART)
        nodes = OpenUnit(cutter, Limits()).nodes(tagpath_cache(broker.store, Limits()), texts=True)
        with engine.pipeline():
            engine.load("sax_parse_result", nodes.nodes)
            engine.load("open_node", nodes.opened)
            engine.load("start_bits", inside.known(broker).start_bits)
            engine.load("event", pa.table({"event_id": [1], "message_id": ["m"]}))
            engine.load("batch", pa.table({"stream": ["S"], "replaces": [True]}))
            case = FilterCase("unroll", inside.known(broker).summary, early=True)
            for step in filter_steps(case):
                engine.run(step)
                found.setdefault(step.name, {})[name] = all_rows(broker, step.name)
    assert {step: rows["duckdb"] for step, rows in found.items()} == {step: rows["spark"] for step, rows in found.items()}
    assert all(found[name]["duckdb"] for name in ("text_candidate", "branch_row", "truth_0", "revocable", "notification"))


def tables_that_differ(duckdb: xpubsub.Broker, spark: xpubsub.Broker) -> list[str]:
    tables = duckdb.store.rows(Step("t", "select table_name from duckdb_tables() order by table_name"))
    return [name for name in (table["table_name"] for table in tables) if all_rows(duckdb, name) != all_rows(spark, name)]


def all_rows(broker: xpubsub.Broker, name: str) -> list[Any]:
    return sorted((comparable(row) for row in inside.store(broker).rows(Step("all", f"select * from {name}"))), key=repr)


def test_the_tables_of_both_engines_are_the_same(brokers: Any) -> None:
    assert not tables_that_differ(brokers["duckdb"], brokers["spark"])


def test_ranges_have_about_twenty_buckets_on_both_engines(brokers: Any) -> None:
    rows = brokers["duckdb"].store.rows(Step("b", "select linear_path_id, op, count(*) as n from predicate_bucket group by all"))
    assert rows and all(row["n"] == 20 for row in rows)
    roots = brokers["duckdb"].store.rows(Step("r", "select pre_id, count(*) as n from query_predicate where pre_id < 3 group by 1"))
    edges = {row["pre_id"]: row["n"] for row in roots}
    assert 0 < edges[1] < edges[2], "in buckets, fewer chains start at the root"


@pytest.mark.parametrize("name", SQL)
def test_every_file_says_what_a_row_means(name: str) -> None:
    assert re.match(r"-- (One row|No row|passes)", sql_file(name))


def file_steps() -> set[str]:
    """The files that `file_step` is called with, as constants: name, or name and variant."""
    found: set[str] = {"passes", "passes_open"}
    for path in (Path(__file__).parent.parent / "xpubsub").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            found |= _named(node) if isinstance(node, ast.Call) else set()
    return found


def _named(call: ast.Call) -> set[str]:
    function = ast.unparse(call.func)
    if function == "map" and ast.unparse(call.args[0]) == "file_step":
        return {ast.literal_eval(name) for name in call.args[1].elts}  # type: ignore[attr-defined]
    if function != "file_step":
        return set()
    names, *rest = (_constants(argument) for argument in call.args)
    return {f"{name}.{variant}".rstrip(".") for name in names for variant in (rest[0] if rest else [""])}


def _constants(node: ast.expr) -> list[str]:
    """The constants that an argument may be."""
    if isinstance(node, ast.IfExp):
        return [*_constants(node.body), *_constants(node.orelse)]
    return [ast.literal_eval(node)]


def test_every_file_is_a_step_and_every_step_of_a_name_is_a_file() -> None:
    assert file_steps() == set(SQL)


def test_no_step_is_written_in_python_and_in_a_file() -> None:
    """Steps that are made in Python (slots, conjunctive queries) have names that no file has."""
    made = set()
    for path in (Path(__file__).parent.parent / "xpubsub").rglob("*.py"):
        made |= set(re.findall(r'\bStep\(\s*f?"(\w+)"', path.read_text(encoding="utf-8")))
    assert not made & {name.split(".")[0] for name in SQL}


def test_a_placeholder_too_many_or_too_few_is_an_error() -> None:
    with pytest.raises(KeyError, match="placeholders"):
        file_step("notification")
    with pytest.raises(KeyError, match="placeholders"):
        file_step("gone", distinct="distinct")
    with pytest.raises(KeyError, match="not read by"):
        file_step("gone", tables={"gonee": "x"})


@pytest.mark.parametrize("sql", [
    "select list(x order by y) from t", "select * from t asof join u on t.x >= u.x", "select hash(x) from t", "select x[1] from t",
    "select * from t positional join u", "select list_slice(x, 1, 2) from t",
])
def test_what_is_not_translated_faithfully_is_refused(sql: str) -> None:
    with pytest.raises(xpubsub.EngineError):
        parse(sql)


def test_tables_are_bound_on_the_tree_and_common_table_expressions_are_not() -> None:
    bound: Callable[[str], str] = lambda name: f"store.{name}"  # noqa: E731
    sql = "with pair as (select a.x from path_match as a) select pair.x, list_extract(l, 2) from pair join event on true"
    assert render(sql, "spark", bound) == (
        "WITH pair AS (SELECT a.x FROM store.path_match AS a) "
        "SELECT pair.x, TRY_ELEMENT_AT(l, 2) FROM pair JOIN store.event AS event ON TRUE"
    )
