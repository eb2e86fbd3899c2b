"""The messages given to `publish`: ids, XML, times, and duplicates of ids."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from xpubsub.checks import check_text
from xpubsub.errors import Error
from xpubsub.jobs.publish.times import seconds
from xpubsub.plan.request import AUTOMATIC, PlanRequest
from xpubsub.rows import EVENT_TIME, table_of
from xpubsub.shred.messages import Message

Given = Any
"""(id, xml) or (id, xml, timestamp)."""
Duplicate = tuple[int, str, str, str, None, None]
"""A message whose id came before in the batch, as a row of rejected messages."""
DUPLICATE = "duplicate-id", "an earlier message of the batch has the same id", None, None
"""The code and the reason of such a message, without a line and a column."""


@dataclass(frozen=True)
class Batch:
    """The arguments of `publish`: the messages, their stream, and how to match them."""

    messages: Iterable[Given]
    """On Spark it may also be a frame (id, xml, timestamp)."""
    stream: str
    request: PlanRequest = AUTOMATIC
    replace: bool = True
    """Whether messages replace kept messages with the same id."""
    progress: Callable[[int], None] | None = None
    """Called with 1 for each message read."""
    spill: tuple[str, ...] | None = None
    """The linear paths whose elements are spilled; None if parts of notifications are not told apart."""

    def onward(self, messages: Iterable[Given], stream: str) -> Batch:
        """Return a batch of messages that correlations publish from this one to another stream."""
        return replace(self, messages=messages, stream=stream, progress=None, spill=None if self.spill is None else ())

    def relation(self) -> pa.Table:
        """Return the relation `batch`."""
        return pa.table({"stream": [self.stream], "replaces": [self.replace]})


def message_of(given: Given) -> tuple[str, Any]:
    """Return the id and the XML of a message."""
    if not isinstance(given, tuple | list) or not 2 <= len(given) <= 3:
        raise Error(f"a message must be (id, xml) or (id, xml, timestamp), not {type(given).__name__}")
    return check_text("the id of a message", given[0], empty=True), given[1]


class Times(dict[int, float]):
    """The times of a batch's messages in seconds, by event id; a message without a time gets that of its arrival."""

    _last = 0.0

    def table(self) -> pa.Table:
        """Return one row per message."""
        return table_of(list(self.items()), EVENT_TIME)

    def note(self, event_id: int, given: Given) -> None:
        """Record the time of a message."""
        if len(given) == 3 and given[2] is not None:
            self[event_id] = seconds(given[2], f"message {given[0]!r}: a message's time")
            return
        Times._last = self[event_id] = max(time.time(), Times._last + 1e-6)


def came_before(message_id: str | None, seen: set[str]) -> bool:
    """Whether the id of a message is among those seen, to which it is added; a missing id is no duplicate."""
    if message_id is None:
        return False
    before = message_id in seen
    seen.add(message_id)
    return before


def numbered(
    messages: Iterable[Given], duplicates: list[Duplicate], progress: Callable[[int], None] | None, times: Times
) -> Iterator[Message]:
    """Give messages event ids; a message whose id came before is added to `duplicates`."""
    seen: set[str] = set()
    for event_id, given in enumerate(messages, start=1):
        message_id, xml = message_of(given)
        if came_before(message_id, seen):
            duplicates.append((event_id, message_id, *DUPLICATE))
            continue
        times.note(event_id, given)
        yield event_id, message_id, xml
        if progress is not None:
            progress(1)
