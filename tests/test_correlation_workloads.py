"""The workloads of the benchmarks of correlations: what they are said to be, and what is expected of them."""

from __future__ import annotations

import pytest

import xpubsub
from benchmarks.pairs import cost
from benchmarks.streaming import check, stream
from benchmarks.workloads.correlations import Workload, three_level, two_level
from benchmarks.workloads.feeds import FEW_CHANNELS, Recurrence, deliverable, generated

WORKLOADS = [Workload("two-level", two_level(4), 2), Workload("three-level", three_level(), 2)]


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda each: str(each.name))
def test_queries_are_fulfilled_where_leaves_are_the_same(workload: Workload) -> None:
    correlations = workload.correlations(20, seed=3)
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many(workload.subscriptions(correlations))
        for plan in ("mmqjp-view", "mmqjp"):
            assert cost(broker, workload.schema, correlations, plan, runs=1).joining > 0


def test_with_windows_of_their_own_no_two_are_the_same() -> None:
    workload = WORKLOADS[0]
    texts = workload.subscriptions(workload.correlations(100, seed=1), apart=True)["text"].to_pylist()
    assert len(set(texts)) == 100


def test_many_joins_are_rare_with_a_high_zipf_parameter() -> None:
    few, many = (sum(len(each.left) for each in Workload("", two_level(6), 6, zipf).correlations(500, seed=1))
                 for zipf in (1.6, 0.0))
    assert few < 0.7 * many


@pytest.mark.parametrize("recurrence", [FEW_CHANNELS, Recurrence(reposts=0.3)])
def test_a_feed_has_as_many_notifications_as_pairs(recurrence: Recurrence) -> None:
    feed = generated(200, seed=2, recurrence=recurrence)
    correlations = deliverable(feed.workload.correlations(30, seed=2))
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many(feed.workload.subscriptions(correlations))
        check(stream(broker, feed, 100), feed, correlations, "test")
