"""Publishing on Spark: messages are shredded in the executors; only new tag paths and counts reach the driver."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace as changed
from typing import TYPE_CHECKING

import pyarrow as pa

from xpubsub.engines.spark import SparkEngine
from xpubsub.errors import Error
from xpubsub.jobs.clocks import advance_fed, judge
from xpubsub.jobs.correlating import Correlated, Published, onward, results_onward
from xpubsub.jobs.frame_known import Known, load_known
from xpubsub.jobs.frame_rows import batch_rows, frame_rows, rejected_rows
from xpubsub.jobs.messages import Given, Times
from xpubsub.jobs.result import Result
from xpubsub.jobs.sampling import Sampler
from xpubsub.jobs.slices import SliceCache
from xpubsub.jobs.times import KINDS
from xpubsub.jobs.timing import Timings
from xpubsub.limits import Limits
from xpubsub.plan.choose import MATCHING, Choice, Summary, choose, filter_pipeline
from xpubsub.plan.choose_transform import both, choose_transform, searched
from xpubsub.plan.clocks import TIMELY, UNTIMELY_ROWS
from xpubsub.plan.correlate import NOTIFICATIONS as CORRELATION_NOTIFICATIONS
from xpubsub.plan.frames import (
    ALL_NOTIFICATIONS,
    BAD_TIMES,
    BATCH,
    COPIES,
    EVENT_TIME,
    FRAME,
    GIVEN,
    GIVEN_KEYS,
    OWN_MATCHES,
    REJECTED,
    REJECTED_TOO,
    SET_ASIDE,
    read_first,
)
from xpubsub.plan.reads import FOUND_TAGPATHS, NOTIFICATIONS
from xpubsub.plan.subscribe import PATHS, TAGPATH_COLLISION
from xpubsub.shred.distributed import SHREDDED, shredding
from xpubsub.shred.matches import linear_matcher, tagpath_matcher
from xpubsub.shred.rows import PATH_MATCHED
from xpubsub.shred.rows import REJECTED as REJECTED_ROWS
from xpubsub.shred.udf import BRPRED_PARAMETERS, BRPRED_RESULT, brpred_arrow
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
        self._sampler = Sampler(store)
        self._remembered: Known | None = None
        self._slices = SliceCache(store, limits.slice_cache)
        engine.register("brpred", brpred_arrow, BRPRED_PARAMETERS, BRPRED_RESULT)

    def close(self) -> None:
        """Nothing is kept but what the engine holds."""

    def summary(self) -> Summary:
        """What the plan is chosen from."""
        return self._known().summary

    def publish(
        self, messages: Iterable[Given], stream: str, plan: str, branches_in_sql: bool | None = None,
        progress: Callable[[int], None] | None = None, *, replace: bool = True,
    ) -> Result:
        """Match one batch that is in this process, and what it publishes onward.

        Its messages replace those kept with the same id, unless that is not wanted.
        """
        result = self._publish(messages, stream, plan, branches_in_sql, progress, replace=replace)
        self._advance(self._known())
        return result

    def _publish(
        self, messages: Iterable[Given], stream: str, plan: str, branches_in_sql: bool | None = None,
        progress: Callable[[int], None] | None = None, *, replace: bool = True,
    ) -> Result:
        timings, times = Timings(), Times()
        correlated = Correlated()
        with self._engine.pipeline():
            with timings.of("load"):
                batch, duplicates = batch_rows(messages, progress, times)
                known = self._known().planned(plan)
                sampled = self._sampler.worth(batch.num_rows)
                relations = read_first(BATCH) if known.joins(stream) else BATCH
                self._shred(self._engine.session.createDataFrame(batch), relations, known, sampled)
                self._engine.load("event_time", times.table())
            with timings.of("shred"):
                aside = self._engine.fetch(SET_ASIDE)
                untimely = self._judged(known, stream)
                if self._remember_tagpaths(aside):
                    known = self._known_anew(known)
            with timings.of("plan"):
                self._engine.load("batch", pa.table({"stream": [stream], "replaces": [replace]}))
                choice = self._match(plan, branches_in_sql, known)
            with timings.of("match"):
                notifications = self._engine.fetch(NOTIFICATIONS)
            if known.correlating is not None:
                correlated = self._correlate(known, stream, plan, timings)
                with timings.of("notification_correlation"):
                    found = self._engine.fetch(CORRELATION_NOTIFICATIONS)
                notifications = pa.concat_tables([notifications, found.cast(notifications.schema)])
            with timings.of("sample"):
                self._sampler.sample(batch.num_rows)
        rejected = rejected_rows(aside, duplicates, untimely)
        result = Result(notifications, rejected, choice, timings, correlated.replaced)
        return onward(result, correlated.published, lambda given, name: self._publish(
            given, name, plan, branches_in_sql, replace=replace))

    def _judged(self, known: Known, stream: str) -> pa.Table:
        """Decide by their times which of the messages read are events; returns the others."""
        if known.correlating is None or not known.joins(stream):
            return REJECTED_ROWS.empty_table()
        judge(self._store, known.correlating.reads, stream, self._limits)
        self._engine.run(TIMELY)
        return self._engine.fetch(UNTIMELY_ROWS)

    def _advance(self, known: Known) -> None:
        if known.correlating is not None:
            advance_fed(self._store, known.correlating.reads)

    def frames(self, messages: DataFrame, stream: str, plan: str) -> tuple[DataFrame, DataFrame]:
        """Notifications and rejections of a frame (id, xml, timestamp): lazy, nothing is read until they are asked for.

        But for transformations, which take so many steps that Spark has to compute some before it can plan the others,
        and for correlations, for which the messages are kept: both are carried out at once.
        """
        known, rows = self._known().planned(plan), frame_rows(messages)
        with self._engine.pipeline(), self._engine.lazily(not known.summary.nodes_bound):
            known = known.without_index() if known.summary.classes else known
            rows = self._timed(rows) if known.correlating is not None else rows
            judged = known.correlating is not None and known.joins(stream)
            self._shred(rows.drop("time", "said"), read_first(FRAME) if judged else FRAME, known)
            self._judged(known, stream)
            self._match_tagpaths()
            self._engine.load("batch", pa.table({"stream": [stream], "replaces": [True]}))
            self._match(plan, None, known, lazy=True)
            published = self._correlate(known, stream, plan).published
            found = NOTIFICATIONS
            if known.correlating is not None:
                self._engine.run(CORRELATION_NOTIFICATIONS)
                found = ALL_NOTIFICATIONS
            if judged:
                self._engine.run(REJECTED)
            frames = self._engine.frame(found), self._engine.frame(REJECTED_TOO if judged else REJECTED)
            self._engine.detach(*frames)
        frames = self._with_published(*frames, published, plan)
        self._advance(known)
        return frames

    def _timed(self, rows: DataFrame) -> DataFrame:
        """Rows that are numbered once for all; their times are the relation `event_time`."""
        self._engine.view("given", rows, keep=True)
        self._engine.load("frame_start", pa.table({"now": [time.time()]}))
        self._engine.run(EVENT_TIME)
        if bad := self._store.rows(BAD_TIMES):
            raise Error(f"message {bad[0]['message_id']!r}: a message's time is {KINDS}, not {bad[0]['said']}")
        return self._engine.frame(GIVEN)

    def _correlate(self, known: Known, stream: str, plan: str, timings: Timings | None = None) -> Correlated:
        """Carry out correlations."""
        if known.correlating is None:
            return Correlated()
        return known.correlating.run(stream, plan, self._limits, timings or Timings(), self._slices)

    def _with_published(
        self, notifications: DataFrame, rejected: DataFrame, published: list[Published], plan: str
    ) -> tuple[DataFrame, DataFrame]:
        """Two frames with the rows of what was published."""
        for result in results_onward(published, lambda given, name: self._publish(given, name, plan)):
            notifications = notifications.unionAll(self._engine.session.createDataFrame(result.notifications))
            rejected = rejected.unionAll(self._engine.session.createDataFrame(result.rejected))
        return notifications, rejected

    def _shred(self, messages: DataFrame, relations: Pipeline, known: Known, sampled: bool = False) -> None:
        """Make the relations of a batch out of rows of event id, message id and XML, as text or data."""
        nodes = sampled or known.index is None or known.summary.nodes_asked
        copying = known.summary.nodes_bound
        function = shredding(
            known.tagpaths, known.linear_paths, self._limits, known.index, keep_nodes=nodes, copying=copying)
        self._engine.view("shredded", self._engine.map_frame(messages, function, SHREDDED), keep=True)
        self._store.run(*relations, *(COPIES if copying else ()))

    def _known(self) -> Known:
        """What the driver knows of paths and queries, read again if subscriptions have changed."""
        if self._remembered is None or self._remembered.changes != self._engine.shared.changes:
            self._engine.hold(*MATCHING)
            self._remembered = load_known(self._store)
        return self._remembered

    def _known_anew(self, known: Known) -> Known:
        """What is known with tag paths that are new, as far as it matters: of classes, and of what a schema says."""
        if known.summary.classes:
            return self._known().without_index()
        if known.transforming is not None and known.transforming.schema is not None:
            return changed(known, transforming=self._known().transforming)
        return known

    def _remember_tagpaths(self, aside: pa.Table) -> bool:
        """New tag paths, if any, come to the driver, are matched in the executors, and join those of the store."""
        tagpaths = sorted({row["tagpath"] for row in aside.to_pylist() if row["tagpath"] is not None})
        if not tagpaths:
            return False
        with self._engine.transaction():
            self._store.refuse_collisions(TAGPATH_COLLISION)
            function = linear_matcher(tagpaths, self._limits)
            self._engine.map_arrow("path_matched", file_step("linear_row"), function, PATH_MATCHED)
            self._store.append(*PATHS, ("tagpath_map", file_step("new_tagpath")))
        self._remembered = None
        return True

    def _match_tagpaths(self) -> None:
        """New tag paths are matched for this frame only, in the executors."""
        function = tagpath_matcher(self._known().linear_paths, self._limits)
        self._engine.map_arrow("path_matched", FOUND_TAGPATHS, function, PATH_MATCHED)
        self._store.run(*OWN_MATCHES)

    def _match(
        self, plan: str, branches_in_sql: bool | None, known: Known, *, lazy: bool = False
    ) -> Choice:
        choice, transform = choose(plan, known.summary), None
        if known.transforming is not None:
            transform = choose_transform(plan, known.summary)
        in_sql = self._engine.BRPRED_IN_SQL if branches_in_sql is None else branches_in_sql
        given = GIVEN_KEYS if known.index is not None else None
        *steps, last = filter_pipeline(choice.plan, known.summary, branches_in_sql=in_sql, given=given,
                                       searched=searched(transform, known.summary))
        self._store.run(*steps)
        if known.transforming is not None and transform is not None:
            conforming = not lazy and known.transforming.conforms(self._engine)
            last = known.transforming.plan(transform, conforming=conforming).run(self._engine, last, Timings())
        self._store.run(last)
        return both(choice, transform)
