"""`publish` and the numpy matchers on the same messages, in turn, with the same answers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import xpubsub
from benchmarks.baselines.raw_shred import raw_shred
from benchmarks.baselines.vectors import Pairs, PairTester, StockMatcher
from benchmarks.checking import check_pairs
from benchmarks.measuring import side_by_side
from benchmarks.rows import Row
from benchmarks.workloads.stock import Stock

Matcher = StockMatcher | PairTester


@dataclass(frozen=True)
class Found:
    """The pairs that the raw shredder and a numpy matcher found together, and their seconds."""

    pairs: Pairs
    timings: dict[str, float]


def shred_and_match(messages: Sequence[tuple[str, str]], matcher: Matcher) -> Found:
    """XML in, pairs out."""
    started = time.perf_counter()
    rows = raw_shred(messages)
    shredded = time.perf_counter()
    pairs = matcher.match(rows)
    return Found(pairs, {"raw shred": shredded - started, matcher.NAME: time.perf_counter() - shredded})


def beside_numpy(broker: xpubsub.Broker, workload: Stock, matcher: Matcher, runs: int, row: Row) -> Row:
    """The row, filled in: `publish` beside the raw shredder and a numpy matcher."""
    messages = workload.messages
    theirs, ours = side_by_side(lambda: shred_and_match(messages, matcher), lambda: broker.publish(messages), runs)
    check_pairs(ours.value.notifications, theirs.value.pairs, f"{row.workload}, {row.name}")
    return replace(
        row, figure=ours.median, sizes={**workload.sizes, "notifications": ours.value.notifications.num_rows},
        baseline=" + ".join(theirs.value.timings), baseline_figure=theirs.median, timings=ours.value.timings,
        baseline_timings=theirs.value.timings,
    )
