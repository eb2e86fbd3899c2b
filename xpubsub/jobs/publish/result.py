"""What `publish` returns."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

from xpubsub.plan.choose import Choice
from xpubsub.rows import FAILED, REPLACED


@dataclass(frozen=True)
class Result:
    """The notifications of a batch, the rejected and the replaced messages, the plan and the timings."""

    notifications: pa.Table
    """message_id, subscription_id, output (null for a filter)."""
    rejected: pa.Table
    """message_id, code, reason, line, column."""
    choice: Choice
    """The plan and the reason for it."""
    timings: dict[str, float] = field(default_factory=dict)
    """Seconds per step, in the order in which the steps ran."""
    replaced: pa.Table = field(default_factory=REPLACED.empty_table)
    """message_id, stream, time: the kept messages that a message of the batch with the same id replaced."""
    tokens: int = 0
    """How many tags and texts the units of a document have, if `publish_stream` counts them."""
    tokens_held: int = 0
    """The tokens held until the end of their unit, summed over the tokens read."""

    failed: pa.Table = field(default_factory=FAILED.empty_table)
    """message_id, subscription_id, code, reason: the subscriptions whose query raised an error in a message."""

    refused: dict[str, bytes] = field(default_factory=dict, repr=False)
    """The messages that `complete` has rejected, by id."""

    @property
    def tokens_buffered(self) -> float:
        """The average number of tokens buffered, as Wei 2006 defines it (section VI.A), over the tokens of units."""
        return self.tokens_held / self.tokens if self.tokens else 0.0
