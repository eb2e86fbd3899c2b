"""A streaming job whose messages come at given times, whether it keeps up or not: what it delivers, and when."""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any, ClassVar
from unittest.mock import patch

import duckdb
import pyarrow as pa

import xpubsub
from benchmarks.cpu_clock import CpuClock
from benchmarks.peak import KNOWN, status
from xpubsub.jobs.stream.messages import Json, Polled, StreamMessage
from xpubsub.spill import merge

Messages = Sequence[tuple[str, bytes]]
_HOLE = re.compile(r"<xps:(?:hole|filler) [^>]*>")
_RETURNED = re.compile(r"<P\d")
_LOOK = 0.05
"""Seconds between two looks at the memory."""


def steady(number: int, rate: float) -> list[float]:
    """Messages at a rate, in seconds from the start."""
    return [place / rate for place in range(number)]


def pareto(number: int, rate: float, seed: int, shape: float = 1.5) -> list[float]:
    """Messages in bursts of twenty, with pauses between that are Pareto distributed, at a rate on average."""
    random, bursts = Random(seed), list[float]()
    mean = 20 / rate
    at = 0.0
    while len(bursts) * 20 < number:
        bursts.append(at)
        at += min(random.paretovariate(shape), 30.0) * mean * (shape - 1) / shape
    return [bursts[place // 20] for place in range(number)]


class TimedSource:
    """Gives each message once its time has come."""

    SEEKABLE: ClassVar[bool] = True

    def __init__(self, messages: Messages, times: Sequence[float], clock: CpuClock) -> None:
        self._messages, self._times, self._clock = messages, times, clock
        self._given = 0
        self.started = clock.now()

    @property
    def ended(self) -> bool:
        """Whether all messages were given."""
        return self._given >= len(self._messages)

    @property
    def drained(self) -> bool:
        """The same."""
        return self.ended

    def seek(self, position: Json, items: Iterable[str]) -> None:
        """Begin: the clock starts."""
        self.started = self._clock.now()

    def poll(self, most: int, most_bytes: int, timeout: float) -> Polled | None:
        """Return the messages whose time has come."""
        if self.ended:
            return None
        self._clock.wait(self.started + self._times[self._given], timeout)
        now, first = self._clock.now() - self.started, self._given
        while self._given < len(self._messages) and self._given - first < most and self._times[self._given] <= now:
            self._given += 1
        found = [StreamMessage(name, xml, name, self.started + at) for (name, xml), at in zip(
            self._messages[first : self._given], self._times[first : self._given], strict=True)]
        return Polled(found, self._given) if found else None

    def committed(self, position: Json) -> None:
        """Nothing need be kept."""

    def backlog(self) -> int:
        """Return how many messages are still to come."""
        return len(self._messages) - self._given

    def close(self) -> None:
        """Nothing is open."""


@dataclass
class Delivered:
    """What a job has delivered."""

    at: list[float] = field(default_factory=list)
    """When each batch was delivered, in seconds from the start."""
    tables: list[pa.Table] = field(default_factory=list)
    spilled: int = 0
    memory: int = 0
    """Bytes of the process at most, beyond those at the start; 0 if the system does not tell."""

    def quality(self) -> list[float]:
        """Return how many returned nodes each batch has brought to subscribers: equation (4)."""
        return [float(sum(map(returned, table["output"].to_pylist()))) for table in self.tables]

    def quality_at(self, at: float) -> float:
        """Return the quality of all that was delivered by a time."""
        return sum(quality for when, quality in zip(self.at, self.quality(), strict=True) if when <= at)

    def merged(self) -> list[Any]:
        """Return the notifications, with all holes filled, in an order of their own."""
        table = pa.concat_tables(self.tables)
        whole = merge(table) if "part" in table.column_names else table
        return sorted(tuple(row.values()) for row in whole.to_pylist())

    def first_parts(self, messages: Messages, times: Sequence[float]) -> list[float]:
        """Return for each message that anyone wants how long its first notification took, in seconds."""
        first: dict[str, float] = {}
        for when, table in zip(self.at, self.tables, strict=True):
            for name in table["message_id"].unique().to_pylist():
                first.setdefault(name, when)
        arrived = {name: at for (name, _), at in zip(messages, times, strict=True)}
        return sorted(when - arrived[name] for name, when in first.items())


def returned(output: str | None) -> int:
    """Return how many nodes of the returned paths an output, or a part of one, has."""
    return len(_RETURNED.findall(_HOLE.sub("", output))) if output else 0


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the value that so many of a hundred do not exceed."""
    return values[min(len(values) * percent // 100, len(values) - 1)] if values else 0.0


def run_job(
    store: Path, place: Path, messages: Messages, times: Sequence[float], overload: xpubsub.Overload | None,
    max_messages: int = 96,
) -> Delivered:
    """Run a job over messages that come at given times, until all is delivered; on one core, by its CPU time."""
    clock, found = CpuClock(), Delivered()
    source = TimedSource(messages, times, clock)

    def deliver(batch: Any) -> None:
        found.at.append(clock.now() - source.started)
        found.tables.append(batch.rows)

    with on_one_core(store) as broker, _Watch() as watch, clock.running():
        broker.publish([(name, xml) for name, xml in messages[:20]])
        figures = broker.stream(source, deliver, once=True, control=False, checkpoint=place, overload=overload,
                                max_messages=max_messages)
    found.spilled = 0 if figures.spills is None else figures.spills.spilled
    found.memory = watch.most
    return found


def capacity(store: Path, messages: Messages, most: int = 96) -> float:
    """Return the messages per second that are published whole, in batches as a job makes them."""
    with on_one_core(store) as broker:
        rates = []
        for first in range(0, len(messages), most):
            started = time.process_time()
            chunk = [(name, xml) for name, xml in messages[first : first + most]]
            broker.publish(chunk)
            rates.append(len(chunk) / (time.process_time() - started))
    return statistics.median(rates[1:] or rates)


@contextmanager
def on_one_core(store: Path) -> Iterator[xpubsub.Broker]:
    """Open a store whose work is done by this process alone, one thing at a time: its CPU time is all that it takes."""
    with patch.object(duckdb, "connect", partial(duckdb.connect, config={"threads": 1})), \
            xpubsub.connect(store, limits=xpubsub.Limits(max_processes=1)) as broker:
        yield broker


class _Watch:
    """Looks at the memory of this process while a block runs."""

    def __init__(self) -> None:
        self.most = 0
        self._end = Event()
        self._thread = Thread(target=self._look, daemon=True)

    def __enter__(self) -> _Watch:
        self._before = status("VmRSS") if KNOWN else 0
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _look(self) -> None:
        while KNOWN and not self._end.wait(_LOOK):
            with suppress(OSError, StopIteration):
                self.most = max(self.most, status("VmRSS") - self._before)
