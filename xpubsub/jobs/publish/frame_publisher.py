"""Publishes on Spark: executors shred the messages; only new tag paths and counts reach the driver."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pyarrow as pa

from xpubsub.engines.spark import SparkEngine
from xpubsub.errors import Error
from xpubsub.jobs.publish.clocks import advance_fed, judge
from xpubsub.jobs.publish.correlating import Correlated, Published, republished, results_republished
from xpubsub.jobs.publish.frame_rows import batch_rows, frame_rows, rejected_rows
from xpubsub.jobs.publish.known import Known, Snapshots
from xpubsub.jobs.publish.messages import Batch, Times
from xpubsub.jobs.publish.planning import PublishPlan, publish_plan
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.publish.sampling import Sampler
from xpubsub.jobs.publish.slices import SliceCache
from xpubsub.jobs.publish.times import KINDS
from xpubsub.jobs.publish.timing import Timings
from xpubsub.limits import Limits
from xpubsub.match.path_matches import linear_matcher, tagpath_matcher
from xpubsub.plan.choose import choose
from xpubsub.plan.clocks import TIMELY, UNTIMELY_ROWS
from xpubsub.plan.correlate import NOTIFICATIONS as CORRELATION_NOTIFICATIONS
from xpubsub.plan.frames import (
    BAD_TIMES,
    BATCH,
    COPIES,
    EVENT_TIME,
    FOUND_TAGPATHS,
    FRAME,
    GIVEN,
    OWN_MATCHES,
    REJECTED,
    REJECTED_TOO,
    SHRED_REPORT,
    UNTIMED,
    all_notifications,
)
from xpubsub.plan.subscribe import PATHS, TAGPATH_COLLISION
from xpubsub.rows import PATH_MATCHED
from xpubsub.rows import REJECTED as REJECTED_ROWS
from xpubsub.shred.distributed import SHREDDED, shredding
from xpubsub.shred.key_index import KeyIndex
from xpubsub.step import Pipeline, file_step
from xpubsub.store.store import Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class FramePublisher:
    """Publishes batches and frames into a Spark store."""

    def __init__(self, store: Store, engine: SparkEngine, limits: Limits) -> None:
        self._store = store
        self._engine = engine
        self._limits = limits
        self._snapshots = Snapshots(store, limits)
        self._sampler = Sampler(store)
        self._slices = SliceCache(store, limits.slice_cache)

    def close(self) -> None:
        """Do nothing: only the engine holds resources."""

    def known(self) -> Known:
        """The current snapshot of the store."""
        return self._snapshots.known()

    def publish(self, batch: Batch) -> Result:
        """Match a batch held in this process, and the messages that its correlations publish."""
        result = self._publish(batch)
        self._advance()
        return result

    def _publish(self, batch: Batch) -> Result:
        timings, times, correlated = Timings(), Times(), Correlated()
        with self._engine.pipeline():
            with timings.of("load"):
                rows, duplicates = batch_rows(batch.messages, batch.progress, times)
                index = self._index(batch)
                sampled = self._sampler.worth(rows.num_rows)
                self._shred(self._engine.session.createDataFrame(rows), BATCH, index, sampled)
                self._engine.load("event_time", times.table())
            with timings.of("shred"):
                report = self._engine.fetch(SHRED_REPORT)
                untimely = self._judge(batch.stream)
                index = self._remember_tagpaths(report, index)
            with timings.of("plan"):
                self._engine.load("batch", batch.relation())
                plan = self._plan(batch, index)
                last = plan.run(Timings())
            with timings.of("match"):
                notifications = self._engine.fetch(last)
            if plan.known.summary.correlations:
                correlated = self._correlate(plan, batch, timings)
                with timings.of("notification_correlation"):
                    found = self._engine.fetch(CORRELATION_NOTIFICATIONS)
                notifications = pa.concat_tables([notifications, found.cast(notifications.schema)])
            with timings.of("sample"):
                self._sampler.sample(rows.num_rows)
        rejected = rejected_rows(report, duplicates, untimely)
        result = Result(notifications, rejected, plan.choice, timings, correlated.replaced)
        return republished(result, correlated.published, lambda given, name: self._publish(batch.onward(given, name)))

    def frames(self, messages: DataFrame, batch: Batch) -> tuple[DataFrame, DataFrame]:
        """Return lazy frames of notifications and rejections for a frame (id, xml, timestamp).

        Transformations and correlations run at once instead: transformations take so many steps that Spark has to
        compute some before it can plan the others, and correlations keep the messages.
        """
        summary, rows = self.known().summary, frame_rows(messages)
        with self._engine.pipeline(), self._engine.lazily(not summary.nodes_bound):
            index = None if summary.classes else self._index(batch)
            rows = self._timed(rows) if summary.correlations else rows
            self._shred(rows.drop("time", "said"), FRAME, index)
            self._judge(batch.stream)
            self._match_tagpaths()
            self._engine.load("batch", batch.relation())
            frames, published = self._matched_frames(self._plan(batch, index), batch)
            self._engine.detach(*frames)
        frames = self._with_published(*frames, published, batch)
        self._advance()
        return frames

    def _matched_frames(self, plan: PublishPlan, batch: Batch) -> tuple[tuple[DataFrame, DataFrame], list[Published]]:
        """Return the frames of notifications and rejections, and the messages that correlations publish."""
        found, rejected, published = plan.run(Timings(), lazy=True), REJECTED, list[Published]()
        if plan.known.summary.correlations:
            published = self._correlate(plan, batch, Timings()).published
            self._store.run(found, CORRELATION_NOTIFICATIONS)
            found = all_notifications(found.name)
        if plan.known.joins(batch.stream):
            self._engine.run(REJECTED)
            rejected = REJECTED_TOO
        return (self._engine.frame(found), self._engine.frame(rejected)), published

    def _index(self, batch: Batch) -> KeyIndex | None:
        """Return the keys to look up while shredding; None if the plan cannot use them."""
        known = self.known()
        return known.index if choose(batch.request, known.summary).plan == "unroll" else None

    def _plan(self, batch: Batch, index: KeyIndex | None) -> PublishPlan:
        """Make the plan of a batch, and cache the tables that it reads in memory."""
        plan = publish_plan(batch.request, self.known(), keys_shredded=index is not None)
        self._engine.hold(plan.matching)
        return plan

    def _judge(self, stream: str) -> pa.Table:
        """Reject messages by their times; returns the rejected ones."""
        if not self.known().joins(stream):
            self._engine.run(UNTIMED)
            return REJECTED_ROWS.empty_table()
        judge(self._store, self.known().correlating.reads, stream, self._limits)
        self._engine.run(TIMELY)
        return self._engine.fetch(UNTIMELY_ROWS)

    def _advance(self) -> None:
        if self.known().summary.correlations:
            advance_fed(self._store, self.known().correlating.reads)

    def _timed(self, rows: DataFrame) -> DataFrame:
        """Materialize the rows, so that their event ids stay fixed, and create the relation `event_time`."""
        self._engine.view("given", rows, keep=True)
        self._engine.load("frame_start", pa.table({"now": [time.time()]}))
        self._engine.run(EVENT_TIME)
        if bad := self._store.rows(BAD_TIMES):
            raise Error(f"message {bad[0]['message_id']!r}: a message's time is {KINDS}, not {bad[0]['said']}")
        return self._engine.frame(GIVEN)

    def _correlate(self, plan: PublishPlan, batch: Batch, timings: Timings) -> Correlated:
        return plan.known.correlating.run(batch.stream, batch.request, self._limits, timings, self._slices)

    def _with_published(
        self, notifications: DataFrame, rejected: DataFrame, published: list[Published], batch: Batch
    ) -> tuple[DataFrame, DataFrame]:
        """Add to both frames the rows that publishing `published` gives."""
        for result in results_republished(published, lambda given, name: self._publish(batch.onward(given, name))):
            notifications = notifications.unionAll(self._engine.session.createDataFrame(result.notifications))
            rejected = rejected.unionAll(self._engine.session.createDataFrame(result.rejected))
        return notifications, rejected

    def _shred(self, messages: DataFrame, relations: Pipeline, index: KeyIndex | None, sampled: bool = False) -> None:
        """Create the relations of a batch from rows of event id, message id and XML (text or bytes)."""
        known = self.known()
        nodes = sampled or index is None or known.summary.nodes_asked
        copying = known.summary.nodes_bound
        function = shredding(
            known.tagpaths, known.linear_paths, self._limits, index, keep_nodes=nodes, copying=copying)
        self._engine.view("shredded", self._engine.map_frame(messages, function, SHREDDED), keep=True)
        self._store.run(*relations, *(COPIES if copying else ()))

    def _remember_tagpaths(self, report: pa.Table, index: KeyIndex | None) -> KeyIndex | None:
        """Match new tag paths in the executors and add them to the store.

        Returns the index if the keys found with it are still valid: new tag paths change which keys there are.
        """
        tagpaths = sorted({row["tagpath"] for row in report.to_pylist() if row["tagpath"] is not None})
        if not tagpaths:
            return index
        classes = self.known().summary.classes
        with self._engine.transaction():
            self._store.refuse_collisions(TAGPATH_COLLISION)
            function = linear_matcher(tagpaths, self._limits)
            self._engine.map_arrow("path_matched", file_step("linear_row"), function, PATH_MATCHED)
            self._store.append(*PATHS, ("tagpath_map", file_step("new_tagpath")))
        self._snapshots.grow()
        return None if classes or self.known().summary.classes else index

    def _match_tagpaths(self) -> None:
        """Match new tag paths in the executors, for this frame only."""
        function = tagpath_matcher(self.known().linear_paths, self._limits)
        self._engine.map_arrow("path_matched", FOUND_TAGPATHS, function, PATH_MATCHED)
        self._store.run(*OWN_MATCHES)
