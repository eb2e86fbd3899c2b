"""Finishes a batch in this process, from what Spark's workers give back."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from xpubsub.arrow import joined
from xpubsub.jobs.overload.spilling import keep_units, with_parts
from xpubsub.jobs.overload.worker_spilling import SpillTask, units_of
from xpubsub.jobs.publish.clocks import judge
from xpubsub.jobs.publish.correlating import Correlated, Published
from xpubsub.jobs.publish.messages import Batch
from xpubsub.jobs.publish.partition import PartKind
from xpubsub.jobs.publish.planning import PublishPlan
from xpubsub.jobs.publish.publisher import Publisher
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.publish.timing import Timings
from xpubsub.plan.clocks import TIMELY, UNTIMELY_ROWS
from xpubsub.plan.correlate import WITNESS_TABLES
from xpubsub.plan.frames import UNTIMED
from xpubsub.rows import EVENT, FAILED, NOTIFICATION_PARTS, NOTIFICATIONS, REJECTED
from xpubsub.step import file_step
from xpubsub.store.store import GONE

WorkerParts = dict[str, pa.Table]
"""What workers give back, by kind."""


class FinishingPublisher(Publisher):
    """Does what the workers cannot: stores tag paths and samples, judges times, joins and keeps for correlations."""

    def finished(
        self, parts: WorkerParts, times: pa.Table, duplicates: pa.Table, batch: Batch, timings: Timings,
        spill: SpillTask | None = None,
    ) -> tuple[Result, list[Published]]:
        """Return the result of a batch, of which some paths may be spilled, and the messages to publish."""
        with timings.of("paths"):
            self._learn(parts)
        plan = super().plan(batch.request)
        schema = NOTIFICATIONS if batch.spill is None else NOTIFICATION_PARTS
        notifications, failed, correlated = parts[PartKind.NOTIFICATION], parts[PartKind.FAILED], Correlated()
        notifications = notifications if batch.spill is None else with_parts(notifications)
        rejected = [without(parts[PartKind.REJECTED], duplicates, "event_id"), duplicates]
        if plan.known.summary.correlations:
            untimely = self._judged(parts[PartKind.EVENT], times, duplicates, batch.stream)
            rejected.append(untimely)
            notifications, failed = (without(each, untimely, "event_id") for each in (notifications, failed))
            correlated, found = self._joined(parts, plan, batch, timings)
            found = found if batch.spill is None else with_parts(found)
            notifications = pa.concat_tables([notifications.select(schema.names), found.cast(schema)])
        if spill is not None:
            with timings.of("spill"):
                notifications = self._kept(parts[PartKind.UNIT], rejected, notifications, batch, spill)
        with timings.of("sample"):
            self._keep_sample(parts)
        for row in parts[PartKind.TIMING].to_pylist():
            timings[row["name"]] = timings.get(row["name"], 0.0) + row["seconds"]
        aside = joined(rejected, REJECTED).sort_by("event_id").drop_columns("event_id")
        notifications = notifications.select(schema.names).cast(schema)
        failed = failed.select(FAILED.names).cast(FAILED)
        result = Result(notifications, aside, plan.choice, timings, correlated.replaced, failed=failed)
        return result, correlated.published

    def _kept(
        self, units: pa.Table, rejected: list[pa.Table], notifications: pa.Table, batch: Batch, spill: SpillTask
    ) -> pa.Table:
        """Write the messages that workers have spilled to disk; return the notifications with their numbers."""
        accepted = units_of(without(units, joined(rejected, REJECTED), "event_id"))
        numbers = keep_units(self._store, self.spool(), accepted, batch.stream, spill.paths, batch.owner)
        return spill.numbered(self._store.engine, notifications, accepted, numbers)

    def _learn(self, parts: WorkerParts) -> None:
        """Store the tag paths that workers have found."""
        if PartKind.TAGPATH in parts:
            cache = self.known().cache
            cache.learn(set(parts[PartKind.TAGPATH]["tagpath"].to_pylist()) - cache.known.keys())
            self._remember_tagpaths()

    def _keep_sample(self, parts: WorkerParts) -> None:
        if PartKind.SAMPLE in parts:
            self._store.engine.load("sampled_part", parts[PartKind.SAMPLE])
            self._sampler.keep(file_step("value_sample", "parts"), parts[PartKind.EVENT].num_rows)

    def _judged(self, events: pa.Table, times: pa.Table, duplicates: pa.Table, stream: str) -> pa.Table:
        """Create the relation `event` without untimely messages, which are returned."""
        engine, known = self._store.engine, self.known()
        engine.load("event_time", times)
        engine.load("event_read", without(events.cast(EVENT), duplicates, "event_id"))
        if not known.joins(stream):
            engine.run(UNTIMED)
            return REJECTED.empty_table()
        judge(self._store, known.correlating.reads, stream, self._limits)
        engine.run(TIMELY)
        return engine.fetch(UNTIMELY_ROWS)

    def _joined(
        self, parts: WorkerParts, plan: PublishPlan, batch: Batch, timings: Timings
    ) -> tuple[Correlated, pa.Table]:
        """Join the witnesses that workers have found; return also the notifications."""
        self._store.engine.load("batch", batch.relation())
        self._store.engine.run(GONE)
        for name in WITNESS_TABLES:
            self._store.engine.load(f"{name}_found", parts[name])
        return self._correlate(plan, batch.stream, timings, found=True)


def without(rows: pa.Table, others: pa.Table, column: str) -> pa.Table:
    """Return rows without those that others name."""
    return rows.filter(pc.invert(pc.is_in(rows[column], value_set=others[column].combine_chunks())))
