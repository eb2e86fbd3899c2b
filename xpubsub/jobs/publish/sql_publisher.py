"""The plan `sql`: Spark's workers shred the messages, and Spark SQL joins them with the large tables of the store.

It is for stores that are too large for a snapshot in each worker, and for correlations with much state.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar

import pyarrow as pa

from xpubsub.arrow import PACKED, ArrowFunction, joined, pack, unpack
from xpubsub.engines.spark import SparkEngine
from xpubsub.engines.spark_jobs import run_over
from xpubsub.engines.spark_session import collected, mapped
from xpubsub.jobs.publish.correlating import Published
from xpubsub.jobs.publish.frame_columns import FrameColumns
from xpubsub.jobs.publish.frame_rows import frame_times, later_duplicates, message_rows
from xpubsub.jobs.publish.messages import Batch
from xpubsub.jobs.publish.partition import GivenRows, PartKind, chunks
from xpubsub.jobs.publish.publisher import Publisher
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.publish.shredding import Paths, Shredding, shredded_by
from xpubsub.jobs.publish.timing import Timings
from xpubsub.limits import Limits
from xpubsub.rows import REJECTED, table_of
from xpubsub.shred.messages import Message, MessageShredder
from xpubsub.shred.tagpaths import TagPathCache
from xpubsub.store.store import Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SHREDDED, _SHRED = "shredded", "shred"
FrameResult = tuple[Result, list[Published], pa.Table | None]
"""The result of a frame, the messages to publish, and the rows that were given: times and columns to keep."""


class SqlPublisher(Publisher):
    """Publishes batches and frames: like the publisher of one process, but with Spark's workers and engine."""

    ON_SPARK: ClassVar[bool] = True

    def __init__(self, store: Store, engine: SparkEngine, limits: Limits) -> None:
        super().__init__(store.on(engine), limits)
        self._spark_shredding = self._shredding = SparkShredding(engine.session, limits)

    @contextmanager
    def carried_out_frame(self, given: FrameColumns, batch: Batch) -> Iterator[FrameResult]:
        """Yield the result of a frame, the messages to publish, and the rows that were given."""
        timings, cache = Timings(), self.known().cache
        with self._forgetting(), self._store.engine.pipeline():
            shredder = MessageShredder(cache, self._limits)
            parts = self._spark_shredding.include(shredder, cache, given.timed_rows())
            self._remember_tagpaths()
            again = later_duplicates([shredder.events(), shredder.rejected()])
            shredder.drop(again["event_id"].to_pylist())
            aside = joined([again, parts[PartKind.REJECTED]] if parts else [], REJECTED)
            times = frame_times(self._store, parts.get(PartKind.GIVEN))
            yield *self._completed(shredder, times, aside, batch, timings), parts.get(PartKind.GIVEN)


class SparkShredding(Shredding):
    """Shreds batches in Spark's workers."""

    def __init__(self, session: SparkSession, limits: Limits) -> None:
        super().__init__(limits)
        self._session = session

    def shred(self, shredder: MessageShredder, cache: TagPathCache, messages: Iterable[Message]) -> None:
        """Shred messages of this process into a shredder that uses the cache."""
        rows = message_rows(messages)
        if rows.num_rows:
            function = _shredding(Paths.of(cache, self._limits))
            self._include(shredder, cache, run_over(self._session, rows, function, PACKED, _SHRED))

    def include(self, shredder: MessageShredder, cache: TagPathCache, rows: DataFrame) -> dict[str, pa.Table]:
        """Shred rows (event id, message id, XML, perhaps a time) in one job; return duplicates, and times as given."""
        function = _shredding(Paths.of(cache, self._limits))
        return self._include(shredder, cache, collected(mapped(rows, function, PACKED), _SHRED))

    def _include(self, shredder: MessageShredder, cache: TagPathCache, found: pa.Table) -> dict[str, pa.Table]:
        packed = found.to_pydict()
        for kind, part in zip(packed["kind"], packed["rows"], strict=True):
            if kind == _SHREDDED:
                shredded = pickle.loads(part)
                shredder.include(shredded)
                cache.learn(shredded.tagpaths)
        others = pa.table(packed, schema=PACKED).filter(pa.compute.field("kind") != _SHREDDED)
        return unpack(others)


def _shredding(paths: Paths) -> ArrowFunction:
    """Return a function that shreds messages in a worker, and packs the rows."""
    def shredding(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        cache, given = paths.cache(), GivenRows(batches)
        for messages in chunks(given.messages()):
            shredded = pickle.dumps(shredded_by(cache, paths.limits, messages), pickle.HIGHEST_PROTOCOL)
            yield pa.RecordBatch.from_arrays([pa.array([_SHREDDED]), pa.array([shredded], pa.binary())], schema=PACKED)
        yield from pack(PartKind.REJECTED, table_of(given.duplicates, REJECTED))
        if given.times:
            yield from pack(PartKind.GIVEN, pa.concat_tables(given.times))
    return shredding
