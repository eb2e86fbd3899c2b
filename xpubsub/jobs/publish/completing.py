"""Completes spilled messages: reads them in full, and matches what their missing elements had left undecided."""

from __future__ import annotations

from typing import Protocol

import pyarrow as pa

from xpubsub.jobs.overload.spilling import SpilledFile, load_touched, pending_files, spilled_of, with_parts
from xpubsub.jobs.overload.spool import Spool
from xpubsub.jobs.publish.known import Known
from xpubsub.jobs.publish.messages import Batch
from xpubsub.jobs.publish.planning import PublishPlan, publish_plan
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.publish.timing import Timings
from xpubsub.plan.request import AUTOMATIC
from xpubsub.plan.spilling import NEW_COMPLETED_FILE
from xpubsub.rows import NOTIFICATIONS, REJECTED
from xpubsub.shred.messages import MessageShredder
from xpubsub.store.store import Store


class CompletingMatcher(Protocol):
    """What completing needs of a publisher."""

    def known(self) -> Known:
        """Return what is known of the store."""

    def spool(self) -> Spool:
        """Return the folder of spilled messages."""

    def shred(
        self, messages: list[tuple[int, str, object]], timings: Timings, spill: tuple[str, ...], *, marking: bool
    ) -> MessageShredder:
        """Shred messages, and mark what was spilled of them."""

    def load(self, shredder: MessageShredder, batch: Batch, timings: Timings) -> None:
        """Create the relations of the messages."""

    def match(self, plan: PublishPlan, timings: Timings) -> pa.Table:
        """Return the notifications of filters and transformations."""


class Completion:
    """One call that completes messages, file by file, the oldest first."""

    def __init__(self, matcher: CompletingMatcher, store: Store) -> None:
        self._matcher = matcher
        self._store = store
        self._timings = Timings()
        self._done: list[str] = []

    def run(self, limit: int | None) -> Result:
        """Complete files until they have at least `limit` messages together, all if it is None."""
        notifications = [with_parts(NOTIFICATIONS.empty_table())]
        rejected = [REJECTED.empty_table().drop_columns("event_id")]
        messages = 0
        for file in pending_files(self._store):
            if limit is not None and messages >= limit:
                break
            found, refused = self._complete(file)
            notifications.append(found.cast(notifications[0].schema))
            rejected.append(refused)
            messages += file.units
            self._done.append(file.file)
        choice = publish_plan(AUTOMATIC, self._matcher.known()).choice
        return Result(pa.concat_tables(notifications), pa.concat_tables(rejected), choice, self._timings)

    def clean(self) -> None:
        """Delete the files that have been completed, once the store knows."""
        for name in self._done:
            self._matcher.spool().remove(name)

    def _complete(self, file: SpilledFile) -> tuple[pa.Table, pa.Table]:
        """Return the notifications of one file's messages, and the messages that are rejected after all."""
        engine, timings = self._store.engine, self._timings
        read = self._matcher.spool().read(file.file)
        messages: list[tuple[int, str, object]] = [(place, *message) for place, message in enumerate(read, start=1)]
        numbers = {place: file.first_unit + place - 1 for place, _, _ in messages}
        with engine.pipeline():
            shredder = self._matcher.shred(messages, timings, tuple(file.paths), marking=True)
            self._matcher.load(shredder, Batch((), file.stream), timings)
            known = self._matcher.known()
            load_touched(engine, shredder.spilled, known.cache)
            engine.load("spilled_call", pa.table({"call_no": [file.call_no]}))
            spilled = spilled_of(shredder, numbers, complete=True)
            notifications = self._matcher.match(publish_plan(AUTOMATIC, known, spilled), timings)
            engine.load("completing_file", pa.table({"file": [file.file]}))
            self._store.append(NEW_COMPLETED_FILE)
        return notifications, shredder.rejected().sort_by("event_id").drop_columns("event_id")
