"""Matches the open unit of a document with filters: what is certain already, whatever the rest of the unit is."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pyarrow as pa

from xpubsub.jobs.publish.messages import Batch
from xpubsub.jobs.publish.planning import PublishPlan
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.publish.timing import Timings
from xpubsub.match.brpred import BRPRED_PARAMETERS, BRPRED_RESULT, brpred_arrow
from xpubsub.plan.filters import filter_steps
from xpubsub.rows import EVENT, REJECTED, table_of
from xpubsub.shred.open_units import EVENT_ID


@dataclass(frozen=True)
class Early:
    """The nodes of an open unit, which is published later as a message."""

    message_id: str
    nodes: pa.Table
    batch: Batch

    def result(self, plan: PublishPlan) -> Result:
        """Return the notifications that are certain."""
        timings, engine = Timings(), plan.known.store.engine
        with timings.of("early"), engine.pipeline():
            engine.load("sax_parse_result", self.nodes)
            engine.load("event", table_of([(EVENT_ID, self.message_id)], EVENT))
            engine.load("batch", self.batch.relation())
            if not engine.PREFERS_SQL:
                engine.register("brpred", brpred_arrow, BRPRED_PARAMETERS, BRPRED_RESULT)
            *steps, last = filter_steps(replace(plan.case, early=True))
            for step in steps:
                engine.run(step)
            notifications = engine.fetch(last)
        return Result(notifications, REJECTED.empty_table().drop_columns("event_id"), plan.choice, timings)
