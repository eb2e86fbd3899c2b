"""Publishes a batch in this process: shreds it, stores new tag paths, runs the plan, fetches the notifications."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from xpubsub.collector import collector_paused
from xpubsub.errors import Error
from xpubsub.jobs.publish.clocks import advance_fed, judge
from xpubsub.jobs.publish.correlating import Correlated, Published, republished
from xpubsub.jobs.publish.known import Known, Snapshots
from xpubsub.jobs.publish.messages import Batch, Duplicate, Times, numbered
from xpubsub.jobs.publish.planning import PublishPlan, publish_plan
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.publish.sampling import Sampler
from xpubsub.jobs.publish.shredding import Shredding
from xpubsub.jobs.publish.single import match_single
from xpubsub.jobs.publish.slices import SliceCache
from xpubsub.jobs.publish.timing import Timings
from xpubsub.limits import Limits
from xpubsub.plan.clocks import UNTIMELY_ROWS
from xpubsub.plan.correlate import NOTIFICATIONS as CORRELATION_NOTIFICATIONS
from xpubsub.plan.subscribe import PATHS, TAGPATH_COLLISION
from xpubsub.rows import REJECTED, table_of
from xpubsub.shred.messages import MessageShredder
from xpubsub.step import file_step
from xpubsub.store.store import Store


class Publisher:
    """Matches batches with the subscriptions of a store, in this process."""

    def __init__(self, store: Store, limits: Limits) -> None:
        self._store = store
        self._limits = limits
        self._snapshots = Snapshots(store, limits)
        self._sampler = Sampler(store)
        self._shredding = Shredding(limits)
        self._slices = SliceCache(store, limits.slice_cache)

    def close(self) -> None:
        """Stop the helper processes that are kept between batches."""
        self._shredding.close()

    def known(self) -> Known:
        """The current snapshot of the store."""
        return self._snapshots.known()

    def frames(self, messages: Any, batch: Batch) -> tuple[Any, Any]:
        """Raise an error: frames need a store on Spark."""
        raise Error("publish_frame needs a store on Spark: connect(directory, engine='spark')")

    def publish(self, batch: Batch) -> Result:
        """Match a batch, and the messages that its correlations publish."""
        result = self._publish(batch)
        if self.known().summary.correlations:
            advance_fed(self._store, self.known().correlating.reads)
        return result

    def _publish(self, batch: Batch) -> Result:
        with self._carried_out(batch) as (result, published):
            pass
        return republished(result, published, lambda messages, stream: self._publish(batch.onward(messages, stream)))

    @contextmanager
    def matched(self, batch: Batch) -> Iterator[Result]:
        """Like `publish`, but keeps the batch's relations until the block exits, and publishes nothing onward."""
        with self._carried_out(batch) as (result, _):
            yield result

    @contextmanager
    def _carried_out(self, batch: Batch) -> Iterator[tuple[Result, list[Published]]]:
        """Yield the result of a batch and the messages to publish; its relations exist until the block exits."""
        timings, times = Timings(), Times()
        try:
            with self._store.engine.pipeline():
                shredder, duplicates = self._shred(batch, times, timings)
                plan = publish_plan(batch.request, self.known())
                notifications, correlated = self._single(shredder, plan, batch.stream, timings), Correlated()
                if notifications is None:
                    self._judge(shredder, times, batch.stream, timings)
                    self._load(shredder, batch, timings)
                    notifications, correlated = self._match(plan, batch.stream, timings)
                    with timings.of("sample"):
                        self._sampler.sample(len(shredder.messages))
                rejected = pa.concat_tables([shredder.rejected(), table_of(duplicates, REJECTED)])
                rejected = rejected.sort_by("event_id").drop_columns("event_id")
                yield Result(notifications, rejected, plan.choice, timings, correlated.replaced), correlated.published
        except BaseException:
            self._snapshots.forget()
            raise

    def _shred(self, batch: Batch, times: Times, timings: Timings) -> tuple[MessageShredder, list[Duplicate]]:
        """Shred the messages; returns the shredder and the messages whose id came before."""
        cache = self.known().cache
        shredder = MessageShredder(cache, self._limits)
        duplicates: list[Duplicate] = []
        with timings.of("shred"), collector_paused():
            self._shredding.shred(shredder, cache, numbered(batch.messages, duplicates, batch.progress, times))
        with timings.of("paths"):
            self._remember_tagpaths()
        return shredder, duplicates

    def _remember_tagpaths(self) -> None:
        found = self.known().cache.take_found()
        if found.tagpaths:
            engine = self._store.engine
            with engine.transaction():
                engine.load("tagpath_found", found.found())
                engine.load("path_matched", found.matched())
                self._store.refuse_collisions(TAGPATH_COLLISION)
                self._store.append(*PATHS, ("tagpath_map", file_step("new_tagpath")))
            self._snapshots.grow()

    def _single(
        self, shredder: MessageShredder, plan: PublishPlan, stream: str, timings: Timings
    ) -> pa.Table | None:
        """Return the notifications of a batch of one message; None if point lookups are not enough for it."""
        if len(shredder.messages) != 1 or plan.choice.plan != "unroll" or self._sampler.worth(1):
            return None
        with timings.of("lookup"):
            lookup = plan.known.lookup
            if lookup is None:
                return None
            held = lookup.index.held(shredder.rows)
            return match_single(self._store, lookup, held, shredder.messages[0][1], stream)

    def _judge(self, shredder: MessageShredder, times: Times, stream: str, timings: Timings) -> None:
        """Reject messages that are late or in the future, if correlations join messages of the stream."""
        known, engine = self.known(), self._store.engine
        if known.summary.correlations:
            engine.load("event_time", times.table())
        if known.joins(stream):
            with timings.of("untimely"):
                engine.load("event_read", shredder.events())
                judge(self._store, known.correlating.reads, stream, self._limits)
                if rows := self._store.rows(UNTIMELY_ROWS):
                    shredder.reject(tuple(row.values()) for row in rows)

    def _load(self, shredder: MessageShredder, batch: Batch, timings: Timings) -> None:
        """Create the relations `sax_parse_result`, `event`, `node_copy` and `batch`."""
        with timings.of("shred"), collector_paused():
            nodes = shredder.nodes()
        with timings.of("load"):
            self._store.engine.load("sax_parse_result", nodes)
            self._store.engine.load("event", shredder.events())
            if self.known().summary.nodes_bound:
                self._store.engine.load("node_copy", shredder.copies())
            self._store.engine.load("batch", batch.relation())

    def _match(self, plan: PublishPlan, stream: str, timings: Timings) -> tuple[pa.Table, Correlated]:
        """Return the notifications of all kinds of subscription, and the messages that correlations publish."""
        last = plan.run(timings)
        with timings.of(last.name):
            notifications = self._store.engine.fetch(last)
        if not plan.known.summary.correlations:
            return notifications, Correlated()
        correlated = plan.known.correlating.run(stream, plan.request, self._limits, timings, self._slices)
        with timings.of("notification_correlation"):
            found = self._store.engine.fetch(CORRELATION_NOTIFICATIONS)
        return pa.concat_tables([notifications, found.cast(notifications.schema)]), correlated
