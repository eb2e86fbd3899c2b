"""The view cache (Hong 2007, algorithms 4 and 5): the same answers with any bound, and what is in it when."""

from __future__ import annotations

from random import Random
from typing import Any

import pyarrow as pa
import pytest

import xpubsub
from tests.conftest import ENGINES
from tests.test_correlation_agreement import expected, given, published
from tests.test_correlations import PAIR, fill_disk
from xpubsub.plan.slices import MESSAGE_TO_KEEP, SLICE_NEW, slice_left, sliced
from xpubsub.rows import SLICE_ROW, table_of
from xpubsub.step import Step

JOIN = PAIR.format("JOIN", "INF")


def opened(bound: int, path: Any = ":memory:") -> xpubsub.Broker:
    return xpubsub.connect(path, limits=xpubsub.Limits(slice_cache=bound))


def kept(broker: xpubsub.Broker) -> dict[str, list[int]]:
    """The messages in each slice."""
    found: dict[str, list[int]] = {}
    for row in broker._publisher._slices.rows.to_pylist():
        found.setdefault(row["value"], []).append(row["docid"])
    return {value: sorted(set(docids)) for value, docids in found.items()}


def say(broker: xpubsub.Broker, name: str, *values: object, plan: str = "auto") -> list[str]:
    """Publish a message with these keys, of either block; returns the ids of whatever is notified."""
    keys = "".join(f"<k>{value}</k>" for value in values)
    xml = f"<{name[0]}>{keys}</{name[0]}>"
    found = broker.publish([(name, xml, 1.0)], plan=plan).notifications.to_pylist()
    return [row["message_id"] for row in found]


@pytest.mark.parametrize("bound", [1, 5, 50, 100_000])
def test_any_bound_gives_what_a_loop_gives(bound: int) -> None:
    messages, queries = given(bound, 10, 5)
    with opened(bound) as broker:
        broker.subscribe_many((name, query.text) for name, query in queries.items())
        assert published(broker, messages, Random(bound), 3) == expected(queries, messages)
        assert broker._publisher._slices.rows.num_rows <= bound


@pytest.fixture
def broker() -> Any:
    with opened(1000) as broker:
        broker.subscribe("q", JOIN)
        yield broker


def test_a_slice_begins_when_a_value_recurs_and_has_all_its_messages(broker: xpubsub.Broker) -> None:
    assert say(broker, "a1", 1, 2) == [] and kept(broker) == {}, "no value has recurred"
    assert say(broker, "b2", 2, 3) == ["b2"] and kept(broker) == {"2": [1, 2]}
    assert say(broker, "a3", 2) == ["a3"] and kept(broker) == {"2": [1, 2, 3]}
    assert say(broker, "b4", 1) == ["b4"] and kept(broker) == {"1": [1, 4], "2": [1, 2, 3]}


def test_a_value_with_a_slice_is_not_searched_for(broker: xpubsub.Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    say(broker, "a1", 1, 2)
    say(broker, "b2", 1)
    searched: list[list[dict[str, Any]]] = []
    run = broker.store.engine.run

    def watched(step: Step) -> None:
        run(step)
        if step.name == "value_missed":
            searched.append(broker.store.rows(Step("all", "select value from value_missed order by value")))

    monkeypatch.setattr(broker.store.engine, "run", watched)
    assert say(broker, "b3", 1, 2) == ["b3"]
    assert searched == [[{"value": "2"}]]
    say(broker, "b4", 1, plan="mmqjp-view,no-cache")
    assert len(searched) == 1, "the plan without slices has no such step"


def test_the_values_used_last_stay_within_the_bound() -> None:
    with opened(8) as broker:
        broker.subscribe("q", JOIN)
        for number, value in enumerate([1, 1, 2, 2, 3, 3, 1, 4, 4]):
            say(broker, f"{'ab'[number % 2]}{number}", value)
            assert broker._publisher._slices.rows.num_rows <= 8
        assert kept(broker) == {"1": [1, 2, 7], "4": [8, 9]}, "of 9 rows those within three quarters of 8"
        assert say(broker, "b9", 2) == ["b9"] and kept(broker)["2"] == [3, 4, 10], "searched for, and there again"


def test_slices_of_messages_that_are_gone_make_room() -> None:
    with opened(8) as broker:
        broker.subscribe("q", PAIR.format("JOIN", "5s"))
        for number in range(12):
            name = f"{'ab'[number % 2]}{number}"
            broker.publish([(name, f"<{name[0]}><k>1</k></{name[0]}>", 4.0 * number)])
            assert broker._publisher._slices.rows.num_rows <= 8
        assert max(kept(broker)["1"]) == 12 and min(kept(broker)["1"]) > 3


def test_a_long_value_has_no_slice(broker: xpubsub.Broker) -> None:
    say(broker, "a1", "x" * 257, "y" * 256)
    assert say(broker, "b2", "x" * 257, "y" * 256) == ["b2"]
    assert list(kept(broker)) == ["y" * 256]
    assert say(broker, "b3", "x" * 257) == ["b3"]


def test_a_message_that_comes_again_counts_no_more(broker: xpubsub.Broker) -> None:
    say(broker, "a1", 1)
    say(broker, "b2", 1)
    assert say(broker, "a1", 9) == []
    assert say(broker, "b3", 1) == [] and say(broker, "a4", 1) == ["a4", "a4"]


def test_what_is_unsubscribed_and_asked_for_again_starts_anew(broker: xpubsub.Broker) -> None:
    say(broker, "a1", 1)
    say(broker, "b2", 1)
    broker.unsubscribe(["q"])
    broker.subscribe("q", JOIN)
    assert say(broker, "a3", 1) == [] and kept(broker) == {}
    assert say(broker, "b4", 1) == ["b4"]


def test_what_another_broker_or_plan_keeps_is_found(tmp_path: Any) -> None:
    with opened(1000, tmp_path / "s.duckdb") as one, opened(1000, tmp_path / "s.duckdb") as other:
        one.subscribe("q", JOIN)
        say(one, "a1", 1)
        assert say(one, "b2", 1) == ["b2"]
        assert say(other, "a3", 1) == ["a3"]
        assert say(one, "b4", 1) == ["b4", "b4"] and kept(one) == {"1": [1, 2, 3, 4]}
        assert say(one, "a5", 1, plan="mmqjp") == ["a5", "a5"]
        assert say(one, "b6", 1) == ["b6", "b6", "b6"] and kept(one) == {"1": [1, 2, 3, 4, 5, 6]}


def test_a_batch_that_fails_leaves_no_trace(broker: xpubsub.Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    say(broker, "a1", 1)
    say(broker, "b2", 1)
    fill_disk(broker, monkeypatch)
    with pytest.raises(xpubsub.EngineError):
        say(broker, "a3", 1)
    monkeypatch.undo()
    assert say(broker, "b4", 1) == ["b4"] and kept(broker) == {"1": [1, 2, 3]}


def test_explain_has_the_steps_that_are_taken(broker: xpubsub.Broker) -> None:
    assert "== value_missed" in broker.explain_sql() and "== value_missed" not in broker.explain_sql("no-cache")


EDGES = [("1", 1, 5, 6, 2, 3), ("1", 2, 7, 8, 2, 3), ("2", 1, 5, 6, 2, 4), ("3", 3, 7, 8, 2, 3)]
"""Rows of slices, and of the tables from which they are made."""


def relations() -> dict[str, pa.Table]:
    edges = table_of(EDGES, SLICE_ROW)
    values, docids = edges.select(["docid", "value"]).append_column("node", edges["node2"]), pa.table({"docid": [1, 2]})
    fresh = edges.slice(0, 3).set_column(1, "docid", pa.array([4, 4, 5]))
    return {
        "slice_row": edges.slice(0, 2), "rdoc_w": pa.table({"value": ["1", "2", "9"]}), "rdoc": values, "rbin": edges,
        "kept_message": docids, "rdoc_ts": pa.table({"docid": [1, 2, 3]}), "gone_message": pa.table({"docid": [3]}),
        "rr": fresh, "slice_held": pa.concat_tables([edges, fresh]),
    }


@pytest.mark.spark
def test_the_steps_have_the_same_rows_on_both_engines(connect: Any) -> None:
    steps = (*sliced((Step("shared_value", ""), Step("rl", ""))), SLICE_NEW, MESSAGE_TO_KEEP, slice_left(2))
    found: list[list[Any]] = []
    for engine in ENGINES:
        store = connect(engine).store
        with store.engine.pipeline():
            for name, table in relations().items():
                store.engine.load(name, table)
            store.run(*steps)
            found.append([sorted(map(repr, store.rows(Step("all", f"select * from {step.name}")))) for step in steps])
    assert found[0] == found[1]
    assert [len(rows) for rows in found[0]] == [2, 1, 3, 4, 2, 1]


def test_a_table_in_pieces_is_loaded_as_a_whole(connect: Any, engine: str) -> None:
    piece, store = pa.table({"number": [1, 2]}), connect(engine).store
    with store.engine.pipeline():
        store.engine.load("pieces", pa.concat_tables([piece.slice(0, 0), piece, piece.slice(0, 0), piece]))
        assert len(store.rows(Step("all", "select number from pieces"))) == 4
