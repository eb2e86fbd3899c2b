"""What a streaming job has committed, in the store: the last batch, the position of the source, and its items."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from xpubsub.jobs.stream.delays import Delays
from xpubsub.jobs.stream.messages import Json
from xpubsub.plan.stream import BATCH, BATCHES, DONE, ITEMS, REMEMBERED
from xpubsub.rows import STREAM_BATCH, STREAM_ITEM, STREAM_JOB, table_of
from xpubsub.store.store import Store

_ROWS = 250
"""How many rows of batches may be appended before their table is rewritten with the last batch of each job."""


@dataclass(frozen=True)
class Committed:
    """The last batch of a job."""

    number: int
    revision: int = 0
    """0 when the batch is committed; greater if only its figures are written again."""
    position: Json = None
    figures: dict[str, Json] = field(default_factory=dict)


class Commits:
    """Reads and writes the rows of one job."""

    def __init__(self, store: Store, job: str) -> None:
        self._store = store
        self.job = job
        self._added = 0

    def last(self) -> Committed | None:
        """Return the last batch; None if the store does not know the job."""
        for row in self._store.rows(BATCHES):
            if row["job"] == self.job:
                return Committed(
                    row["batch_no"], row["revision"], json.loads(row["position"]), json.loads(row["figures"]))
        return None

    def items(self) -> list[str]:
        """Return all items that the job has published."""
        with self._store.engine.pipeline():
            self._store.engine.load("stream_job", table_of([(self.job,)], STREAM_JOB))
            return [str(item) for item in self._store.engine.fetch(DONE)["item"].to_pylist()]

    def add(self, committed: Committed, items: list[str]) -> None:
        """Add a batch and its items, inside the transaction that publishes the batch; the batch's row comes last."""
        engine = self._store.engine
        texts = json.dumps(committed.position), json.dumps(committed.figures)
        row = self.job, committed.number, committed.revision, *texts
        with engine.pipeline():
            if items:
                engine.load("stream_item_given", table_of([(self.job, item) for item in items], STREAM_ITEM))
                self._store.append(ITEMS)
            engine.load("stream_batch_given", table_of([row], STREAM_BATCH))
            self._store.append(BATCH)
            self._added += 1
            if self._added % _ROWS == 0:
                engine.replace({"stream_batch": BATCHES})

    def forget(self, items: list[str]) -> None:
        """Delete items that the source need not be told again; in a transaction of its own."""
        engine = self._store.engine
        with engine.transaction(), engine.pipeline():
            engine.load("stream_item_given", table_of([(self.job, item) for item in items], STREAM_ITEM))
            engine.replace({"stream_item": REMEMBERED})


def achieved_delays(store: Store) -> dict[str, tuple[float, float]]:
    """Return for each class of accepted delays the delays that half and 99 of 100 notifications did not exceed."""
    delays = Delays()
    for row in store.rows(BATCHES):
        delays.join(Delays(json.loads(row["figures"]).get("delays")))
    return {name: (delays.quantile(name, 0.5), delays.quantile(name, 0.99)) for name in delays.classes}
