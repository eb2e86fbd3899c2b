"""The sources `dir:PATH` and `kafka:SERVERS/TOPIC` on Spark: Structured Streaming reads them, batch by batch.

Spark calls a function with each batch (`foreachBatch`) and waits until it returns. The function hands the batch to the
job, as a frame, and returns when the job has committed it. Spark records that only afterwards, so after a crash it may
give the same batch again: the position in the store is the number of Spark's batch, by which the source recognises it.
Which messages belong to a batch is in Spark's own checkpoint, below that of the job.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, ClassVar

from xpubsub.engines.spark_session import collected, explained
from xpubsub.errors import EngineError, StoreError
from xpubsub.jobs.stream.messages import Json, Polled, StreamMessage

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_LOOKING = "spark.sql.sources.parallelPartitionDiscovery.parallelism"
_DRIVER_LOOKS = "spark.sql.sources.parallelPartitionDiscovery.threshold"
_ALL = 2**31 - 1
_LOG = logging.getLogger("xpubsub.stream")
PAUSE = "100 milliseconds"
"""How often Spark looks for new messages."""


@dataclass(frozen=True)
class PolledFrame(Polled):
    """A batch of Spark's: the messages stand in a frame, and those of the list have no bytes."""

    frame: Any = None
    """A frame with the columns id, xml and timestamp."""

    @property
    def size(self) -> int:
        """More than any batch takes: nothing can be added to a batch of Spark's."""
        return 1 << 62

    def given(self) -> Any:
        """Return the frame, for `publish`."""
        return self.frame

    def read(self, ids: Iterable[str]) -> list[StreamMessage]:
        """Return some of the messages, with their bytes."""
        from pyspark.sql.functions import col

        wanted = set(ids)
        if not wanted:
            return []
        rows = collected(self.frame.where(col("id").isin(*wanted)).select("id", "xml"), "letters")
        bytes_of = dict(zip(rows["id"].to_pylist(), rows["xml"].to_pylist(), strict=True))
        return [replace(each, xml=bytes_of.get(each.message_id) or b"")
                for each in self.messages if each.message_id in wanted]


class SparkSource:
    """Gives the batches of a streaming frame (id, xml, timestamp, arrived)."""

    SEEKABLE: ClassVar[bool] = True

    def __init__(self, frame: DataFrame, checkpoint: str, *, once: bool, max_messages: int) -> None:
        self._frame, self._checkpoint, self._once = frame, checkpoint, once
        self._max_messages = max_messages
        self._full = self._slow = False
        self._committed_at: float | None = None
        self._since = time.time()
        self._done = -1
        self._closed = False
        self._query: Any = None
        self._offered: SimpleQueue[tuple[DataFrame, int]] = SimpleQueue()
        self._answers: SimpleQueue[bool] = SimpleQueue()
        self._cached: Any = None

    @property
    def ended(self) -> bool:
        """Whether Spark has no more batches, because only those that were there at the start were asked for."""
        self._check()
        return self._query is not None and not self._query.isActive

    @property
    def drained(self) -> bool:
        """The same as `ended`."""
        return self.ended

    def seek(self, position: Json, items: Iterable[str]) -> None:
        """Let Spark start, after the last batch that it knows to be committed."""
        if any(True for _ in items) or (position is not None and "batch" not in position):
            raise StoreError("the job of this checkpoint has read a source without Structured Streaming: use another"
                             " checkpoint")
        self._done = -1 if position is None else int(position["batch"])
        writer = self._frame.writeStream.foreachBatch(self._hand_over).option("checkpointLocation", self._checkpoint)
        with explained("stream"), _quick_looks(self._frame.sparkSession):
            self._query = (writer.trigger(availableNow=True) if self._once else
                           writer.trigger(processingTime=PAUSE)).start()

    def poll(self, most: int, most_bytes: int, timeout: float) -> PolledFrame | None:
        """Return Spark's next batch."""
        try:
            frame, number = self._offered.get(timeout=timeout)
        except Empty:
            self._check()
            return None
        if number != self._done + 1:
            raise StoreError(f"Spark's checkpoint {self._checkpoint} has come to batch {number}, the store only to"
                             f" {self._done}: one of the two is from another time; use another checkpoint")
        self._cached = frame.coalesce(frame.sparkSession.sparkContext.defaultParallelism).persist()
        messages = self._messages(self._cached)
        self._full = len(messages) >= self._max_messages
        return PolledFrame(messages, {"batch": number}, [], self._cached)

    def committed(self, position: Json) -> None:
        """Let Spark go on, after a rest."""
        self._done = int(position["batch"])
        self._release()
        self._committed_at = time.monotonic()

    def rest(self, seconds: float) -> None:
        """Let Spark form the next batch so long after the last, or at once if that was full."""
        if self._committed_at is None:
            return
        if self._full and seconds < 0 and not self._slow:
            self._slow = True
            _LOG.warning("batches of %d messages take longer than a subscription's max_delay allows: lower"
                         " --max-messages, or expect longer delays", self._max_messages)
        if self._once or self._full or time.monotonic() - self._committed_at >= seconds:
            self._go_on()

    def _go_on(self) -> None:
        if self._committed_at is not None:
            self._committed_at = None
            self._answers.put(True)

    def backlog(self) -> None:
        """Return None: only Spark knows."""

    def close(self) -> None:
        """Stop Spark's query; a batch that is not committed comes again."""
        self._closed = True
        self._go_on()
        self._answers.put(False)
        if self._query is not None:
            with explained("stream"):
                self._query.stop()
        self._release()

    def _hand_over(self, frame: DataFrame, number: int) -> None:
        """Hand a batch to the job, and wait until it is committed; called by Spark, in a thread of its own.

        An error tells Spark that the batch is not done.
        """
        if number <= self._done:
            return
        if not self._closed:
            self._offered.put((frame, number))
            if self._answers.get():
                return
        raise RuntimeError("the job has stopped")

    def _messages(self, frame: DataFrame) -> list[StreamMessage]:
        """Return the messages of a batch without their bytes."""
        seconds = [f"cast({name} as double) as {name}" for name in ("timestamp", "arrived")]
        rows = collected(frame.selectExpr("id", *seconds), "stream")
        now = time.time()
        return [StreamMessage(name, b"", name, min(max(arrived or 0.0, self._since), now), at)
                for name, at, arrived in zip(*(column.to_pylist() for column in rows.columns), strict=True)]

    def _check(self) -> None:
        """Raise an error if Spark's query has failed."""
        if self._query is None or self._query.isActive:
            return
        failure = self._query.exception()
        if failure is not None:
            raise EngineError(f"Spark cannot read the source: {_cause(failure)}", step="stream")

    def _release(self) -> None:
        if self._cached is not None:
            self._cached.unpersist()
            self._cached = None


@contextmanager
def _quick_looks(session: SparkSession) -> Iterator[None]:
    """Let the query that starts look at the files of a batch in the driver if all is on its machine, else per core.

    By default a task looks at each file and sends what it has seen, for which Spark starts a process per file (`ls`).
    A query has the settings that its session has when it starts.
    """
    context = session.sparkContext
    settings = {_LOOKING: str(context.defaultParallelism)}
    if str(context.master).startswith("local"):
        settings[_DRIVER_LOOKS] = str(_ALL)
    before = {name: session.conf.get(name, None) for name in settings}
    _configure(session, settings)
    try:
        yield
    finally:
        _configure(session, before)


def _configure(session: SparkSession, settings: Mapping[str, str | None]) -> None:
    for name, value in settings.items():
        session.conf.unset(name) if value is None else session.conf.set(name, value)


def _cause(failure: Any) -> str:
    """Return what Spark says of a failure, without the trace of Java."""
    said = [line.strip() for line in str(failure).splitlines() if line.strip() and not line.startswith(("\t", "=="))]
    causes = [line.removeprefix("Caused by: ") for line in said if line.startswith("Caused by: ")]
    return causes[-1] if causes else " ".join(said[:2])
