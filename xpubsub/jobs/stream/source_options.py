"""The options of a source."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from xpubsub.jobs.stream.readers import Cutters


@dataclass(frozen=True)
class SourceOptions:
    """How a source reads its messages."""

    max_bytes: int
    """A message is read up to one byte beyond this size, which is enough to reject it."""
    file_times: bool = False
    """Whether the modification time of a file is the time of its message."""
    cutters: Cutters | None = None
    """Cuts documents into units, each a message, if a path of units is given."""
    max_messages: int = 5_000
    """The most messages of a batch, for a source that forms the batches itself."""
    once: bool = False
    """Whether only the messages that are there at the start are wanted."""
    resume: bool = False
    """Whether standard input or the server of a connection sends everything again, from its first line."""
    done: str | None = None
    """What to do with published files: delete them, or move them to this directory. By default they stay."""
    max_file_age: float | None = None
    """Files that are so many seconds older than the newest one published are not read, and their names not kept."""
    checkpoint: Path | None = None
    """The directory of the job, for a source that keeps its own records there."""
