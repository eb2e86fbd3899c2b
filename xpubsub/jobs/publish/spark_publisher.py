"""Publishes on Spark: workers match the messages; this process keeps the store, and joins for correlations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

import pyarrow as pa

from xpubsub.arrow import PACKED, flowing, unpack
from xpubsub.engines.parquet import ParquetEngine
from xpubsub.engines.spark import SparkEngine
from xpubsub.engines.spark_jobs import run_over
from xpubsub.engines.spark_session import SparkSessions, collected, extended, is_frame, mapped
from xpubsub.engines.spark_tables import SparkTables
from xpubsub.errors import Error, UnsupportedError
from xpubsub.jobs.overload.spilling import SpilledFile, last_call, pending_files
from xpubsub.jobs.overload.spool import Spool
from xpubsub.jobs.overload.worker_spilling import SpillTask
from xpubsub.jobs.publish.correlating import Published, republished
from xpubsub.jobs.publish.finishing import FinishingPublisher, WorkerParts, without
from xpubsub.jobs.publish.frame_columns import FrameColumns
from xpubsub.jobs.publish.frame_rows import batch_rows, frame_times, later_duplicates, message_rows
from xpubsub.jobs.publish.kept_columns import held_frames
from xpubsub.jobs.publish.lazy_frames import REJECTION, failing, notifying, rejecting
from xpubsub.jobs.publish.matched import Matched
from xpubsub.jobs.publish.messages import Batch, Times
from xpubsub.jobs.publish.partition import MOST_BYTES, MOST_MESSAGES, PartKind, Task, matching
from xpubsub.jobs.publish.planning import PublishPlan
from xpubsub.jobs.publish.publisher import Beside
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.publish.snapshot_files import SnapshotFiles
from xpubsub.jobs.publish.sql_publisher import FrameResult, SqlPublisher
from xpubsub.jobs.publish.timing import Timings
from xpubsub.limits import Limits
from xpubsub.plan.choose import Choice, choose_on_spark
from xpubsub.plan.request import SQL, PlanRequest
from xpubsub.rows import FAILED, NOTIFICATIONS, REJECTED, table_of
from xpubsub.shred.messages import Message
from xpubsub.shred.open_units import OpenUnit
from xpubsub.store.store import Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_CarriedOut = Callable[[FrameColumns, Batch], AbstractContextManager[FrameResult]]


class SparkPublisher(FinishingPublisher):
    """Publishes batches and frames into a store on Spark, by the plan `partition` or `sql`."""

    ON_SPARK: ClassVar[bool] = True

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

    def certain(self, message_id: str, unit: OpenUnit, batch: Batch) -> Result | None:
        """Match the open unit in this process; a store too large for that waits for the end of the unit."""
        return None if self._chosen(batch.request).plan == SQL else super().certain(message_id, unit, batch)

    def publish(self, batch: Batch, beside: Beside | None = None) -> Result:
        """Match a batch, of which paths may be spilled by the plan `partition`."""
        if batch.spill and is_frame(batch.messages):
            raise _not_spilled("frames are not supported here")
        if batch.spill and (chosen := self._chosen(batch.request)).plan == SQL:
            raise _not_spilled(f"the plan sql is not supported here ({chosen.reason})")
        return super().publish(batch, beside)

    def complete(
        self, limit: int | None = None, beside: Beside | None = None, owner: str | None = None
    ) -> Result:
        """Complete spilled messages in the workers, whatever the size of the store."""
        if pending_files(self._store, owner):
            self._task(Batch((), ""))
        return super().complete(limit, beside, owner)

    def completed(self, file: SpilledFile, messages: list[Message], timings: Timings) -> tuple[Matched, pa.Table]:
        """Let workers match a file's messages in full; return what was missing, and rejected messages."""
        spill = SpillTask(tuple(file.paths), file.call_no, file.first_unit)
        task = replace(self._task(Batch((), file.stream), spill=spill), witnesses=False, numbered=False)
        with timings.of("job"):
            parts = self._matched_rows(message_rows(messages), task)
        self._learn(parts)
        return Matched(parts[PartKind.NOTIFICATION], parts[PartKind.FAILED]), parts[PartKind.REJECTED]

    def _opened_spool(self) -> Spool:
        path = self._engine.files.local_path
        if path is None:
            raise _not_spilled(f"{self._engine.place} is not supported here: messages are spilled to a local disk, or"
                               " one that is mounted, beside the store")
        return Spool(path, locked=True)

    def plan(self, request: PlanRequest) -> PublishPlan:
        """Return the plan of a batch."""
        spark = self._chosen(request)
        plan = self._by_sql().plan(request) if spark.plan == SQL else super().plan(request)
        return replace(plan, choice=_beside(plan.choice, spark))

    @contextmanager
    def _carried_out(self, batch: Batch) -> Iterator[tuple[Result, list[Published]]]:
        spark = self._chosen(batch.request)
        if is_frame(given := cast(Any, batch.messages)):
            frame = FrameColumns(given), replace(batch, messages=())
            with self._carrying(spark)(*frame) as (result, published, _):
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
            spill = SpillTask.spilling(batch.spill, last_call(self._store)) if batch.spill else None
            sampled = spill is None and self._sampler.worth(rows.num_rows)
            task = self._task(batch, sampled=sampled, spill=spill)
            with timings.of("job"):
                parts = self._matched_rows(rows, task)
            aside = table_of(duplicates, REJECTED)
            result, published = self.finished(parts, times.table(), aside, batch, timings, spill)
            yield _with_choice(result, spark), published

    def _matched_rows(self, rows: pa.Table, task: Task) -> WorkerParts:
        """Match rows in one job; if Spark runs on this machine only, a small batch is for one worker on all cores.

        Each worker reads the queries of the whole store, so that one with two threads is faster than two with one.
        """
        local = self._sessions.local_cores
        alone = local > 1 and rows.num_rows <= MOST_MESSAGES and rows.nbytes <= MOST_BYTES
        function = flowing(matching(replace(task, threads=local) if alone else task))
        return unpack(run_over(self._sessions.session, rows, function, PACKED, "partition", alone=alone))

    def _chosen(self, request: PlanRequest) -> Choice:
        """Choose between the plans `partition` and `sql`."""
        return choose_on_spark(request, self._snapshot_files.size(), self._limits.snapshot_bytes)

    def _by_sql(self) -> SqlPublisher:
        """Return the publisher of the plan `sql`."""
        if self._sql is None:
            engine = SparkEngine(self._engine, self._sessions.private, self._limits.driver_table)
            self._sql = SqlPublisher(self._store, engine, self._limits)
        return self._sql

    def _task(
        self, batch: Batch, *, sampled: bool = False, lent: bool = False, numbered: bool = False,
        spill: SpillTask | None = None,
    ) -> Task:
        snapshot = self._snapshot_files.current(shares_disk=self._sessions.shares_disk, lent=lent)
        witnesses = bool(self.known().summary.correlations) and not lent
        return Task(snapshot, self._limits, batch.stream, batch.request, sampled, witnesses, numbered or witnesses,
                    spill=spill)

    def _matched_frame(self, rows: DataFrame, task: Task) -> WorkerParts:
        """Match rows (event id, message id, XML as text or bytes) of a frame in one job."""
        return unpack(collected(mapped(rows, flowing(matching(task)), PACKED), "partition"))

    def frames(self, messages: DataFrame, batch: Batch, keep: Sequence[str] = ()) -> tuple[DataFrame, ...]:
        """Return frames of notifications, rejections and failures for a frame (id, xml, timestamp).

        They are lazy, unless correlations join the messages: then the messages are matched and kept at once.
        """
        given, known = FrameColumns(messages, keep), self.known()
        spark = self._chosen(batch.request)
        joins = known.summary.correlations and batch.stream in known.correlating.reads.streams
        if spark.plan == SQL or joins:
            return self._frames_at_once(given, batch, self._carrying(spark))
        task, rows = self._task(batch, lent=True), given.lazy_rows()
        results = ((notifying, NOTIFICATIONS), (rejecting, REJECTION), (failing, FAILED))
        return tuple(given.named(extended(rows, found(task), schema, given.kept)) for found, schema in results)

    def _carrying(self, spark: Choice) -> _CarriedOut:
        """Return the function that matches a frame at once."""
        return self._by_sql().carried_out_frame if spark.plan == SQL else self._carried_out_frame

    def session(self) -> SparkSession:
        """Return the Spark session in which sources give frames."""
        return self._sessions.session

    def _frames_at_once(
        self, given: FrameColumns, batch: Batch, carried_out: _CarriedOut
    ) -> tuple[DataFrame, ...]:
        """Match a frame now, and return the results as frames."""
        if given.messages.isStreaming:
            raise Error("a streaming frame has no whole batch to join, as correlations and the plan sql need it: call"
                        " publish_frame in foreachBatch, on each batch")
        with carried_out(given, batch) as (result, published, rows):
            pass
        result = republished(result, published, lambda messages, name: self._publish(batch.onward(messages, name)))
        self._advance()
        return held_frames(given, result, rows)

    @contextmanager
    def _carried_out_frame(self, given: FrameColumns, batch: Batch) -> Iterator[FrameResult]:
        """Yield the result of a frame whose messages correlations join, and the messages to publish."""
        with self._forgetting(), self._store.engine.pipeline():
            parts = self._matched_frame(given.timed_rows(), self._task(batch, numbered=True))
            if PartKind.NOTIFICATION not in parts:
                with super()._carried_out(batch) as nothing:
                    yield *nothing, None
                return
            again = later_duplicates([parts[PartKind.EVENT], parts[PartKind.REJECTED]])
            if again.num_rows:
                for kind in (PartKind.NOTIFICATION, PartKind.FAILED):
                    parts[kind] = without(parts[kind], again, "event_id")
            times = frame_times(self._store, parts[PartKind.GIVEN])
            yield *self.finished(parts, times, again, batch, Timings()), parts[PartKind.GIVEN]


def _with_choice(result: Result, spark: Choice) -> Result:
    """Add the plan for Spark to the plans of a result."""
    return replace(result, choice=_beside(result.choice, spark))


def _beside(choice: Choice, spark: Choice) -> Choice:
    return Choice(f"{spark.plan},{choice.plan}", f"{spark.reason}; {choice.reason}")


def _not_spilled(reason: str) -> UnsupportedError:
    return UnsupportedError(f"spilling on Spark needs the plan partition, and messages of this process: {reason}",
                            code="unsupported")
