"""Publishing on Spark: messages are shredded in the executors; only new tag paths and counts reach the driver."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from xpubsub.checks import is_text
from xpubsub.engines.spark import SparkEngine
from xpubsub.errors import Error
from xpubsub.jobs.correlating import Correlating, Published, load_correlating, onward
from xpubsub.jobs.messages import Duplicate, Given, Times, numbered
from xpubsub.jobs.paths import known_linear_paths, known_tagpaths, load_key_index
from xpubsub.jobs.publish import summarise
from xpubsub.jobs.result import Result
from xpubsub.jobs.sampling import Sampler
from xpubsub.jobs.slices import SliceCache
from xpubsub.jobs.timing import Timings
from xpubsub.jobs.transforming import Transforming, load_transforming
from xpubsub.limits import Limits
from xpubsub.plan.choose import MATCHING, Choice, Summary, choose, filter_pipeline
from xpubsub.plan.choose_transform import both, choose_transform, searched
from xpubsub.plan.frames import BATCH, COPIES, FRAME, GIVEN_KEYS, OWN_MATCHES, REJECTED, SET_ASIDE
from xpubsub.plan.reads import CORRELATION_NOTIFICATIONS, FOUND_TAGPATHS, NOTIFICATIONS
from xpubsub.plan.subscribe import PATHS, TAGPATH_COLLISION
from xpubsub.shred.distributed import SHREDDED, shredding
from xpubsub.shred.key_index import KeyIndex
from xpubsub.shred.matches import LinearUse, linear_matcher, tagpath_matcher
from xpubsub.shred.rows import PATH_MATCHED
from xpubsub.shred.rows import REJECTED as ROWS_REJECTED
from xpubsub.shred.tables import table_of
from xpubsub.shred.udf import BRPRED_PARAMETERS, BRPRED_RESULT, brpred_arrow
from xpubsub.step import Pipeline, file_step
from xpubsub.store.store import Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

@dataclass(frozen=True)
class Known:
    """What the driver knows of the store, and as of which change."""

    changes: int
    tagpaths: dict[str, int]
    linear_paths: dict[str, LinearUse]
    summary: Summary
    index: KeyIndex | None
    """For the keys that hold in a message, to be looked up while it is shredded."""
    transforming: Transforming | None = None
    correlating: Correlating | None = None

    def planned(self, plan: str) -> Known:
        """The same, with the index only where the plan can use it."""
        return self if choose(plan, self.summary).plan == "unroll" else self.without_index()

    def without_index(self) -> Known:
        """The same, with the keys to be found by joins."""
        return replace(self, index=None)


_MESSAGES = pa.schema([
    ("event_id", pa.int64()), ("message_id", pa.string()), ("text", pa.string()), ("data", pa.binary()),
])


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
        progress: Callable[[int], None] | None = None,
    ) -> Result:
        """Match one batch that is in this process."""
        timings, times = Timings(), Times()
        published: list[Published] = []
        with self._engine.pipeline():
            with timings.of("load"):
                batch, duplicates = _batch(messages, progress, times)
                known = self._known().planned(plan)
                sampled = self._sampler.worth(batch.num_rows)
                self._shred(self._engine.session.createDataFrame(batch), BATCH, known, sampled)
            with timings.of("shred"):
                aside = self._engine.fetch(SET_ASIDE)
                if self._remember_tagpaths(aside):
                    known = self._known_anew(known)
            with timings.of("plan"):
                choice = self._match(stream, plan, branches_in_sql, known)
            with timings.of("match"):
                notifications = self._engine.fetch(NOTIFICATIONS)
            if known.correlating is not None:
                self._engine.load("event_time", times.table())
                published = known.correlating.run(plan, self._limits, timings, self._slices)
                found = self._engine.fetch(CORRELATION_NOTIFICATIONS)
                notifications = pa.concat_tables([notifications, found.cast(notifications.schema)])
            with timings.of("sample"):
                self._sampler.sample(batch.num_rows)
        result = Result(notifications, _rejected(aside, duplicates), choice, timings)
        return onward(result, published, lambda given, name: self.publish(given, name, plan, branches_in_sql))

    def frames(self, messages: DataFrame, stream: str, plan: str) -> tuple[DataFrame, DataFrame]:
        """Notifications and rejections of a frame (id, xml): lazy, nothing is read before they are asked for.

        But for transformations: they take so many steps that Spark has to compute some before it can plan the others.
        """
        known = self._known().planned(plan)
        if known.correlating is not None:
            reason = "publish_frame does not carry out correlations, whose state goes from batch to batch"
            raise Error(f"{reason}: use publish")
        with self._engine.pipeline(), self._engine.lazily(known.transforming is None):
            known = known.without_index() if known.summary.classes else known
            self._shred(_numbered(messages), FRAME, known)
            self._match_tagpaths()
            self._match(stream, plan, None, known, lazy=True)
            frames = self._engine.frame(NOTIFICATIONS), self._engine.frame(REJECTED)
            self._engine.detach(*frames)
        return frames

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
            tagpaths, linear_paths = known_tagpaths(self._store), known_linear_paths(self._store)
            summary = summarise(self._store)
            index = load_key_index(self._store, summary)
            transforming = load_transforming(self._store, summary) if summary.transformations else None
            correlating = load_correlating(self._store, summary) if summary.correlations else None
            changes = self._engine.shared.changes
            self._remembered = Known(changes, tagpaths, linear_paths, summary, index, transforming, correlating)
        return self._remembered

    def _known_anew(self, known: Known) -> Known:
        """What is known with tag paths that are new, as far as it matters: of classes, and of what a schema says."""
        if known.summary.classes:
            return self._known().without_index()
        if known.transforming is not None and known.transforming.schema is not None:
            return replace(known, transforming=self._known().transforming)
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
        self, stream: str, plan: str, branches_in_sql: bool | None, known: Known, *, lazy: bool = False
    ) -> Choice:
        choice, transform = choose(plan, known.summary), None
        if known.transforming is not None:
            transform = choose_transform(plan, known.summary)
        in_sql = self._engine.BRPRED_IN_SQL if branches_in_sql is None else branches_in_sql
        self._engine.load("batch", pa.table({"stream": [stream]}))
        given = GIVEN_KEYS if known.index is not None else None
        *steps, last = filter_pipeline(choice.plan, known.summary, branches_in_sql=in_sql, given=given,
                                       searched=searched(transform, known.summary))
        self._store.run(*steps)
        if known.transforming is not None and transform is not None:
            conforming = not lazy and known.transforming.conforms(self._engine)
            last = known.transforming.plan(transform, conforming=conforming).run(self._engine, last, Timings())
        self._store.run(last)
        return both(choice, transform)


def _batch(
    messages: Iterable[Given], progress: Callable[[int], None] | None, times: Times
) -> tuple[pa.Table, list[Duplicate]]:
    """The messages as rows; a second one with the same id is set aside."""
    duplicates: list[Duplicate] = []
    given = numbered(messages, duplicates, progress, times)
    rows = [(event_id, message_id, *_payload(xml)) for event_id, message_id, xml in given]
    return table_of(rows, _MESSAGES), duplicates


def _rejected(aside: pa.Table, duplicates: list[Duplicate]) -> pa.Table:
    own = table_of(duplicates, ROWS_REJECTED)
    found = aside.filter(pc.is_valid(aside["code"])).select(ROWS_REJECTED.names)
    return pa.concat_tables([found.cast(ROWS_REJECTED), own]).sort_by("event_id").drop_columns("event_id")


def _payload(xml: object) -> tuple[str | None, bytes | None]:
    """A message as text or as data; text that no encoding has goes as data, to be rejected with its place."""
    if isinstance(xml, str):
        return (xml, None) if is_text(xml) else (None, xml.encode("utf-8", "surrogatepass"))
    return None, xml if isinstance(xml, bytes) else None


def _numbered(messages: DataFrame) -> DataFrame:
    from pyspark.sql import DataFrame
    from pyspark.sql.functions import col, monotonically_increasing_id

    if not isinstance(messages, DataFrame):
        raise Error(f"publish_frame takes a Spark DataFrame, not {type(messages).__name__}")
    names = {name.lower(): name for name in messages.columns}
    if "id" not in names or "xml" not in names:
        raise Error(f"a frame of messages has the columns id and xml, not {', '.join(messages.columns)}")
    return messages.select(
        monotonically_increasing_id().alias("event_id"),
        col(names["id"]).cast("string").alias("message_id"), col(names["xml"]).alias("xml"),
    )
