"""The interface of a sink, which takes the notifications or the dead letters of batches."""

from __future__ import annotations

from typing import Protocol

import pyarrow as pa


class Sink(Protocol):
    """Takes the rows of batches in the order of their numbers, which start at 1; each batch once.

    After a crash the job delivers batches again that it does not know to be delivered, with the same number and the
    same rows. A sink that can tell (`last`) or that writes such a batch over itself has each row exactly once.
    """

    def open(self, job: str, schema: pa.Schema) -> None:
        """Prepare for the rows of a job, by its id; undo what a crash left half written.

        Raise `Error` if the place holds the output of another job.
        """

    def last(self) -> int | None:
        """Return the number of the last batch that was delivered completely; None if the sink cannot know."""

    def deliver(self, number: int, rows: pa.Table) -> None:
        """Take the rows of a batch, perhaps none; when this returns, they survive a crash of the process."""

    def close(self) -> None:
        """Release the sink."""
