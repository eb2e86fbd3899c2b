"""Publishing a batch in this process: shred, remember new tag paths, run the plan, fetch the notifications."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import pyarrow as pa

from xpubsub.collector import collector_paused
from xpubsub.jobs.clocks import advance_fed, judge
from xpubsub.jobs.correlating import Correlated, Correlating, Published, load_correlating, onward
from xpubsub.jobs.messages import Duplicate, Given, Times, numbered
from xpubsub.jobs.paths import tagpath_cache
from xpubsub.jobs.result import Result
from xpubsub.jobs.sampling import Sampler
from xpubsub.jobs.shredding import Shredding
from xpubsub.jobs.single import Lookup, load_lookup, match_single
from xpubsub.jobs.slices import SliceCache
from xpubsub.jobs.timing import Timings
from xpubsub.jobs.transforming import Transforming, load_transforming
from xpubsub.limits import Limits
from xpubsub.plan.choose import Choice, Summary, choose, filter_pipeline
from xpubsub.plan.choose_transform import TransformChoice, both, choose_transform, searched
from xpubsub.plan.clocks import UNTIMELY_ROWS
from xpubsub.plan.correlate import NOTIFICATIONS as CORRELATION_NOTIFICATIONS
from xpubsub.plan.subscribe import PATHS, TAGPATH_COLLISION
from xpubsub.shred.messages import MessageShredder
from xpubsub.shred.rows import REJECTED
from xpubsub.shred.tables import table_of
from xpubsub.shred.tagpaths import TagPathCache
from xpubsub.shred.udf import BRPRED_PARAMETERS, BRPRED_RESULT, brpred_arrow
from xpubsub.step import Step, file_step
from xpubsub.store.store import Store


class Publisher:
    """Publishes batches into a store in this process; keeps what it knows of paths between batches."""

    def __init__(self, store: Store, limits: Limits) -> None:
        self._store = store
        self._limits = limits
        self._cache: TagPathCache | None = None
        self._summary: Summary | None = None
        self._changes = store.engine.shared.changes
        self._sampler = Sampler(store)
        self._lookup: tuple[Lookup | None] | None = None
        self._shredding = Shredding(limits)
        self._transforming: Transforming | None = None
        self._correlating: Correlating | None = None
        self._slices = SliceCache(store, limits.slice_cache)

    def close(self) -> None:
        """Release what is kept between batches."""
        self._shredding.close()

    def forget(self) -> None:
        """Subscriptions have changed: look everything up again."""
        self._cache = None
        self._summary = None
        self._lookup = None
        self._transforming = None
        self._correlating = None
        self._changes = self._store.engine.shared.changes

    def summary(self) -> Summary:
        """What the plan is chosen from, counted anew if subscriptions have changed."""
        if self._changes != self._store.engine.shared.changes:
            self.forget()
        if self._summary is None:
            self._summary = summarise(self._store)
        return self._summary

    def publish(
        self, messages: Iterable[Given], stream: str, plan: str, branches_in_sql: bool | None = None,
        progress: Callable[[int], None] | None = None, *, replace: bool = True,
    ) -> Result:
        """Match one batch, and what it publishes onward.

        Its messages replace those kept with the same id, unless that is not wanted.
        """
        result = self._publish(messages, stream, plan, branches_in_sql, progress, replace=replace)
        if self.summary().correlations:
            advance_fed(self._store, self._correlations().reads)
        return result

    def _publish(
        self, messages: Iterable[Given], stream: str, plan: str, branches_in_sql: bool | None,
        progress: Callable[[int], None] | None = None, *, replace: bool = True,
    ) -> Result:
        with self._carried_out(messages, stream, plan, branches_in_sql, progress, replace) as (result, published):
            pass
        return onward(result, published, lambda messages, name: self._publish(
            messages, name, plan, branches_in_sql, replace=replace))

    @contextmanager
    def matched(
        self, messages: Iterable[Given], stream: str, plan: str, branches_in_sql: bool | None = None,
        progress: Callable[[int], None] | None = None, *, replace: bool = True,
    ) -> Iterator[Result]:
        """Like `publish`, but keeps the batch's relations until the block exits, and publishes nothing onward."""
        with self._carried_out(messages, stream, plan, branches_in_sql, progress, replace) as (result, _):
            yield result

    @contextmanager
    def _carried_out(
        self, messages: Iterable[Given], stream: str, plan: str, branches_in_sql: bool | None,
        progress: Callable[[int], None] | None, replace: bool,
    ) -> Iterator[tuple[Result, list[Published]]]:
        """The result of a batch and what it publishes onward, with the batch's relations until the block exits."""
        choice = choose(plan, self.summary())
        transform = choose_transform(plan, self.summary()) if self.summary().transformations else None
        timings = Timings()
        try:
            with self._store.engine.pipeline():
                times = Times()
                shredder, duplicates = self._shred(messages, timings, progress, times)
                notifications, correlated = self._single(shredder, choice, stream, timings), Correlated()
                if notifications is None:
                    self._judge(shredder, times, stream, timings)
                    self._load(shredder, timings)
                    self._store.engine.load("batch", pa.table({"stream": [stream], "replaces": [replace]}))
                    notifications = self._match(choice.plan, transform, timings, branches_in_sql)
                    notifications, correlated = self._correlate(notifications, stream, plan, timings)
                    with timings.of("sample"):
                        self._sampler.sample(len(shredder.messages))
                rejected = pa.concat_tables([shredder.rejected(), table_of(duplicates, REJECTED)])
                rejected = rejected.sort_by("event_id").drop_columns("event_id")
                yield (Result(notifications, rejected, both(choice, transform), timings, correlated.replaced),
                       correlated.published)
        except BaseException:
            self.forget()
            raise

    def _single(self, shredder: MessageShredder, choice: Choice, stream: str, timings: Timings) -> pa.Table | None:
        """The notifications of a batch of one message, if point lookups are enough for it."""
        if len(shredder.messages) != 1 or choice.plan != "unroll" or self._sampler.worth(1):
            return None
        with timings.of("lookup"):
            if self._lookup is None:
                self._lookup = (load_lookup(self._store, self.summary()),)
            [lookup] = self._lookup
            if lookup is None:
                return None
            held = lookup.index.held(shredder.rows)
            return match_single(self._store, lookup, held, shredder.messages[0][1], stream)

    def _shred(
        self, messages: Iterable[Given], timings: Timings, progress: Callable[[int], None] | None, times: Times
    ) -> tuple[MessageShredder, list[Duplicate]]:
        """Read the messages; returns what they hold, and those with an id that came before."""
        if self._cache is None:
            self._cache = tagpath_cache(self._store, self._limits, copying=self.summary().nodes_bound)
        shredder = MessageShredder(self._cache, self._limits)
        duplicates: list[Duplicate] = []
        with timings.of("shred"), collector_paused():
            self._shredding.shred(shredder, self._cache, numbered(messages, duplicates, progress, times))
        with timings.of("paths"):
            self._remember_tagpaths(self._cache)
        return shredder, duplicates

    def _judge(self, shredder: MessageShredder, times: Times, stream: str, timings: Timings) -> None:
        """Reject messages that are late or in the future, if correlations join messages of the stream."""
        if not self.summary().correlations:
            return
        engine, reads = self._store.engine, self._correlations().reads
        engine.load("event_time", times.table())
        if reads.joins(stream):
            with timings.of("untimely"):
                engine.load("event_read", shredder.events())
                judge(self._store, reads, stream, self._limits)
                if rows := self._store.rows(UNTIMELY_ROWS):
                    shredder.reject(tuple(row.values()) for row in rows)

    def _load(self, shredder: MessageShredder, timings: Timings) -> None:
        """Make the relations `sax_parse_result` and `event`."""
        with timings.of("shred"), collector_paused():
            nodes = shredder.nodes()
        with timings.of("load"):
            self._store.engine.load("sax_parse_result", nodes)
            self._store.engine.load("event", shredder.events())
            if self.summary().nodes_bound:
                self._store.engine.load("node_copy", shredder.copies())

    def _remember_tagpaths(self, cache: TagPathCache) -> None:
        found = cache.take_found()
        if found.tagpaths:
            engine = self._store.engine
            with engine.transaction():
                engine.load("tagpath_found", found.found())
                engine.load("path_matched", found.matched())
                self._store.refuse_collisions(TAGPATH_COLLISION)
                self._store.append(*PATHS, ("tagpath_map", file_step("new_tagpath")))
            self._summary = self._lookup = self._transforming = self._correlating = None

    def _match(
        self, plan: str, transform: TransformChoice | None, timings: Timings, branches_in_sql: bool | None
    ) -> pa.Table:
        """Run the steps of a plan; the result of the last is what they are all for."""
        engine, summary = self._store.engine, self.summary()
        in_sql = engine.BRPRED_IN_SQL if branches_in_sql is None else branches_in_sql
        if not in_sql:
            engine.register("brpred", brpred_arrow, BRPRED_PARAMETERS, BRPRED_RESULT)
        *steps, last = filter_pipeline(
            plan, summary, branches_in_sql=in_sql, searched=searched(transform, summary))
        for step in steps:
            with timings.of(step.name):
                engine.run(step)
        if transform is not None:
            last = self._transform(transform, last, timings)
        with timings.of(last.name):
            return engine.fetch(last)

    def _correlate(
        self, notifications: pa.Table, stream: str, plan: str, timings: Timings
    ) -> tuple[pa.Table, Correlated]:
        """Add the notifications of correlations; what they publish is for later."""
        if not self.summary().correlations:
            return notifications, Correlated()
        correlated = self._correlations().run(stream, plan, self._limits, timings, self._slices)
        with timings.of("notification_correlation"):
            found = self._store.engine.fetch(CORRELATION_NOTIFICATIONS)
        return pa.concat_tables([notifications, found.cast(notifications.schema)]), correlated

    def _correlations(self) -> Correlating:
        """What is known of correlations, read again if subscriptions have changed."""
        if self._correlating is None:
            self._correlating = load_correlating(self._store, self.summary())
        return self._correlating

    def _transform(self, chosen: TransformChoice, filtered: Step, timings: Timings) -> Step:
        """Carry out the transformations; returns the step that adds their results to those of filters."""
        if self._transforming is None:
            self._transforming = load_transforming(self._store, self.summary())
        conforming = self._transforming.conforms(self._store.engine)
        return self._transforming.plan(chosen, conforming=conforming).run(self._store.engine, filtered, timings)


def summarise(store: Store) -> Summary:
    """Count what the plan is chosen from."""
    row = store.rows(file_step("summary"))[0]
    return Summary(**{name: int(value) for name, value in row.items()})
