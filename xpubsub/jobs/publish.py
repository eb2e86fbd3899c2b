"""Publishing a batch in this process: shred, remember new tag paths, run the plan, fetch the notifications."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa

from xpubsub.collector import collector_paused
from xpubsub.jobs.messages import Given, message_of
from xpubsub.jobs.paths import tagpath_cache
from xpubsub.jobs.result import Result
from xpubsub.jobs.sampling import Sampler
from xpubsub.jobs.timing import Timings
from xpubsub.limits import Limits
from xpubsub.plan.choose import Summary, choose, filter_pipeline
from xpubsub.plan.subscribe import PATHS, TAGPATH_COLLISION
from xpubsub.shred.messages import Message, MessageShredder
from xpubsub.shred.rows import REJECTED
from xpubsub.shred.tables import table_of
from xpubsub.shred.tagpaths import TagPathCache
from xpubsub.shred.udf import BRPRED_PARAMETERS, BRPRED_RESULT, brpred_arrow
from xpubsub.step import file_step
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

    def forget(self) -> None:
        """Subscriptions have changed: look everything up again."""
        self._cache = None
        self._summary = None
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
        progress: Callable[[int], None] | None = None,
    ) -> Result:
        """Match one batch."""
        choice = choose(plan, self.summary())
        timings = Timings()
        try:
            with self._store.engine.pipeline():
                rejected = self._shred(messages, timings, progress)
                notifications = self._match(choice.plan, stream, timings, branches_in_sql)
                with timings.of("sample"):
                    self._sampler.sample()
        except BaseException:
            self.forget()
            raise
        return Result(notifications, rejected, choice, timings)

    def _shred(self, messages: Iterable[Given], timings: Timings, progress: Callable[[int], None] | None) -> pa.Table:
        """Make the relations `sax_parse_result` and `event`; returns what was rejected."""
        if self._cache is None:
            self._cache = tagpath_cache(self._store, self._limits)
        shredder = MessageShredder(self._cache, self._limits)
        duplicates: list[tuple[object, ...]] = []
        with timings.of("shred"), collector_paused():
            shredder.shred(_numbered(messages, duplicates, progress))
            nodes = shredder.nodes()
        with timings.of("load"):
            self._remember_tagpaths(self._cache)
            self._store.engine.load("sax_parse_result", nodes)
            self._store.engine.load("event", shredder.events())
        rejected = pa.concat_tables([shredder.rejected(), table_of(duplicates, REJECTED)])
        return rejected.sort_by("event_id").drop_columns("event_id")

    def _remember_tagpaths(self, cache: TagPathCache) -> None:
        found = cache.take_found()
        if found.tagpaths:
            engine = self._store.engine
            with engine.transaction():
                engine.load("tagpath_found", found.found())
                engine.load("path_matched", found.matched())
                self._store.refuse_collisions(TAGPATH_COLLISION)
                self._store.append(*PATHS, ("tagpath_map", file_step("new_tagpath")))
            self._summary = None

    def _match(self, plan: str, stream: str, timings: Timings, branches_in_sql: bool | None) -> pa.Table:
        """Run the steps of a plan; the result of the last is what they are all for."""
        engine = self._store.engine
        in_sql = engine.BRPRED_IN_SQL if branches_in_sql is None else branches_in_sql
        if not in_sql:
            engine.register("brpred", brpred_arrow, BRPRED_PARAMETERS, BRPRED_RESULT)
        engine.load("batch", pa.table({"stream": [stream]}))
        *steps, last = filter_pipeline(plan, self.summary(), branches_in_sql=in_sql)
        for step in steps:
            with timings.of(step.name):
                engine.run(step)
        with timings.of(last.name):
            return engine.fetch(last)


def summarise(store: Store) -> Summary:
    """Count what the plan is chosen from."""
    row = store.rows(file_step("summary"))[0]
    return Summary(**{name: int(value) for name, value in row.items()})


def _numbered(
    messages: Iterable[Given], duplicates: list[tuple[object, ...]], progress: Callable[[int], None] | None
) -> Iterator[Message]:
    """Messages with event ids; a second one with the same id is set aside."""
    seen: set[str] = set()
    for event_id, given in enumerate(messages, start=1):
        message_id, xml = message_of(given)
        if message_id in seen:
            reason = "an earlier message of the batch has the same id"
            duplicates.append((event_id, message_id, "duplicate-id", reason, None, None))
            continue
        seen.add(message_id)
        yield event_id, message_id, xml
        if progress is not None:
            progress(1)
