"""Random streams × random correlations: a brute-force loop decides, whatever the cuts between batches."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from random import Random
from typing import Any

import pytest

import xpubsub
from tests.correlation_generate import Message, Query, Streams, canonical
from xpubsub.plan.correlate import CORRELATE_PLANS

Found = Counter[tuple[str, str, str]]


def expected(queries: dict[str, Query], messages: list[tuple[str, Message]]) -> Found:
    found: Found = Counter()
    for name, query in queries.items():
        for (message_id, output), times in query.results(messages).items():
            found[message_id, name, output] += times
    return found


def published(
    broker: xpubsub.Broker, messages: list[tuple[str, Message]], random: Random, most: int, plan: str = "auto"
) -> Found:
    """Publish in batches of random sizes, each of one stream."""
    found: Found = Counter()
    for stream, group in groupby(messages, key=lambda each: each[0]):
        waiting = [message for _, message in group]
        while waiting:
            size = random.randint(1, most)
            batch, waiting = waiting[:size], waiting[size:]
            for row in broker.publish(batch, stream=stream, plan=plan).notifications.to_pylist():
                found[row["message_id"], row["subscription_id"], canonical(row["output"])] += 1
    return found


def given(seed: int, messages: int, queries: int) -> tuple[list[tuple[str, Message]], dict[str, Query]]:
    source = Streams(Random(seed))
    return source.messages(messages), {f"q{n}": source.query() for n in range(queries)}


@pytest.mark.parametrize("seed", range(4))
def test_correlations_agree_with_a_loop(seed: int) -> None:
    messages, queries = given(seed, 16, 30)
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many((name, query.text) for name, query in queries.items())
        assert published(broker, messages, Random(seed), 8) == expected(queries, messages)


@pytest.mark.parametrize("plan", CORRELATE_PLANS)
@pytest.mark.parametrize("blocks", [3, 4])
def test_more_than_two_blocks_agree_with_a_loop(plan: str, blocks: int) -> None:
    source = Streams(Random(blocks))
    messages, queries = source.messages(10), {f"q{n}": source.query(blocks) for n in range(8)}
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many((name, query.text) for name, query in queries.items())
        assert published(broker, messages, Random(3), 4, plan) == expected(queries, messages)


@pytest.mark.parametrize("plan", ["mmqjp", "sequential"])
def test_other_plans_agree_with_a_loop(plan: str) -> None:
    messages, queries = given(1, 12, 12)
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many((name, query.text) for name, query in queries.items())
        assert published(broker, messages, Random(2), 12, plan) == expected(queries, messages)


def test_correlations_agree_with_a_loop_on_spark(connect: Any) -> None:
    messages, queries = given(105, 6, 5)
    messages.sort(key=lambda each: each[0])
    broker = connect("spark")
    broker.subscribe_many([(name, query.text) for name, query in queries.items()])
    assert published(broker, messages, Random(1), 4) == expected(queries, messages)
