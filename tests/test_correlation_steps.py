"""Each step of the correlations gives the same rows on both engines by each plan, and the judge's notifications."""

from __future__ import annotations

from collections import Counter
from functools import cache
from random import Random
from typing import Any

import pytest

import xpubsub
from tests import inside
from tests.conftest import ENGINES
from tests.correlation_generate import Message, Query, Streams, canonical
from tests.test_correlation_agreement import Found, expected
from tests.test_steps import all_rows, tables_that_differ
from xpubsub.plan.request import CORRELATION_PLANS, PlanRequest

WRITTEN = [
    ("paths", "SELECT <o>{ $x//c, $y/*, $i }</o> FROM S//a AS $x [.//b AS $i] JOIN { $i = $j, INF } T//a AS $y [.//* AS $j]"),
    ("conditions", "S//a AS $x [.//b AS $i] [not(a) or c] JOIN { $i = $j AND $i <= $y//b, INF } T//* AS $y [b or c] [.//c AS $j]"),
    ("alone", "SELECT $x FROM T/* AS $x [.//b]"),
]
"""What the random ones do not have: paths and alternatives, and one block alone."""
MADE = ("correlation_made", "correlation_output")


@cache
def drawn() -> tuple[list[tuple[str, Message]], dict[str, Query]]:
    """Messages, those of S before those of T, and correlations."""
    source = Streams(Random(8))
    messages = sorted(source.messages(6), key=lambda each: each[0])
    return messages, {f"q{n}": query for n, query in enumerate(source.queries(5, messages, least=1, most=30))}


def of_stream(name: str) -> list[Message]:
    return [message for stream, message in drawn()[0] if stream == name]


def found_in(notifications: Any) -> Found:
    return Counter((row["message_id"], row["subscription_id"], canonical(row["output"]))
                   for row in notifications.to_pylist() if row["subscription_id"].startswith("q"))


@pytest.fixture(scope="module")
def brokers(spark_session: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The same correlations on both engines, and what the messages of S bring."""
    opened: dict[str, tuple[xpubsub.Broker, Found]] = {}
    for engine in ENGINES:
        options = {"spark": spark_session, "limits": inside.IN_SPARK_SQL} if engine == "spark" else {}
        broker = xpubsub.connect(tmp_path_factory.mktemp("steps") / "store", engine=engine, **options)
        broker.subscribe_many([*((name, query.text) for name, query in drawn()[1].items()), *WRITTEN])
        opened[engine] = broker, found_in(broker.publish(of_stream("S")).notifications)
    yield opened
    for broker, _ in opened.values():
        broker.close()


def relations(broker: xpubsub.Broker, plan: str) -> tuple[dict[str, list[Any]], Found]:
    """The rows of each step for the messages of T, which are not kept; of stage 1 for the first plan alone."""
    seen: dict[str, list[Any]] = {}
    correlating = inside.known(broker).correlating
    known = set() if plan == CORRELATION_PLANS[0] else {step.name for step in correlating.stage_1}

    def look(*_: object) -> None:
        for name in (*(step.name for step in correlating.all_steps(PlanRequest.parse(plan))[:-1] if step.name not in known), *MADE):
            seen[name] = all_rows(broker, name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("xpubsub.jobs.publish.correlating.keep", look)
        if inside.on_spark(broker):
            engine = inside.store(broker).engine
            in_spark = engine._is_in_spark  # type: ignore[attr-defined]
            patch.setattr(engine, "_is_in_spark", lambda step: step.name not in known and in_spark(step))
        notifications = broker.publish(of_stream("T"), stream="T", plan=inside.in_sql(broker, plan)).notifications
        seen["notification"] = sorted(map(repr, notifications.to_pylist()))
        return seen, found_in(notifications)


@pytest.mark.parametrize("plan", CORRELATION_PLANS)
def test_same_rows_on_both_engines(brokers: Any, plan: str) -> None:
    """By the first plan every step runs in Spark SQL, by the others those of the plan that read tables."""
    inside.store(brokers["spark"][0]).engine._large = -1 if plan == CORRELATION_PLANS[0] else 0  # type: ignore[attr-defined]
    (duckdb, found), (spark, found_by_spark) = (relations(broker, plan) for broker, _ in brokers.values())
    assert sorted(duckdb) == sorted(spark)
    for name, rows in duckdb.items():
        assert rows == spark[name], name
    messages, queries = drawn()
    before, before_by_spark = (each for _, each in brokers.values())
    assert before + found == before_by_spark + found_by_spark == expected(queries, messages)
    assert all(any(repr(name) in row for row in duckdb["notification"]) for name, _ in WRITTEN)


def test_the_tables_of_both_engines_are_the_same(brokers: Any) -> None:
    assert not tables_that_differ(*(broker for broker, _ in brokers.values()))
