"""The options of a streaming job."""

from __future__ import annotations

from dataclasses import dataclass

from xpubsub.plan.request import AUTOMATIC, PlanRequest

MAX_MESSAGES = 5_000
MAX_BATCH_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class StreamOptions:
    """How a job forms and publishes its batches."""

    stream: str
    request: PlanRequest = AUTOMATIC
    max_messages: int = MAX_MESSAGES
    """The most messages of a batch."""
    max_batch_bytes: int = MAX_BATCH_BYTES
    """The bytes of messages after which a batch gets no further message."""
    once: bool = False
    """Whether the job ends when the source has no more messages at present."""
    keep_rejected: bool = False
    """Whether the items of rejected messages are not done, so that they can be published again; for dead letters."""
