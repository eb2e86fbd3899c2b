"""Random recursive messages × random transformations: Saxon decides, on both engines."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import xpubsub
from tests.flwr_generate import Documents, Transformations
from tests.saxon import Judge, canonical, comparable, parsed

Outputs = dict[tuple[str, str], Any]
PLANS = ("auto", "f", "fw", "fwr,no-claims", "fwr,share")


def given(seed: int, documents: int, queries: int) -> tuple[dict[str, str], dict[str, tuple[str, str, str]]]:
    random = Random(seed)
    source, texts = Documents(random), Transformations(random)
    return ({f"m{n}": source.document() for n in range(documents)},
            {f"q{n}": texts.transformation() for n in range(queries)})


def judged(messages: dict[str, str], queries: dict[str, tuple[str, str, str]]) -> Outputs:
    trees, found = parsed(messages), Outputs()
    for subscription_id, (_, theirs, bound) in queries.items():
        judge = Judge(theirs, bound)
        for message_id, tree in trees.items():
            if (result := judge.evaluate(tree)) is not None:
                found[message_id, subscription_id] = comparable(result)
    return found


def outputs(result: xpubsub.Result) -> Outputs:
    assert result.rejected.num_rows == 0
    rows = result.notifications.to_pylist()
    found = {(row["message_id"], row["subscription_id"]): comparable(canonical(row["output"])) for row in rows}
    assert len(found) == len(rows), "one notification for each message and subscription"
    return found


@pytest.mark.parametrize("seed", range(5))
def test_transformations_agree_with_saxon(seed: int) -> None:
    messages, queries = given(seed, 20, 60)
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many((name, ours) for name, (ours, _, _) in queries.items())
        expected = judged(messages, queries)
        for plan in PLANS:
            assert outputs(broker.publish(messages.items(), plan=plan)) == expected, plan


def test_transformations_agree_with_saxon_on_spark(connect: Any) -> None:
    messages, queries = given(75, 20, 30)
    rows = [(name, ours) for name, (ours, _, _) in queries.items()]
    broker, other = connect("spark"), connect("duckdb")
    for each in (broker, other):
        each.subscribe_many(rows)
    result = broker.publish(messages.items(), plan="f")
    assert outputs(result) == judged(messages, queries)
    texts, others = (sorted(map(str, each.notifications.to_pylist())) for each in (result, other.publish(messages.items())))
    assert texts == others, "to the byte"
