"""The clocks of streams: which messages are late or in the future, how long messages are kept, how clocks move.

A stream's clock is the latest time among its messages accepted so far, in order of arrival, within a batch too.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from xpubsub.arrow import ArrowFunction
from xpubsub.errors import Error
from xpubsub.jobs.publish.times import shown_time, unit_hint
from xpubsub.limits import Limits
from xpubsub.plan.clocks import CLOCK, FUTURE, MOVED, STREAM_PARTNER, UNTIMELY
from xpubsub.rows import CLOCK_GIVEN, REJECTED, STREAM_LEAST, STREAM_NOW, table_of
from xpubsub.step import Step
from xpubsub.store.store import Store


@dataclass(frozen=True)
class StreamReads:
    """Which streams the visible correlations read, join and publish to."""

    rows: list[dict[str, Any]]

    @property
    def streams(self) -> list[str]:
        """The streams that correlations read; each has a clock."""
        return sorted({row["stream"] for row in self.rows})

    def joins(self, stream: str) -> bool:
        """Whether correlations join messages of a stream, so that their times matter."""
        return any(row["stream"] == stream and row["joined"] for row in self.rows)

    def lateness(self, limits: Limits) -> float:
        """Return how many seconds late a message may be: `Limits.lateness`, or by default the longest window."""
        if limits.lateness is None:
            return max((float(row["reach"] or 0.0) for row in self.rows), default=0.0)
        if not limits.lateness >= 0:
            raise Error(f"Limits.lateness must be a number of seconds >= 0, not {limits.lateness!r}")
        return float(limits.lateness)

    def least(self, clocks: Mapping[str, float]) -> pa.Table:
        """Return for each stream the earliest clock of those it is joined with; none if one has no clock yet."""
        partners: dict[str, set[str]] = {}
        for row in self.rows:
            partners.setdefault(row["stream"], set()).add(row["partner"])
        least = [(stream, min(clocks[each] for each in joined)) for stream, joined in partners.items()
                 if joined <= clocks.keys()]
        return table_of(least, STREAM_LEAST)

    def fed(self, clocks: Mapping[str, float]) -> dict[str, float]:
        """Return the clocks of streams that correlations publish to: at least the earliest of those they read."""
        moved = dict(clocks)
        sources = {row["publish"]: self._sources(row["publish"]) for row in self.rows if row["publish"] in self.streams}
        for _ in sources:
            for stream, read in sources.items():
                if read <= moved.keys():
                    moved[stream] = max(min(moved[each] for each in read), moved.get(stream, -math.inf))
        return {stream: clock for stream, clock in moved.items() if clock != clocks.get(stream)}

    def downstream(self, stream: str) -> list[str]:
        """Return a stream and all streams that correlations feed from it, directly or indirectly."""
        found = [stream]
        for each in found:
            fed = {row["publish"] for row in self.rows if row["stream"] == each}
            found += sorted(fed - {None, *found})
        return found

    def _sources(self, publish: str) -> set[str]:
        return {row["stream"] for row in self.rows if row["publish"] == publish}


def load_reads(store: Store) -> StreamReads:
    """Read from the store which streams its visible correlations read."""
    return StreamReads(store.rows(STREAM_PARTNER))


def read_clocks(store: Store) -> dict[str, float]:
    """Return the clock of each stream, by name."""
    return {row["stream"]: row["time"] for row in sorted(store.rows(CLOCK), key=lambda row: str(row["stream"]))}


def judge(store: Store, reads: StreamReads, stream: str, limits: Limits) -> None:
    """Create the relation `untimely`: the messages of `event_read` rejected for their time in `event_time`."""
    now, lateness = time.time(), reads.lateness(limits)
    latest = math.inf if limits.max_future is None else now + limits.max_future
    store.engine.load("stream_now", table_of([(read_clocks(store).get(stream), lateness, latest)], STREAM_NOW))
    store.engine.map_arrow("untimely", UNTIMELY, _rejecting(stream, lateness, latest, now), REJECTED)


def _rejecting(stream: str, lateness: float, latest: float, now: float) -> ArrowFunction:
    """Return a function that turns messages with wrong times into rejections with a reason."""
    def reason(row: Mapping[str, Any]) -> str:
        if row["code"] == "future":
            return _ahead(row["time"], now, latest)
        return (f"the time {shown_time(row['time'])} is more than {lateness:g} s before the clock of stream {stream},"
                f" {shown_time(row['clock'])}: raise the lateness, or set the clock with `xpubsub clock`")

    def rejecting(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = [(row["event_id"], row["message_id"], row["code"], reason(row), None, None)
                    for row in batch.to_pylist()]
            yield from table_of(rows, REJECTED).to_batches()
    return rejecting


def _ahead(at: float, now: float, latest: float) -> str:
    """Say why a time is too far in the future."""
    far = f"the time {shown_time(at)} is more than {latest - now:.0f} s ahead of now, {shown_time(now)}"
    return far + unit_hint(at, latest)


def move_clocks(store: Store, clocks: Iterable[tuple[str, float]], *before: tuple[str, Step]) -> None:
    """Store new clocks of streams; the appends in `before` run first and can read them in `clock_given`."""
    step = 1 + max((int(row["step"]) for row in store.rows(CLOCK)), default=0)
    store.engine.load("clock_given", table_of([(stream, at, step) for stream, at in clocks], CLOCK_GIVEN))
    store.append(*before, MOVED)


def advance_fed(store: Store, reads: StreamReads) -> None:
    """Advance the clocks of streams that correlations publish to, once a call has published everything."""
    if not any(row["publish"] in reads.streams for row in reads.rows):
        return
    moved = reads.fed(read_clocks(store))
    if moved:
        with store.engine.pipeline(), store.engine.transaction():
            move_clocks(store, moved.items())


def set_clock(store: Store, stream: str, at: float, limits: Limits) -> None:
    """Set a stream's clock, forwards or backwards; kept messages with a later time are dropped."""
    reads, now = load_reads(store), time.time()
    if stream not in reads.streams:
        known = f"; the streams that are: {', '.join(reads.streams)}" if reads.streams else ""
        raise Error(f"stream {stream} has no clock: no correlation reads it{known}")
    if limits.max_future is not None and at > now + limits.max_future:
        raise Error(_ahead(at, now, now + limits.max_future))
    clocks = read_clocks(store)
    moved = {each: at for each in reads.downstream(stream) if clocks.get(each, -math.inf) > at} | {stream: at}
    with store.engine.pipeline(), store.engine.transaction():
        store.engine.shared.batches += 1
        move_clocks(store, moved.items(), FUTURE)
