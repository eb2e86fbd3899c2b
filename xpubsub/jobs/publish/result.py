"""What `publish` returns."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

from xpubsub.plan.choose import Choice
from xpubsub.rows import REPLACED


@dataclass(frozen=True)
class Result:
    """The notifications of a batch, the messages rejected, those replaced, and how it was done."""

    notifications: pa.Table
    """message_id, subscription_id, output (null for a filter)."""
    rejected: pa.Table
    """message_id, code, reason, line, column."""
    choice: Choice
    """The plan, and why it was taken."""
    timings: dict[str, float] = field(default_factory=dict)
    """Seconds per step, in the order in which they ran."""
    replaced: pa.Table = field(default_factory=REPLACED.empty_table)
    """message_id, stream, time: messages kept for correlations that one of the batch, with the same id, replaced."""
