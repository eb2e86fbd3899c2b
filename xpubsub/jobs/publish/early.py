"""Matches the open unit of a document with filters: what is certain already, whatever the rest of the unit is."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xpubsub.jobs.publish.messages import Batch
from xpubsub.jobs.publish.planning import PublishPlan
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.publish.timing import Timings
from xpubsub.plan.filters import filter_steps
from xpubsub.rows import EVENT, REJECTED, table_of
from xpubsub.shred.open_units import EVENT_ID, OpenNodes


@dataclass(frozen=True)
class Early:
    """The nodes of an open unit, which is published later as a message."""

    message_id: str
    nodes: OpenNodes
    batch: Batch

    def result(self, plan: PublishPlan) -> Result:
        """Return the notifications that are certain."""
        timings, engine = Timings(), plan.known.store.engine
        with timings.of("early"), engine.pipeline():
            engine.load("sax_parse_result", self.nodes.nodes)
            engine.load("open_node", self.nodes.opened)
            engine.load("start_bits", plan.known.start_bits)
            engine.load("event", table_of([(EVENT_ID, self.message_id)], EVENT))
            engine.load("batch", self.batch.relation())
            *steps, last = filter_steps(replace(plan.case, early=True, prefers_sql=True))
            for step in steps:
                engine.run(step)
            notifications = engine.fetch(last)
        return Result(notifications, REJECTED.empty_table().drop_columns("event_id"), plan.choice, timings)
