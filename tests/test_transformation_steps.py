"""Each step of the transformations gives the same rows on both engines, and none of them is empty."""

from __future__ import annotations

from typing import Any

import pytest

import xpubsub
from tests import inside
from tests.conftest import ENGINES
from tests.test_steps import all_rows
from xpubsub.engines.duckdb import DuckDBEngine
from xpubsub.jobs.publish.timing import Timings
from xpubsub.jobs.publish.transforming_plan import TransformingPlan
from xpubsub.step import Step

TRANSFORMATIONS = [
    ("plain", "for $a in //a where $a/b = 1 return <x>{ $a/@k, $a/b }</x>"),
    ("nested", "<all>{ for $a in //a[@k], $b in $a/b return <y>{ $b, for $c in $a//c where $c > 2 return $c }</y> }</all>"),
    ("message", "for $a in //a where //r return $a"), ("many", "for $a in //a[b or c]//c return $a"),
]
MESSAGES = [
    ("m1", "<r><a k='1'><b>1</b><b>2</b><c>3</c></a><a><b>1</b></a></r>"), ("m2", "<a k='2'><a><b>5</b><c>9</c></a><b>1</b><c>1</c></a>"), ("m3", "<r/>"),
]


def relations(broker: xpubsub.Broker) -> dict[str, list[Any]]:
    """The rows of each step but the last, and the notifications."""
    seen: dict[str, list[Any]] = {}
    run = TransformingPlan.run

    def looked_at(plan: TransformingPlan, engine: Any, timings: Timings) -> Step:
        last = run(plan, engine, timings)
        seen.update({step.name: all_rows(broker, step.name) for step in plan.steps[:-1]})
        return last

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransformingPlan, "run", looked_at)
        seen["notification"] = sorted(map(repr, broker.publish(MESSAGES, plan=inside.in_sql(broker, "fwr")).notifications.to_pylist()))
    return seen


def test_same_rows_on_both_engines(spark_session: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the steps that narrow tables, which DuckDB would not need."""
    monkeypatch.setattr(DuckDBEngine, "narrows", True)
    found = {}
    for engine in ENGINES:
        options = {"spark": spark_session, "limits": inside.IN_SPARK_SQL} if engine == "spark" else {}
        with xpubsub.connect(tmp_path / engine, engine=engine, **options) as broker:
            broker.subscribe_many(TRANSFORMATIONS)
            found[engine] = relations(broker)
    assert list(found["duckdb"]) == list(found["spark"])
    for name, rows in found["duckdb"].items():
        assert rows == found["spark"][name], name
        assert rows or name.startswith("bind_failed"), name
