"""Completes spilled messages: reads them in full, and matches what their missing elements had left undecided."""

from __future__ import annotations

from typing import Protocol

import pyarrow as pa

from xpubsub.jobs.overload.spilling import SpilledFile, pending_files, with_parts
from xpubsub.jobs.overload.spool import Spool
from xpubsub.jobs.publish.known import Known
from xpubsub.jobs.publish.matched import Matched
from xpubsub.jobs.publish.planning import publish_plan
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.publish.timing import Timings
from xpubsub.plan.request import AUTOMATIC
from xpubsub.plan.spilling import NEW_COMPLETED_FILE
from xpubsub.rows import FAILED, NOTIFICATIONS, REJECTED
from xpubsub.shred.messages import Message
from xpubsub.store.store import Store


class CompletingMatcher(Protocol):
    """What completing needs of a publisher."""

    def known(self) -> Known:
        """Return what is known of the store."""

    def spool(self) -> Spool:
        """Return the folder of spilled messages."""

    def completed(self, file: SpilledFile, messages: list[Message], timings: Timings) -> tuple[Matched, pa.Table]:
        """Match a file's messages in full; return what was missing, and rejected messages."""


class Completion:
    """One call that completes messages, file by file, the oldest first."""

    def __init__(self, matcher: CompletingMatcher, store: Store) -> None:
        self._matcher = matcher
        self._store = store
        self._timings = Timings()
        self._done: list[str] = []
        self._refused: dict[str, bytes] = {}

    def run(self, limit: int | None, owner: str | None = None) -> Result:
        """Complete files, of a streaming job or all, until they have `limit` messages together; all if it is None."""
        notifications = [with_parts(NOTIFICATIONS.empty_table())]
        rejected = [REJECTED.empty_table().drop_columns("event_id")]
        failed, messages = [FAILED.empty_table()], 0
        for file in pending_files(self._store, owner):
            if limit is not None and messages >= limit:
                break
            found, refused = self._complete(file)
            notifications.append(found.notifications.cast(notifications[0].schema))
            failed.append(found.failed)
            rejected.append(refused)
            messages += file.units
            self._done.append(file.file)
        choice = publish_plan(AUTOMATIC, self._matcher.known()).choice
        return Result(
            pa.concat_tables(notifications), pa.concat_tables(rejected), choice, self._timings,
            failed=pa.concat_tables(failed), refused=self._refused)

    def clean(self) -> None:
        """Delete the files that have been completed, once the store knows."""
        for name in self._done:
            self._matcher.spool().remove(name)

    def _complete(self, file: SpilledFile) -> tuple[Matched, pa.Table]:
        """Return what was missing of one file's messages, and the messages that are rejected after all."""
        engine, read = self._store.engine, self._matcher.spool().read(file.file)
        messages: list[Message] = [(place, *message) for place, message in enumerate(read, start=1)]
        with engine.pipeline():
            matched, rejected = self._matcher.completed(file, messages, self._timings)
            engine.load("completing_file", pa.table({"file": [file.file]}))
            self._store.append(NEW_COMPLETED_FILE)
        rejected = rejected.sort_by("event_id").drop_columns("event_id")
        refused = set(rejected["message_id"].to_pylist())
        for name, xml in read:
            if name in refused:
                self._refused[name] = xml.encode() if isinstance(xml, str) else xml
        return matched, rejected
