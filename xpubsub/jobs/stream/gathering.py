"""Gathers the messages of a batch: as many as may be waited for."""

from __future__ import annotations

import time
from collections.abc import Callable

from xpubsub.jobs.stream.messages import Polled, joined_portions
from xpubsub.jobs.stream.options import StreamOptions
from xpubsub.jobs.stream.pace import Pace
from xpubsub.jobs.stream.sources import Source

LOOK = 0.2
"""Seconds after which a job that waits for messages looks whether it should stop."""


def gathered(source: Source, options: StreamOptions, pace: Pace, stopped: Callable[[], bool]) -> Polled | None:
    """Return the messages of the next batch; None if there are none for a moment.

    A batch is complete when it is full, when its first message should not wait any longer, when nothing more is to
    come, or when the job should stop.
    """
    most, most_bytes = pace.most(), options.max_batch_bytes
    rest: Callable[[float], None] | None = getattr(source, "rest", None)
    if rest is not None:
        rest(pace.rest())
    portion = source.poll(most, most_bytes, LOOK)
    portions, messages, size = list[Polled](), 0, 0
    while portion is not None:
        portions.append(portion)
        messages += len(portion.messages)
        size += portion.size
        portion = None
        while messages < most and size < most_bytes and portion is None:
            left = pace.wait(_waited(portions[0]))
            if left <= 0 or stopped() or source.ended or (options.once and source.drained):
                break
            portion = source.poll(most - messages, most_bytes - size, min(left, LOOK))
    return joined_portions(portions) if portions else None


def _waited(portion: Polled) -> float:
    """Return the seconds since the first message of a portion has arrived."""
    return time.time() - min((message.arrived for message in portion.messages), default=0.0)
