"""A feed published batch by batch: its rate, and whether what came out is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

import xpubsub
from benchmarks.checking import Disagreement
from benchmarks.measuring import once
from benchmarks.workloads.correlations import Correlation
from benchmarks.workloads.feeds import Feed
from xpubsub.step import Step

_STATE = Step("state", "select (select count(*) from rdoc_ts) as items, (select count(*) from rbin) as edges,"
                       " (select count(*) from rdoc) as leaves")
_CHECKED = 20
"""Correlations that are counted by a loop."""


@dataclass
class Streamed:
    """What came out of a feed."""

    items: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    """By batch."""
    timings: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    """Notifications by subscription."""

    def rate(self, first: int = 0, last: int | None = None) -> float:
        """Items per second of some batches."""
        return sum(self.items[first:last]) / sum(self.seconds[first:last])

    @property
    def tenth(self) -> int:
        """How many batches are a tenth of all, or one."""
        return max(1, len(self.items) // 10)


def stream(broker: xpubsub.Broker, feed: Feed, batch: int, plan: str = "mmqjp-view") -> Streamed:
    """Publish a feed; the time of counting notifications is not part of it."""
    streamed = Streamed()
    for start in range(0, len(feed.messages), batch):
        messages = feed.messages[start : start + batch]
        measured = once(lambda messages=messages: broker.publish(messages, plan=plan))  # type: ignore[misc]
        streamed.items.append(len(messages))
        streamed.seconds.append(measured.median)
        streamed.timings.update(measured.value.timings)
        for counted in measured.value.notifications["subscription_id"].value_counts().to_pylist():
            streamed.found[counted["values"]] += counted["counts"]
    return streamed


def check(streamed: Streamed, feed: Feed, correlations: Sequence[Correlation], what: str) -> None:
    """For some correlations there are as many notifications as pairs of items."""
    same = ((number, each) for number, each in enumerate(correlations) if each.same_leaves)
    other = ((number, each) for number, each in enumerate(correlations) if not each.same_leaves)
    for number, each in (*islice(same, _CHECKED // 2), *islice(other, _CHECKED // 2)):
        found, expected = streamed.found[f"s{number}"], feed.pairs(each)
        if found != expected:
            raise Disagreement(f"{what}: {found} notifications of s{number}, {expected} pairs of items")


def state(broker: xpubsub.Broker) -> dict[str, float]:
    """How much is kept: items, edges of theirs, and leaves with values."""
    return {name: int(count) for name, count in broker.store.rows(_STATE)[0].items()}
