"""What `publish` returns."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

from xpubsub.plan.choose import Choice


@dataclass(frozen=True)
class Result:
    """The notifications of a batch, the messages set aside, and how it was done."""

    notifications: pa.Table
    """message_id, subscription_id, output (null for a filter)."""
    rejected: pa.Table
    """message_id, code, reason, line, column."""
    choice: Choice
    """The plan, and why it was taken."""
    timings: dict[str, float] = field(default_factory=dict)
    """Seconds per step, in the order in which they ran."""
