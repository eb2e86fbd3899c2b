"""Choosing a plan, ordering predicates, and saying why."""

from __future__ import annotations

import pytest

import xpubsub
from xpubsub.plan.choose import Summary, choose
from xpubsub.shred.arrange import BUCKET_ROOT, RANGE_ROOT, SHARE_ROOT, Arranger
from xpubsub.shred.selectivity import Predicate, Seen, Selectivity
from xpubsub.step import Step


def test_auto_prefers_unroll_and_says_why() -> None:
    choice = choose("auto", Summary(queries=5000, predicates=20_000, edges=15_000))
    assert choice.plan == "unroll" and "5000 queries" in choice.reason


def test_auto_takes_bucket_where_there_is_no_equality() -> None:
    choice = choose("auto", Summary(queries=5000, predicates=20_000, edges=15_000, range_access=4000))
    assert choice.plan == "bucket" and "80%" in choice.reason


def test_auto_takes_share_where_chains_are_shared() -> None:
    choice = choose("auto", Summary(queries=50_000, predicates=200_000, edges=15_000))
    assert choice.plan == "share" and "200000 predicates share 15000" in choice.reason


def test_a_plan_by_name_and_names_that_do_not_exist() -> None:
    assert choose("share", Summary()).plan == "share"
    assert choose("auto,bucket", Summary()).plan == "bucket"
    with pytest.raises(xpubsub.Error, match="no plan 'fast'"):
        choose("fast", Summary())
    with pytest.raises(xpubsub.Error, match="name one"):
        choose("unroll,share", Summary())


def test_selectivity_from_values_seen() -> None:
    seen = Seen([("a", None, 90), ("b", None, 10), ("5", 5.0, 50), ("9", 9.0, 50)])
    known = Selectivity(200, {1: [seen]})
    shares = {op: known.estimate(Predicate(1, op, None, 6.0))[0] for op in ("<", "<=", ">", ">=", "=", "!=")}
    assert shares == {"<": 0.25, "<=": 0.25, ">": 0.25, ">=": 0.25, "=": 0.0025, "!=": 1.0}
    assert known.estimate(Predicate(1, "=", "a", None))[0] == 0.45
    assert known.estimate(Predicate(1, "exists", None, None))[0] == 1.0
    assert known.estimate(Predicate(1, "starts-with", "b", None))[0] == 0.05


def test_constants_asked_for_decide_where_nothing_was_seen() -> None:
    guessed = Selectivity(constants={(1, "="): 1000, (2, "="): 2})
    rare, common = (guessed.estimate(Predicate(path, "=", "x", None)) for path in (1, 2))
    assert rare < common < guessed.estimate(Predicate(3, ">", None, 1.0))


def test_equalities_come_first_in_a_chain_and_buckets_start_their_own() -> None:
    predicates = [Predicate(1, ">", None, 55.0), Predicate(2, "=", "x", None), Predicate(3, "!=", "y", None)]
    arranger = Arranger(Selectivity(), 2, {(1, ">"): [0.0, 50.0, 60.0]})
    [row] = arranger.table([(777, predicates)]).to_pylist()
    edges = {edge["pre_id"]: edge for edge in row["edges"]}
    chains = {root: walk(edges, root) for root in (SHARE_ROOT, BUCKET_ROOT, RANGE_ROOT, row["chain_id"])}
    assert chains[SHARE_ROOT] == []
    assert chains[RANGE_ROOT] == [("=", None), (">", 55.0), ("!=", None)]
    assert chains[BUCKET_ROOT] == [("=", None), (">", 50.0), ("!=", None), (">", 55.0)]
    assert chains[row["chain_id"]] == [("!=", None)] and not row["final"]


def walk(edges: dict[int, dict[str, object]], root: int) -> list[tuple[object, object]]:
    chain = []
    while root in edges:
        chain.append((edges[root]["op"], edges[root]["number"]))
        root = edges[root]["chain_id"]  # type: ignore[assignment]
    return chain


def test_values_seen_change_the_order_of_what_is_subscribed_later_and_on_gc() -> None:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("before", "/t/kind = 'common' and /t/price > 99")
        broker.publish([(f"m{n}", f"<t><kind>common</kind><price>{n}</price></t>") for n in range(200)])
        broker.subscribe("after", "/t/kind = 'common' and /t/price > 98")
        first = Step("first", "select s.query, u.op1 from predicate_unroll as u join stored_query as s on s.sub_id = u.sub_id")
        assert sorted((row["query"][-4:], row["op1"]) for row in broker.store.rows(first)) == [("98.0", ">"), ("99.0", "=")]
        broker.gc()
        assert {row["op1"] for row in broker.store.rows(first)} == {">"}


def test_the_plan_is_explained_with_the_sql_of_each_step(capsys: pytest.CaptureFixture[str]) -> None:
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("s", "//a[b]/c")
        text = broker.explain_sql("share")
    assert text.startswith("plan: share (asked for by name)\nsteps: path_tuple → path_key")
    assert "== share_equal\n/* One row: a message and a chain of equality predicates" in text
