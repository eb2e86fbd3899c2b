"""Whole messages that a job has set aside: accepted, on disk in its checkpoint, and published later."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from xpubsub.jobs.overload.spool import SpoolError
from xpubsub.jobs.stream.journal import journal_table, journaled
from xpubsub.jobs.stream.messages import Polled
from xpubsub.jobs.stream.numbered_files import NumberedFiles


class Aside:
    """Files by the number of the batch that has set them aside; the oldest is published first.

    The store knows up to which number they are published, with the figures of the job's last batch.
    """

    def __init__(self, checkpoint: Path) -> None:
        self._directory = checkpoint / "aside"
        self._opened: NumberedFiles | None = None
        self._done = 0
        self._waiting: dict[int, tuple[int, int, float]] = {}

    def start(self, saved: dict[str, Any] | None, committed: int) -> None:
        """Go on after the last committed batch: delete what was not accepted, and what is published."""
        self._done = (saved or {}).get("done", 0)
        for number in self._files().numbers() if self._directory.is_dir() else ():
            if self._done < number <= committed:
                table = self._files().read(number)[0]
                self._waiting[number] = table.num_rows, table.nbytes, table["arrived"][0].as_py()
            else:
                self._files().remove(number)

    def waiting(self) -> list[tuple[int, int, float]]:
        """Return for each batch that was set aside its messages, their size, and since when it waits."""
        return list(self._waiting.values())

    @property
    def waits(self) -> bool:
        """Whether there are messages to publish."""
        return bool(self._waiting)

    def write(self, number: int, polled: Polled) -> None:
        """Write the messages of a batch, which is committed afterwards."""
        try:
            table = journal_table(polled)
            self._files().write(number, [table])
        except OSError as error:
            raise SpoolError(f"messages cannot be set aside in {self._directory}: {error.strerror or error}") from error
        self._waiting[number] = table.num_rows, table.nbytes, time.time()

    def oldest(self) -> tuple[int, Polled]:
        """Return the messages that have waited longest, and the number of their batch."""
        number = min(self._waiting)
        return number, journaled(self._files().read(number)[0])

    def drop(self, number: int) -> None:
        """Forget messages that were not accepted."""
        self._waiting.pop(number, None)
        if self._directory.is_dir():
            self._files().remove(number)

    def finish(self, number: int) -> None:
        """Delete messages that are published, once the store knows."""
        self._done = number
        self.drop(number)

    def saved(self, published: int | None = None) -> dict[str, Any]:
        """Return what the store records, given the number of what is being published."""
        waiting = [each for number, each in self._waiting.items() if number != published]
        if not waiting and not self._done and published is None:
            return {}
        return {"aside": {
            "done": published or self._done, "messages": sum(each[0] for each in waiting),
            "bytes": sum(each[1] for each in waiting), "since": min((each[2] for each in waiting), default=None)}}

    def _files(self) -> NumberedFiles:
        if self._opened is None:
            self._opened = NumberedFiles(self._directory)
        return self._opened
