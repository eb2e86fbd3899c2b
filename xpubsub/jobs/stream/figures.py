"""The figures of a streaming job: counts, seconds, backlog and delays."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xpubsub.jobs.stream.delays import ANY, Delays
from xpubsub.jobs.stream.messages import Polled

FIGURE_COUNTS = ("messages", "notifications", "rejected", "failed", "batches", "seconds")


@dataclass
class SpillFigures:
    """What a run of a job has spilled, and what waits to be completed."""

    spilled: int = 0
    """Messages of which something was spilled."""
    completed: int = 0
    waiting: int = 0
    """Messages that are not completed, of earlier runs too."""
    bytes: int = 0
    """The size of their files."""
    oldest: float | None = None
    """When the oldest of them was spilled, in seconds since 1970."""
    active: bool = False
    """Whether the last batch was spilled."""
    paths: tuple[str, ...] = ()
    """The paths of which elements were spilled from the last batch; none if whole messages are set aside."""

    def wait(self, waiting: int, size: int, oldest: float | None) -> None:
        """Take note of the messages that are not completed now; fewer are completed, more are spilled."""
        self.spilled += max(0, waiting - self.waiting)
        self.completed += max(0, self.waiting - waiting)
        self.waiting, self.bytes, self.oldest = waiting, size, oldest


@dataclass
class Figures:
    """What a run of a job has done so far."""

    messages: int = 0
    notifications: int = 0
    rejected: int = 0
    failed: int = 0
    """Subscriptions whose query raised an error in a message."""
    batches: int = 0
    seconds: float = 0.0
    """Seconds spent on publishing and delivering."""
    backlog: int | None = None
    """Messages that are known to wait in the source."""
    delay: float = 0.0
    """The longest delay of the last batch with notifications, in seconds."""
    delays: Delays = field(default_factory=Delays)
    """Delays of this run and of the runs before it."""
    spills: SpillFigures | None = None
    """What is spilled, if the job may spill."""

    def add(self, polled: Polled, counts: tuple[int, int, int], seconds: float) -> None:
        """Add a batch, and how many notifications, rejected messages and failed queries it gave."""
        notifications, rejected, failed = counts
        self.messages += len(polled.messages)
        self.notifications += notifications
        self.rejected += rejected
        self.failed += failed
        self.batches += 1
        self.seconds += seconds

    def join(self, other: Figures) -> None:
        """Add the counts of another run."""
        for name in FIGURE_COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def delivered(self, polled: Polled, notifications: pa.Table, accepted: pa.Table) -> None:
        """Add the delays of notifications that are delivered now; `accepted` are the delays that were asked for."""
        ids = pa.array([message.message_id for message in polled.messages], pa.string())
        places = pc.index_in(notifications["message_id"], value_set=ids).combine_chunks()
        known = np.asarray(pc.is_valid(places))
        arrived = np.array([message.arrived for message in polled.messages], np.float64)
        waited = np.maximum(0.0, time.time() - arrived[np.asarray(places.fill_null(0))[known]])
        if len(waited):
            self.delay = float(waited.max())
            classes = _classes(notifications["subscription_id"], accepted)[known]
            for each in np.unique(classes):
                self.delays.add(ANY if np.isinf(each) else f"{each:g}", waited[classes == each])

    def saved(self, before: dict[str, Any]) -> dict[str, Any]:
        """Return the figures for the store, added to those of earlier runs."""
        counts = {name: before.get(name, 0) + getattr(self, name) for name in FIGURE_COUNTS}
        return {**counts, "delays": self.delays.saved()}


def _classes(subscriptions: pa.ChunkedArray, accepted: pa.Table) -> Any:
    """Return for each notification the delay that its subscription accepts; inf if it states none."""
    if not accepted.num_rows:
        return np.full(len(subscriptions), np.inf)
    places = pc.index_in(subscriptions, value_set=accepted["subscription_id"].combine_chunks()).combine_chunks()
    seconds = np.append(np.asarray(accepted["max_delay"]), np.inf)
    return seconds[np.asarray(places.fill_null(accepted.num_rows))]
