"""The options of a source."""

from __future__ import annotations

from dataclasses import dataclass

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
