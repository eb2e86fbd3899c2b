"""Publishes a batch in this process: shreds it, stores new tag paths, runs the plan, fetches the notifications."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, ClassVar

import pyarrow as pa

from xpubsub.errors import Error
from xpubsub.jobs.overload.spilling import (
    SpilledFile,
    check_spilled,
    keep_units,
    load_touched,
    pending_files,
    spilled_of,
    with_parts,
)
from xpubsub.jobs.overload.spool import Spool
from xpubsub.jobs.overload.worker_spilling import SpillTask
from xpubsub.jobs.publish.clocks import advance_fed, judge
from xpubsub.jobs.publish.completing import Completion
from xpubsub.jobs.publish.correlating import Correlated, Published, republished
from xpubsub.jobs.publish.early import Early
from xpubsub.jobs.publish.join_state import pass_by
from xpubsub.jobs.publish.matched import Matched
from xpubsub.jobs.publish.matcher import Matcher
from xpubsub.jobs.publish.messages import Batch, Duplicate, Times, numbered
from xpubsub.jobs.publish.planning import PublishPlan, publish_plan
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.publish.single import match_single
from xpubsub.jobs.publish.slices import SliceCache
from xpubsub.jobs.publish.timing import Timings
from xpubsub.limits import Limits
from xpubsub.plan.clocks import UNTIMELY_ROWS
from xpubsub.plan.correlate import CORRELATION_NOTIFICATIONS
from xpubsub.plan.join_state import KEPT_ID
from xpubsub.plan.request import AUTOMATIC, PlanRequest
from xpubsub.rows import REJECTED, table_of
from xpubsub.shred.messages import Message, MessageShredder
from xpubsub.shred.open_units import OpenUnit
from xpubsub.store.store import Store

Beside = Callable[[Result], None]
"""Called with the result of a batch inside the transaction that publishes it."""


class Publisher(Matcher):
    """Publishes batches into a store, in this process."""

    ON_SPARK: ClassVar[bool] = False
    """Whether the plans for Spark can be used."""

    def __init__(self, store: Store, limits: Limits) -> None:
        super().__init__(store, limits)
        self._slices = SliceCache(store, limits.slice_cache)
        self._spool: Spool | None = None

    def close(self) -> None:
        """Release whatever is kept between batches."""
        super().close()
        if self._spool is not None:
            self._spool.close()

    def plan(self, request: PlanRequest) -> PublishPlan:
        """Return the plan of a batch."""
        if request.spark and not self.ON_SPARK:
            raise Error(f"the plan {request.spark} needs a store on Spark: connect(directory, engine='spark')")
        return publish_plan(request, self.known())

    def frames(self, messages: Any, batch: Batch, keep: Sequence[str] = ()) -> tuple[Any, ...]:
        """Raise an error: frames need a store on Spark."""
        raise Error("publish_frame needs a store on Spark: connect(directory, engine='spark')")

    def session(self) -> Any:
        """Return the Spark session in which sources give frames: None, as messages are matched in this process."""
        return None

    def publish(self, batch: Batch, beside: Beside | None = None) -> Result:
        """Match a batch, and the messages that its correlations publish.

        With `beside`, everything is one transaction, at the end of which `beside` is called with the result: what it
        writes to the store is committed with the batch, and if it raises, nothing is.
        """
        if beside is None and not batch.spill:
            return self._published(batch)
        self._prepare(batch)
        if batch.spill:
            check_spilled(self._store, batch.spill, referring=self.known().keys is not None)
        with self._forgetting(), self._sweeping(batch), self._store.engine.transaction():
            result = self._published(batch)
            if beside is not None:
                beside(result)
        return result

    @contextmanager
    def _sweeping(self, batch: Batch) -> Iterator[None]:
        """Delete what a batch has spilled if it fails."""
        try:
            yield
        except BaseException:
            if batch.spill:
                with suppress(Error):
                    self.spool().sweep({each.file for each in pending_files(self._store)})
            raise

    def _prepare(self, batch: Batch) -> None:
        """Do what cannot be done inside a transaction: nothing, in one process."""

    def _published(self, batch: Batch) -> Result:
        result = self._publish(batch)
        self._advance()
        return result

    def certain(self, message_id: str, unit: OpenUnit, batch: Batch) -> Result | None:
        """Return what filters are certain of in the open unit of a document; None if nothing has changed."""
        if not self.known().summary.queries or self.known().keys is not None:
            return None
        with self._forgetting():
            nodes = unit.nodes(self.known().cache, texts=self.known().summary.texts > 0)
            if nodes is None:
                return None
            self._remember_tagpaths()
            return Early(message_id, nodes, batch).result(publish_plan(batch.request, self.known()))

    def _advance(self) -> None:
        """Advance the clocks of streams that correlations publish to."""
        if self.known().summary.correlations:
            advance_fed(self._store, self.known().correlating.reads)

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
        timings, times, duplicates = Timings(), Times(), list[Duplicate]()
        with self._forgetting(), self._store.engine.pipeline():
            messages = numbered(batch.messages, duplicates, batch.progress, times)
            shredder = self.shred(messages, timings, batch.spill or ())
            yield self._completed(shredder, times.table(), table_of(duplicates, REJECTED), batch, timings)

    @contextmanager
    def _forgetting(self) -> Iterator[None]:
        """Drop what is known of the store after a failure."""
        try:
            yield
        except BaseException:
            self._snapshots.forget()
            raise

    def _completed(
        self, shredder: MessageShredder, times: pa.Table, duplicates: pa.Table, batch: Batch, timings: Timings
    ) -> tuple[Result, list[Published]]:
        """Match messages that were shredded; return the result, and the messages to publish."""
        plan = self.plan(batch.request)
        matched, correlated = self._single(shredder, plan, times, batch, timings), Correlated()
        if matched is None:
            self._judge(shredder, times, batch.stream, timings)
            self.load(shredder, batch, timings)
            plan = self._spill(shredder, plan, batch, timings) if batch.spill else plan
            matched, correlated = self._match(plan, batch.stream, timings)
            if not batch.spill:
                with timings.of("sample"):
                    self._sampler.sample(len(shredder.messages))
        if self._store.check_costs.worth_storing:
            self._store.keep_check_costs()
        notifications = matched.notifications if batch.spill is None else with_parts(matched.notifications)
        rejected = pa.concat_tables([shredder.rejected(), duplicates])
        rejected = rejected.sort_by("event_id").drop_columns("event_id")
        result = Result(notifications, rejected, plan.choice, timings, correlated.replaced, failed=matched.failed)
        return result, correlated.published

    def _spill(self, shredder: MessageShredder, plan: PublishPlan, batch: Batch, timings: Timings) -> PublishPlan:
        """Write the spilled messages of a batch to disk; return the plan for what is left of them."""
        with timings.of("spill"):
            cache, engine = plan.known.cache, self._store.engine
            numbers = keep_units(
                self._store, self.spool(), shredder.units, batch.stream, batch.spill or (), batch.owner)
            load_touched(engine, shredder.spilled, cache)
            return publish_plan(plan.request, plan.known, spilled_of(shredder, numbers, complete=False))

    def spool(self) -> Spool:
        """Return the folder of spilled messages; files that a crash has left there are deleted first."""
        if self._spool is None:
            self._spool = self._opened_spool()
            self._spool.sweep({each.file for each in pending_files(self._store)})
        return self._spool

    def _opened_spool(self) -> Spool:
        return Spool(self._store.engine.held_file)

    def complete(
        self, limit: int | None = None, beside: Beside | None = None, owner: str | None = None
    ) -> Result:
        """Complete the spilled messages, at most about `limit` of them; return fillers and late notifications.

        - `owner`: the streaming job whose messages are completed; by default all.
        """
        self.spool()
        completion = Completion(self, self._store)
        with self._forgetting(), self._store.engine.transaction():
            result = completion.run(limit, owner)
            if beside is not None:
                beside(result)
        completion.clean()
        return result

    def completed(self, file: SpilledFile, messages: list[Message], timings: Timings) -> tuple[Matched, pa.Table]:
        """Match a file's messages in full; return what was missing, and rejected messages."""
        task = SpillTask(tuple(file.paths), file.call_no, file.first_unit)
        shredder = self.shred(messages, timings, task.paths, marking=True)
        self.load(shredder, Batch((), file.stream), timings)
        known = self.known()
        spilled = task.prepare(self._store.engine, shredder, known.cache)
        return self.match(publish_plan(AUTOMATIC, known, spilled), timings), shredder.rejected()

    def _single(
        self, shredder: MessageShredder, plan: PublishPlan, times: pa.Table, batch: Batch, timings: Timings
    ) -> Matched | None:
        """Match a batch of one message; None if point lookups are not enough for it."""
        alone = len(shredder.messages) == 1 and not shredder.included and not batch.spill and self.known().keys is None
        named = (plan.request.filters or "unroll") != "unroll" or plan.request.transformations is not None
        if not alone or named or self._sampler.worth(1):
            return None
        with timings.of("lookup"):
            lookup = plan.known.lookup
            if lookup is None:
                return None
            event_id, message_id = shredder.messages[0]
            source = shredder.sources.get(event_id)
            found = match_single(self._store, lookup, shredder.rows, message_id, batch.stream, source)
        return found if found is not None and self._passes_by(shredder, times, batch, timings) else None

    def _passes_by(self, shredder: MessageShredder, times: pa.Table, batch: Batch, timings: Timings) -> bool:
        """Move the clock for a message of which correlations bind no node; False if it is untimely, or replaces one."""
        known, engine = self.known(), self._store.engine
        if batch.stream not in known.reads.streams:
            return True
        self._judge(shredder, times, batch.stream, timings)
        engine.load("event", shredder.events())
        engine.load("batch", batch.relation())
        if not shredder.messages or self._store.rows(KEPT_ID):
            return False
        with timings.of("keep"):
            at = dict(zip(times["event_id"].to_pylist(), times["time"].to_pylist(), strict=True))
            pass_by(self._store, known.reads, batch.stream, at[shredder.messages[0][0]])
        return True

    def _judge(self, shredder: MessageShredder, times: pa.Table, stream: str, timings: Timings) -> None:
        """Reject messages that are late or in the future, if correlations join messages of the stream."""
        known, engine = self.known(), self._store.engine
        if known.summary.correlations:
            engine.load("event_time", times)
        if known.joins(stream):
            with timings.of("untimely"):
                engine.load("event_read", shredder.events())
                judge(self._store, known.reads, stream, self._limits)
                if rows := self._store.rows(UNTIMELY_ROWS):
                    shredder.reject(tuple(row.values()) for row in rows)

    def _match(self, plan: PublishPlan, stream: str, timings: Timings) -> tuple[Matched, Correlated]:
        """Return the notifications of all kinds of subscription, what failed, and what correlations publish."""
        matched = self.match(plan, timings)
        if not plan.known.summary.correlations:
            return matched, Correlated()
        correlated, found = self._correlate(plan, stream, timings)
        found = found if plan.spilled is None else with_parts(found)
        found = found.cast(matched.notifications.schema)
        return matched._replace(notifications=pa.concat_tables([matched.notifications, found])), correlated

    def _correlate(
        self, plan: PublishPlan, stream: str, timings: Timings, *, found: bool = False
    ) -> tuple[Correlated, pa.Table]:
        """Join the batch for correlations and keep it; return what they publish, and the notifications."""
        correlated = plan.known.correlating.run(
            stream, plan.request, self._limits, timings, self._slices, found=found)
        with timings.of("notification_correlation"):
            return correlated, self._store.engine.fetch(CORRELATION_NOTIFICATIONS)
