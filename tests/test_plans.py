"""Choosing a plan, ordering predicates, and saying why."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import xpubsub
from xpubsub.arrange.arranger import BUCKET_ROOT, RANGE_ROOT, SHARE_ROOT, Arranger
from xpubsub.arrange.keys import ALWAYS, directed
from xpubsub.arrange.selectivity import QueryConstants, Seen, Selectivity
from xpubsub.plan.choose import choose
from xpubsub.plan.request import PlanRequest
from xpubsub.plan.summary import Summary
from xpubsub.rows import PREDICATE
from xpubsub.step import Step


def test_auto_prefers_unroll_and_says_why() -> None:
    choice = choose(PlanRequest.parse("auto"), Summary(queries=5000, predicates=20_000, edges=15_000))
    assert choice.plan == "unroll" and "5000 queries" in choice.reason


def test_auto_takes_bucket_where_there_is_no_equality() -> None:
    choice = choose(PlanRequest.parse("auto"), Summary(queries=5000, predicates=20_000, edges=15_000, range_lookup=4000))
    assert choice.plan == "bucket" and "80%" in choice.reason


def test_auto_takes_share_where_chains_are_shared() -> None:
    choice = choose(PlanRequest.parse("auto"), Summary(queries=50_000, predicates=200_000, edges=15_000))
    assert choice.plan == "share" and "200000 predicates share 15000" in choice.reason


def test_a_plan_by_name_and_names_that_do_not_exist() -> None:
    assert choose(PlanRequest.parse("share"), Summary()).plan == "share"
    assert choose(PlanRequest.parse("auto,bucket"), Summary()).plan == "bucket"
    with pytest.raises(xpubsub.Error, match="no plan 'fast'"):
        choose(PlanRequest.parse("fast"), Summary())
    with pytest.raises(xpubsub.Error, match="choose one"):
        choose(PlanRequest.parse("unroll,share"), Summary())


def test_selectivity_from_values_seen() -> None:
    seen = Seen([("a", None, 90), ("b", None, 10), ("5", 5.0, 50), ("9", 9.0, 50)])
    passing = {op: seen.passing(op, None, np.array([6.0]))[0] for op in ("<", "<=", ">", ">=", "=", "!=")}
    assert passing == {"<": 50, "<=": 50, ">": 50, ">=": 50, "=": 0.5, "!=": 200}
    assert list(seen.passing("=", ["a", "b"], None)) == [90, 10]
    assert seen.passing("exists", None, None) == 200
    assert list(seen.passing("starts-with", ["b"], None)) == [10]


def test_few_messages_say_little() -> None:
    nothing = Selectivity(3, {1: [Seen([("x", None, 3)])], 2: [Seen([("5", 5.0, 3)])]})
    common = Selectivity(30_000, {1: [Seen([("y", None, 20_000)])], 2: [Seen([("5", 5.0, 30_000)])]})
    for known, expected in ((nothing, True), (common, False)):
        [equal], [above] = known.shares(1, "=", ["y"], None), known.shares(2, ">", None, np.array([9.0]))
        assert (equal < above) == expected, "an equality is rarer than a range, until messages say otherwise"


def test_constants_asked_for_decide_where_nothing_was_seen() -> None:
    counted = [{"linear_path_id": path, "op": "=", "constants": 9, "uses": uses} for path, uses in ((1, 1000), (2, 2))]
    often = [{"linear_path_id": 1, "value": "often", "number": None, "uses": 300}]
    guessed = Selectivity(asked=QueryConstants.of(counted, often))
    [rare, common], [unknown] = guessed.shares(1, "=", ["x", "often"], None), guessed.shares(2, "=", ["x"], None)
    assert rare < unknown < common < guessed.shares(3, ">", None, np.array([1.0]))


def test_a_range_is_a_bound_that_some_number_exceeds() -> None:
    for op, passing, failing in ((">", [5.1], [5.0]), (">=", [5.0], [4.9]), ("<", [4.9], [5.0]), ("<=", [5.0], [5.1])):
        [bound] = directed(op, np.array([5.0]))
        turn = 1 if op[0] == ">" else -1
        assert turn * passing[0] > bound and not turn * failing[0] > bound


def arranged(*predicates: tuple[int, str, str | None, float | None], **bounds: list[float]) -> dict[str, list[dict[str, Any]]]:
    """One query, arranged with two slots; bounds are of linear path 1."""
    rows = pa.array([[dict(zip(("linear_path_id", "op", "value", "number"), each, strict=True)) for each in predicates]],
                    pa.list_(PREDICATE))
    sides = {"above": ">", "below": "<"}
    arranger = Arranger(Selectivity(), 2, {(1, sides[side]): limits for side, limits in bounds.items()})
    return {name: table.to_pylist() for name, table in arranger.tables(pa.array([777]), rows).items()}


def test_equalities_come_first_in_a_chain_and_texts_are_tested_apart() -> None:
    tables = arranged((1, ">", None, 55.0), (2, "=", "x", None), (3, "!=", "y", None), above=[0.0, 50.0, 60.0])
    [row], edges = tables["unrolled"], tables["arranged_edge"]
    assert walk(edges, SHARE_ROOT) == [("=", -inf), (">", 55.0), ("!=", -inf)]
    assert walk(edges, RANGE_ROOT) == walk(edges, BUCKET_ROOT) == []
    meaning = {key["key"]: (key["op"], key["value"]) for key in tables["arranged_key"]}
    assert meaning[row["lookup_key"]] == ("=", "x")
    assert (meaning[row["key1"]], row["bound1"], row["key2"]) == ((">", None), 55.0, ALWAYS)
    assert walk(edges, row["chain_id"]) == [] and row["final"]
    assert [(text["query_id"], text["op"], text["value"]) for text in tables["arranged_text"]] == [(777, "!=", "y")]


def test_queries_without_an_equality_start_in_a_bucket() -> None:
    tables = arranged((1, ">", None, 55.0), (3, "<", None, 9.0), above=[0.0, 50.0, 60.0])
    [row], edges = tables["unrolled"], tables["arranged_edge"]
    assert walk(edges, SHARE_ROOT) == []
    assert sorted(walk(edges, RANGE_ROOT)) == [("<", -9.0), (">", 55.0)]
    assert walk(edges, BUCKET_ROOT)[0] == (">", 50.0) and sorted(walk(edges, BUCKET_ROOT)[1:]) == [("<", -9.0), (">", 55.0)]
    assert row["final"] and {row["bound1"], row["bound2"]} == {55.0, -9.0}


def test_what_is_below_all_buckets_is_found_without_one() -> None:
    tables = arranged((1, "<", None, 7.0), below=[-5.0])
    [row] = tables["unrolled"]
    assert row["lookup_key"] == row["key1"] and row["bound1"] == -7.0


def walk(edges: list[dict[str, Any]], root: int) -> list[tuple[str, float]]:
    after = {edge["pre_id"]: edge for edge in edges}
    chain = []
    while root in after:
        chain.append((after[root]["op"], after[root]["bound"]))
        root = after[root]["chain_id"]
    return chain


def test_values_seen_change_the_order_of_what_is_subscribed_later_and_on_gc() -> None:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("before", "/t/kind = 'common' and /t/price > 99")
        broker.publish([(f"m{n}", f"<t><kind>common</kind><price>{n}</price></t>") for n in range(200)])
        broker.subscribe("after", "/t/kind = 'common' and /t/price > 98")
        first = Step("first", "select s.query, k.op from predicate_unroll as u join stored_query as s on s.query_id = u.query_id"
                     " join predicate_key as k on k.key = u.lookup_key")
        assert sorted((row["query"][-4:], row["op"]) for row in broker.store.rows(first)) == [("98.0", ">"), ("99.0", "=")]
        broker.gc()
        assert {row["op"] for row in broker.store.rows(first)} == {">"}


def test_the_plan_is_explained_with_the_sql_of_each_step(capsys: pytest.CaptureFixture[str]) -> None:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("s", "//a[b]/c")
        text = broker.explain_sql("share")
    assert text.startswith("plan: share (asked for by name)\nsteps: batch_tagpath → tagpath_key → node_range → key_held")
    assert "== share_equal\n/* One row: a message and a chain of equality predicates" in text
