"""The plan `partition`: each of Spark's workers matches its part of the messages with a snapshot of the store.

Messages do not depend on each other for filters and transformations, nor for the witnesses of correlations. So one
`mapInArrow` is enough: a worker opens the snapshot once, and runs the steps of the DuckDB engine on its part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from xpubsub.arrow import SplitFunction
from xpubsub.engines.snapshot import SnapshotEngine
from xpubsub.jobs.overload.worker_spilling import SpillTask, unit_rows
from xpubsub.jobs.publish.matcher import Matcher
from xpubsub.jobs.publish.messages import DUPLICATE, Batch, came_before
from xpubsub.jobs.publish.planning import PublishPlan, publish_plan
from xpubsub.jobs.publish.snapshot_file import SnapshotFile
from xpubsub.jobs.publish.timing import Timings
from xpubsub.limits import Limits
from xpubsub.plan.correlate import WITNESS_TABLES
from xpubsub.plan.request import PlanRequest
from xpubsub.rows import REJECTED, table_of
from xpubsub.shred.messages import Message, MessageShredder
from xpubsub.step import file_step, whole
from xpubsub.store.store import Store

MOST_MESSAGES, MOST_BYTES = 10_000, 32_000_000
"""How many messages, and bytes of them, are matched at a time; they bound a worker's memory."""

KEPT_COLUMN = "kept_"
"""How the names of a frame's columns to keep begin, on the way."""
_TIME = ("event_id", "message_id", "time", "said")


class PartKind:
    """The kinds of rows that come back from workers, beside those of `WITNESS_TABLES`."""

    NOTIFICATION, REJECTED, EVENT, TAGPATH = "notification", "rejected", "event", "tagpath"
    SAMPLE, TIMING, GIVEN, UNIT, FAILED = "sample", "timing", "given", "unit", "failed"


@dataclass(frozen=True)
class Task:
    """What a worker needs, beside the messages."""

    snapshot: SnapshotFile
    limits: Limits
    stream: str
    request: PlanRequest
    sampled: bool = False
    """Whether to sample the values of the messages."""
    witnesses: bool = False
    """Whether to return what correlations join."""
    numbered: bool = False
    """Whether notifications come with the event id of their message."""
    threads: int = 1
    """How many cores of its machine the worker may use."""
    spill: SpillTask | None = None
    """What to spill of the messages, or to complete."""


class PartMatcher(Matcher):
    """Matches parts of batches in a worker."""

    def __init__(self, snapshot: SnapshotFile, limits: Limits, threads: int) -> None:
        bounded = replace(limits, max_processes=min(limits.max_processes, threads))
        self._snapshot = snapshot
        self.engine = SnapshotEngine(
            snapshot.local_path(), memory=limits.worker_memory, threads=threads, gained=snapshot.gained_rows())
        super().__init__(Store(self.engine, create=False), bounded)

    def close_for(self, snapshot: SnapshotFile) -> None:
        """Close the snapshot before another one is opened, and delete its copy unless that is needed again."""
        self.close()
        self.engine.close()
        if snapshot.path != self._snapshot.path:
            self._snapshot.release()

    def parts(self, messages: Iterable[Message], task: Task) -> Iterator[tuple[str, pa.Table]]:
        """Match messages; yield the rows of each kind."""
        timings, batch = Timings(), Batch((), task.stream, task.request)
        with self.engine.pipeline():
            shredder = self._shredded(messages, task.spill, timings)
            yield PartKind.REJECTED, shredder.rejected()
            yield PartKind.EVENT, shredder.events()
            if self.found:
                yield PartKind.TAGPATH, pa.table({"tagpath": self.found})
            self.load(shredder, batch, timings)
            plan = self._planned(shredder, task)
            if task.spill is not None and not task.spill.completes:
                yield PartKind.UNIT, unit_rows(shredder.units)
            for kind, rows in zip((PartKind.NOTIFICATION, PartKind.FAILED), self.match(plan, timings), strict=True):
                yield kind, _numbered(rows, shredder.messages) if task.numbered else rows
            if task.sampled:
                self._store.run(file_step("value_seen"))
                yield PartKind.SAMPLE, self.engine.fetch(file_step("value_sample"))
            if task.witnesses:
                plan.known.correlating.witness(timings)
                yield from ((name, self.engine.fetch(whole(name))) for name in WITNESS_TABLES)
        yield PartKind.TIMING, pa.table({"name": list(timings), "seconds": list(timings.values())})

    def _shredded(self, messages: Iterable[Message], spill: SpillTask | None, timings: Timings) -> MessageShredder:
        if spill is None:
            return self.shred(messages, timings)
        return self.shred(messages, timings, spill.paths, marking=spill.completes)

    def _planned(self, shredder: MessageShredder, task: Task) -> PublishPlan:
        known = self.known()
        spilled = None if task.spill is None else task.spill.prepare(self.engine, shredder, known.cache)
        return publish_plan(task.request, known, spilled)

    def rejected(self, messages: Iterable[Message]) -> pa.Table:
        """Return the messages that cannot be read, without matching the others."""
        return self.shred(messages, Timings()).rejected()


def _numbered(rows: pa.Table, messages: list[tuple[int, str]]) -> pa.Table:
    """Add the event ids of the messages."""
    event_ids, ids = (pa.array(column) for column in zip(*messages, strict=True)) if messages else ([], [])
    places = pc.index_in(rows["message_id"], value_set=pa.array(ids, pa.string()))
    return rows.append_column("event_id", pa.array(event_ids, pa.int64()).take(places.combine_chunks()))


_OPEN: dict[tuple[SnapshotFile, int], PartMatcher] = {}
"""The snapshot that this worker has open, with its number of threads."""


def matcher_of(task: Task) -> PartMatcher:
    """Return the matcher of a task's snapshot; a worker keeps the snapshot open for its next task."""
    key = replace(task.snapshot, lent=False), task.threads
    if key not in _OPEN:
        while _OPEN:
            _OPEN.popitem()[1].close_for(task.snapshot)
        _OPEN[key] = PartMatcher(task.snapshot, task.limits, task.threads)
    return _OPEN[key]


def matching(task: Task) -> SplitFunction:
    """Return a function from rows (event id, message id, XML, perhaps a time) to all kinds of rows."""
    def matched(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[str, pa.Table]]:
        given = GivenRows(batches)
        for messages in chunks(given.messages()):
            yield from matcher_of(task).parts(messages, task)
        yield PartKind.REJECTED, table_of(given.duplicates, REJECTED)
        if given.times:
            yield PartKind.GIVEN, pa.concat_tables(given.times)
    return matched


class GivenRows:
    """The rows that a worker gets: messages, and their times and columns to keep if they have some."""

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        self._batches = batches
        self.duplicates: list[tuple[object, ...]] = []
        """The messages whose id came before, as rows of rejected messages."""
        self.times: list[pa.Table] = []

    def messages(self) -> Iterator[Message]:
        """Yield the messages whose id is new."""
        seen: set[str] = set()
        for batch in self._batches:
            if "time" in batch.schema.names:
                names = [name for name in batch.schema.names if name in _TIME or name.startswith(KEPT_COLUMN)]
                self.times.append(pa.Table.from_batches([batch.select(names)]))
            for event_id, message_id, xml in _messages(batch):
                if came_before(message_id, seen):
                    self.duplicates.append((event_id, message_id, *DUPLICATE))
                else:
                    yield event_id, message_id, xml


def _messages(batch: pa.RecordBatch) -> Iterator[Message]:
    """Yield the messages of a batch; the XML is in the first column that is not null."""
    payloads = (batch[name].to_pylist() for name in ("xml", "text", "data") if name in batch.schema.names)
    columns = batch["event_id"].to_pylist(), batch["message_id"].to_pylist(), *payloads
    for event_id, message_id, *forms in zip(*columns, strict=True):
        yield event_id, message_id, next((each for each in forms if each is not None), None)


def chunks(messages: Iterable[Message]) -> Iterator[list[Message]]:
    """Group messages, so that enough are treated at a time, and not too many."""
    chunk: list[Message] = []
    size = 0
    for message in messages:
        chunk.append(message)
        size += len(message[2]) if isinstance(message[2], str | bytes) else 0
        if len(chunk) >= MOST_MESSAGES or size >= MOST_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk
