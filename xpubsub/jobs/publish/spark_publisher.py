"""Publishes on Spark: workers match the messages; this process keeps the store, and joins for correlations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

import pyarrow as pa
import pyarrow.compute as pc

from xpubsub.arrow import PACKED, flowing, joined, unpack
from xpubsub.engines.parquet import ParquetEngine
from xpubsub.engines.spark import SparkEngine
from xpubsub.engines.spark_session import (
    SparkSessions,
    collected,
    extended,
    frame_of,
    is_frame,
    mapped,
    with_columns,
)
from xpubsub.engines.spark_tables import SparkTables
from xpubsub.errors import Error
from xpubsub.jobs.publish.clocks import judge
from xpubsub.jobs.publish.correlating import Correlated, Published, republished
from xpubsub.jobs.publish.frame_rows import (
    batch_rows,
    check_frame,
    frame_times,
    later_duplicates,
    lazy_rows,
    timed_rows,
)
from xpubsub.jobs.publish.lazy_frames import REJECTION, notifying, rejecting
from xpubsub.jobs.publish.messages import Batch, Times
from xpubsub.jobs.publish.partition import EVENT, GIVEN, NOTIFICATION, REJECTED, SAMPLE, TAGPATH, TIMING, Task, matching
from xpubsub.jobs.publish.planning import PublishPlan
from xpubsub.jobs.publish.publisher import Publisher
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.publish.snapshot_files import SnapshotFiles
from xpubsub.jobs.publish.sql_publisher import SqlPublisher
from xpubsub.jobs.publish.timing import Timings
from xpubsub.jobs.stream.source_options import SourceOptions
from xpubsub.jobs.stream.sources import Source
from xpubsub.jobs.stream.spark_reading import spark_source
from xpubsub.limits import Limits
from xpubsub.plan.choose import Choice, choose_on_spark
from xpubsub.plan.clocks import TIMELY, UNTIMELY_ROWS
from xpubsub.plan.correlate import WITNESS_TABLES
from xpubsub.plan.frames import UNTIMED
from xpubsub.plan.request import SQL, PlanRequest
from xpubsub.rows import EVENT as EVENT_ROWS
from xpubsub.rows import NOTIFICATIONS, table_of
from xpubsub.rows import REJECTED as REJECTED_ROWS
from xpubsub.step import file_step
from xpubsub.store.store import GONE, Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_Parts = dict[str, pa.Table]
_CarriedOut = Callable[["DataFrame", Batch], AbstractContextManager[tuple[Result, list[Published]]]]


class SparkPublisher(Publisher):
    """Publishes batches and frames into a store on Spark, by the plan `partition` or `sql`."""

    ON_SPARK: ClassVar[bool] = True
    EARLY: ClassVar[bool] = False

    def __init__(self, store: Store, engine: ParquetEngine, sessions: SparkSessions, limits: Limits) -> None:
        super().__init__(store, limits)
        self._engine = engine
        self._sessions = sessions
        self._tables = SparkTables(engine, sessions)
        if sessions.running:
            self._tables.start()
        self._sql: SqlPublisher | None = None
        self._snapshot_files = SnapshotFiles(engine, sessions.hadoop_settings())

    def close(self) -> None:
        """Delete the snapshots, and stop the session if it was started here."""
        super().close()
        if self._sql is not None:
            self._sql.close()
        self._tables.close()
        self._snapshot_files.close()
        self._sessions.close()

    def _prepare(self, batch: Batch) -> None:
        """Write the snapshot for the workers, which does not include what an open transaction has changed."""
        if self._chosen(batch.request).plan != SQL:
            self._task(batch)

    def plan(self, request: PlanRequest) -> PublishPlan:
        """Return the plan of a batch."""
        spark = self._chosen(request)
        plan = self._by_sql().plan(request) if spark.plan == SQL else super().plan(request)
        return replace(plan, choice=_beside(plan.choice, spark))

    @contextmanager
    def _carried_out(self, batch: Batch) -> Iterator[tuple[Result, list[Published]]]:
        spark = self._chosen(batch.request)
        if is_frame(given := cast(Any, batch.messages)):
            with self._carrying(spark)(given, replace(batch, messages=())) as (result, published):
                yield _with_choice(result, spark), published
            return
        if spark.plan == SQL:
            with self._by_sql()._carried_out(batch) as (result, published):
                yield _with_choice(result, spark), published
            return
        timings, times = Timings(), Times()
        rows, duplicates = batch_rows(batch.messages, batch.progress, times)
        if not rows.num_rows:
            with super()._carried_out(replace(batch, messages=())) as nothing:
                yield nothing
            return
        with self._forgetting(), self._store.engine.pipeline():
            task = self._task(batch, sampled=self._sampler.worth(rows.num_rows))
            with timings.of("job"):
                parts = self._run_job(frame_of(self._sessions.session, rows), task)
            aside = table_of(duplicates, REJECTED_ROWS)
            result, published = self._finished(parts, times.table(), aside, batch, timings)
            yield _with_choice(result, spark), published

    def _chosen(self, request: PlanRequest) -> Choice:
        """Choose between the plans `partition` and `sql`."""
        return choose_on_spark(request, self._snapshot_files.size(), self._limits.snapshot_bytes)

    def _by_sql(self) -> SqlPublisher:
        """Return the publisher of the plan `sql`."""
        if self._sql is None:
            engine = SparkEngine(self._engine, self._sessions.private, self._limits.driver_table)
            self._sql = SqlPublisher(self._store, engine, self._limits)
        return self._sql

    def _task(self, batch: Batch, *, sampled: bool = False, lent: bool = False) -> Task:
        snapshot = self._snapshot_files.current(shares_disk=self._sessions.shares_disk, lent=lent)
        witnesses = bool(self.known().summary.correlations) and not lent
        return Task(snapshot, self._limits, batch.stream, batch.request, sampled, witnesses)

    def _run_job(self, rows: DataFrame, task: Task) -> _Parts:
        """Match rows (event id, message id, XML as text or bytes) in one job; return what the workers give back."""
        return unpack(collected(mapped(rows, flowing(matching(task)), PACKED), "partition"))

    def _finished(
        self, parts: _Parts, times: pa.Table, duplicates: pa.Table, batch: Batch, timings: Timings
    ) -> tuple[Result, list[Published]]:
        """Do what the workers cannot: store tag paths and samples, judge times, join and keep for correlations."""
        with timings.of("paths"):
            self._learn(parts)
        plan = super().plan(batch.request)
        notifications, rejected = parts[NOTIFICATION], [_without(parts[REJECTED], duplicates, "event_id"), duplicates]
        correlated = Correlated()
        if plan.known.summary.correlations:
            untimely = self._judged(parts[EVENT], times, duplicates, batch.stream)
            rejected.append(untimely)
            notifications = _without(notifications, untimely, "event_id")
            correlated, found = self._joined(parts, plan, batch, timings)
            notifications = pa.concat_tables([notifications.select(NOTIFICATIONS.names), found.cast(NOTIFICATIONS)])
        with timings.of("sample"):
            self._keep_sample(parts)
        for name, seconds in zip(*(parts[TIMING][each].to_pylist() for each in ("name", "seconds")), strict=True):
            timings[name] = timings.get(name, 0.0) + seconds
        aside = joined(rejected, REJECTED_ROWS).sort_by("event_id").drop_columns("event_id")
        notifications = notifications.cast(NOTIFICATIONS)
        return Result(notifications, aside, plan.choice, timings, correlated.replaced), correlated.published

    def frames(self, messages: DataFrame, batch: Batch, keep: Sequence[str] = ()) -> tuple[DataFrame, DataFrame]:
        """Return frames of notifications and rejections for a frame (id, xml, timestamp).

        They are lazy, unless correlations join the messages: then the messages are matched and kept at once.
        """
        check_frame(messages, keep)
        known = self.known()
        spark = self._chosen(batch.request)
        if spark.plan == SQL:
            return self._frames_at_once(messages, batch, keep, self._carrying(spark))
        if known.summary.correlations and batch.stream in known.correlating.reads.streams:
            return self._frames_at_once(messages, batch, keep, self._carrying(spark))
        task, rows = self._task(batch, lent=True), lazy_rows(messages, keep)
        kept = rows.schema.fields[2:]
        notified = extended(rows, notifying(task), NOTIFICATIONS, kept)
        return notified, extended(rows, rejecting(task), REJECTION, kept)

    def _carrying(self, spark: Choice) -> _CarriedOut:
        """Return the function that matches a frame at once."""
        return self._by_sql().carried_out_frame if spark.plan == SQL else self._carried_out_frame

    def source(self, given: Any, options: SourceOptions) -> Source | None:
        """Return the source that a text names, if Spark can read it in batches."""
        return spark_source(self._sessions.session, given, options)

    def _frames_at_once(
        self, messages: DataFrame, batch: Batch, keep: Sequence[str], carried_out: _CarriedOut
    ) -> tuple[DataFrame, DataFrame]:
        """Match a frame now, and return the results as frames."""
        if messages.isStreaming:
            raise Error("a streaming frame has no whole batch to join, as correlations and the plan sql need it: call"
                        " publish_frame in foreachBatch, on each batch")
        with carried_out(messages, batch) as (result, published):
            pass
        result = republished(result, published, lambda given, name: self._publish(batch.onward(given, name)))
        self._advance()
        found = frame_of(messages.sparkSession, result.notifications), frame_of(messages.sparkSession, result.rejected)
        return with_columns(found[0], messages, keep), with_columns(found[1], messages, keep)

    @contextmanager
    def _carried_out_frame(self, messages: DataFrame, batch: Batch) -> Iterator[tuple[Result, list[Published]]]:
        """Yield the result of a frame whose messages correlations join, and the messages to publish."""
        with self._forgetting(), self._store.engine.pipeline():
            parts = self._run_job(timed_rows(messages), self._task(batch))
            if NOTIFICATION not in parts:
                with super()._carried_out(batch) as nothing:
                    yield nothing
                return
            again = later_duplicates([parts[EVENT], parts[REJECTED]])
            if again.num_rows and "event_id" in parts[NOTIFICATION].column_names:
                parts[NOTIFICATION] = _without(parts[NOTIFICATION], again, "event_id")
            yield self._finished(parts, frame_times(self._store, parts[GIVEN]), again, batch, Timings())

    def _learn(self, parts: _Parts) -> None:
        """Store the tag paths that workers have found."""
        if TAGPATH in parts:
            self.known().cache.learn(set(parts[TAGPATH]["tagpath"].to_pylist()) - self.known().cache.known.keys())
            self._remember_tagpaths()

    def _keep_sample(self, parts: _Parts) -> None:
        if SAMPLE in parts:
            self._store.engine.load("sampled_part", parts[SAMPLE])
            self._sampler.keep(file_step("value_sample", "parts"), parts[EVENT].num_rows)

    def _judged(self, events: pa.Table, times: pa.Table, duplicates: pa.Table, stream: str) -> pa.Table:
        """Create the relation `event` without untimely messages, which are returned."""
        engine, known = self._store.engine, self.known()
        engine.load("event_time", times)
        engine.load("event_read", _without(events.cast(EVENT_ROWS), duplicates, "event_id"))
        if not known.joins(stream):
            engine.run(UNTIMED)
            return REJECTED_ROWS.empty_table()
        judge(self._store, known.correlating.reads, stream, self._limits)
        engine.run(TIMELY)
        return engine.fetch(UNTIMELY_ROWS)

    def _joined(
        self, parts: _Parts, plan: PublishPlan, batch: Batch, timings: Timings
    ) -> tuple[Correlated, pa.Table]:
        """Join the witnesses that workers have found; return also the notifications."""
        self._store.engine.load("batch", batch.relation())
        self._store.engine.run(GONE)
        for name in WITNESS_TABLES:
            self._store.engine.load(f"{name}_found", parts[name])
        return self._correlate(plan, batch.stream, timings, found=True)


def _with_choice(result: Result, spark: Choice) -> Result:
    """Add the plan for Spark to the plans of a result."""
    return replace(result, choice=_beside(result.choice, spark))


def _beside(choice: Choice, spark: Choice) -> Choice:
    return Choice(f"{spark.plan},{choice.plan}", f"{spark.reason}; {choice.reason}")


def _without(rows: pa.Table, others: pa.Table, column: str) -> pa.Table:
    """Return rows without those that others name."""
    return rows.filter(pc.invert(pc.is_in(rows[column], value_set=others[column].combine_chunks())))
