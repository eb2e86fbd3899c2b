"""A document published to a store that keeps another one: what that costs, by plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median_low

import xpubsub
from benchmarks.checking import Disagreement
from benchmarks.measuring import once
from benchmarks.workloads.correlations import Correlation, Schema

_JOINING = ("standing", "rt_", "value_pair", "rl", "rr", "rdoc_", "edge_any", "joined_value", "rout_", "correlated")
"""How the names of the steps of stage 2 begin."""
_NOT_JOINING = ("rreturn", "rdoc_w", "correlated_")
"""How the names of others begin."""


@dataclass(frozen=True)
class Cost:
    """Seconds of `publish`, and of the joins in it: the paper leaves out parsing and output."""

    publish: float
    joining: float
    timings: Mapping[str, float]


def joining(timings: Mapping[str, float]) -> dict[str, float]:
    """The timings of joins."""
    return {step: seconds for step, seconds in timings.items()
            if step.startswith(_JOINING) and not step.startswith(_NOT_JOINING)}


def cost(
    broker: xpubsub.Broker, schema: Schema, correlations: Sequence[Correlation], plan: str, runs: int
) -> Cost:
    """The median of some runs after one that does not count: it translates the SQL, which is remembered."""
    broker.publish([("d1", schema.document(), 0.0)])
    costs = [_once(broker, schema, correlations, plan) for _ in range(runs + 1)]
    middle = median_low(each.publish for each in costs[-runs:])
    return next(each for each in costs[-runs:] if each.publish == middle)


def _once(broker: xpubsub.Broker, schema: Schema, correlations: Sequence[Correlation], plan: str) -> Cost:
    measured = once(lambda: broker.publish([("d2", schema.document(), 1.0)], plan=plan))
    found = sorted(measured.value.notifications["subscription_id"].to_pylist())
    if found != sorted(f"s{number}" for number, each in enumerate(correlations) if each.same_leaves):
        raise Disagreement(f"{plan}: {len(found)} notifications are not those of the leaves that are the same")
    return Cost(measured.median, sum(joining(measured.value.timings).values()), measured.value.timings)
