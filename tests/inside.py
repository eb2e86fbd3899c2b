"""What tests look at behind the broker's door, in one place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import xpubsub
from xpubsub.jobs.publish.known import Known
from xpubsub.jobs.publish.result import Result
from xpubsub.plan.filter_case import FilterCase
from xpubsub.plan.filters import filter_steps
from xpubsub.step import Pipeline


def known(broker: xpubsub.Broker) -> Known:
    """What the publisher knows of the store."""
    return broker._publisher.known()


def publish(broker: xpubsub.Broker, messages: Iterable[Any], plan: str, *, branches_in_sql: bool) -> Result:
    """Publish with branches checked by SQL, or by the BrPred function."""
    prefer_sql(broker, branches_in_sql)
    try:
        return broker.publish(messages, plan=plan)
    finally:
        del broker.store.engine.PREFERS_SQL


def prefer_sql(broker: xpubsub.Broker, preferred: bool) -> None:
    """Have an engine prefer SQL, or functions."""
    broker.store.engine.PREFERS_SQL = preferred  # type: ignore[misc]


def steps(broker: xpubsub.Broker, plan: str, *, branches_in_sql: bool) -> Pipeline:
    """The steps of a plan for filters."""
    return filter_steps(FilterCase(plan, known(broker).summary, branches_in_sql))
