"""Random messages × random queries of the whole language: Saxon decides, on both engines; so it does what fails."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from saxonche import PySaxonApiError

import xpubsub
from tests.flwr_generate import Documents
from tests.saxon import Judge, canonical, comparable, parsed
from tests.xquery_generate import Queries

Outputs = dict[tuple[str, str], Any]
FAILED = "failed"


def given(seed: int, documents: int, queries: int) -> tuple[dict[str, str], dict[str, tuple[str, str, str]]]:
    random = Random(seed)
    source, texts = Documents(random, namespaces=seed % 2 == 0), Queries(random)
    return ({f"m{n}": source.document() for n in range(documents)}, {f"q{n}": texts.query() for n in range(queries)})


def judged(messages: dict[str, str], queries: dict[str, tuple[str, str, str]]) -> Outputs:
    trees, found = parsed(messages), Outputs()
    for subscription_id, (_, theirs, bound) in queries.items():
        judge = Judge(theirs, bound)
        for message_id, tree in trees.items():
            try:
                result = judge.evaluate(tree)
            except PySaxonApiError:
                found[message_id, subscription_id] = FAILED
                continue
            if result is not None:
                found[message_id, subscription_id] = comparable(result)
    return found


def outputs(result: xpubsub.Result) -> Outputs:
    assert result.rejected.num_rows == 0
    rows, failed = result.notifications.to_pylist(), result.failed.to_pylist()
    found = {(row["message_id"], row["subscription_id"]): comparable(canonical(row["output"])) for row in rows}
    found |= {(row["message_id"], row["subscription_id"]): FAILED for row in failed}
    assert len(found) == len(rows) + len(failed), "one notification or failure for each message and subscription"
    return found


@pytest.mark.parametrize("seed", range(10))
def test_queries_agree_with_saxon(seed: int) -> None:
    messages, queries = given(seed, 50, 40)
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many(((name, ours) for name, (ours, _, _) in queries.items()), strict=True)
        expected = judged(messages, queries)
        for plan in ("auto", ("f", "fw", "fwr,no-claims")[seed % 3]):
            assert outputs(broker.publish(messages.items(), plan=plan)) == expected, plan


def test_queries_agree_with_saxon_on_spark(connect: Any) -> None:
    messages, queries = given(76, 10, 30)
    rows = [(name, ours) for name, (ours, _, _) in queries.items()]
    broker, other = connect("spark"), connect("duckdb")
    for each in (broker, other):
        each.subscribe_many(rows, strict=True)
    results = [each.publish(messages.items()) for each in (broker, other)]
    assert outputs(results[0]) == judged(messages, queries)
    texts, others = (sorted(map(str, each.notifications.to_pylist())) for each in results)
    assert texts == others, "to the byte"
