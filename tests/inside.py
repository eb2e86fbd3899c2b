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
from xpubsub.store.store import Store


def known(broker: xpubsub.Broker) -> Known:
    """What the publisher knows of the store."""
    return broker._publisher.known()


IN_SPARK_SQL = xpubsub.Limits(driver_table=-1)
"""Limits by which the plan `sql` runs every step in Spark SQL."""


TABLES_IN_SPARK_SQL = xpubsub.Limits(driver_table=0)
"""Limits by which the plan `sql` runs every step in Spark SQL that reads a table."""


def store(broker: xpubsub.Broker) -> Store:
    """The store with the engine that runs steps; on Spark, that of the plan `sql`."""
    return broker._publisher._by_sql()._store if on_spark(broker) else broker.store  # type: ignore[attr-defined]


def on_spark(broker: xpubsub.Broker) -> bool:
    """Whether a broker publishes on Spark."""
    return bool(broker._publisher.ON_SPARK)  # type: ignore[attr-defined]


def in_sql(broker: xpubsub.Broker, plan: str) -> str:
    """A plan, on Spark carried out by Spark SQL."""
    return f"sql,{plan}" if on_spark(broker) else plan


def publish(broker: xpubsub.Broker, messages: Iterable[Any], plan: str, *, branches_in_sql: bool) -> Result:
    """Publish with branches checked by SQL, or by the BrPred function; on Spark by the plan `sql`."""
    engine = store(broker).engine
    engine.PREFERS_SQL = branches_in_sql  # type: ignore[misc]
    try:
        return broker.publish(messages, plan=in_sql(broker, plan))
    finally:
        del engine.PREFERS_SQL


def steps(broker: xpubsub.Broker, plan: str, *, branches_in_sql: bool, narrowed: bool = False) -> Pipeline:
    """The steps of a plan for filters."""
    return filter_steps(FilterCase(plan, known(broker).summary, branches_in_sql, narrowed=narrowed))
