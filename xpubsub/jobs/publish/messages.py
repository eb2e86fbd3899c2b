"""Messages as users bring them."""

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
"""A message with an id that came before, as a row of rejected messages."""


@dataclass(frozen=True)
class Batch:
    """A call of `publish`: messages for a stream, and how to match them."""

    messages: Iterable[Given]
    stream: str
    request: PlanRequest = AUTOMATIC
    replace: bool = True
    """Whether messages replace those that are kept with the same id."""
    progress: Callable[[int], None] | None = None
    """Called with 1 for each message read."""

    def onward(self, messages: Iterable[Given], stream: str) -> Batch:
        """Messages that correlations make of this batch, for another stream."""
        return replace(self, messages=messages, stream=stream, progress=None)

    def relation(self) -> pa.Table:
        """The relation `batch`."""
        return pa.table({"stream": [self.stream], "replaces": [self.replace]})


def message_of(given: Given) -> tuple[str, Any]:
    """The id and the XML of what was given."""
    if not isinstance(given, tuple | list) or not 2 <= len(given) <= 3:
        raise Error(f"a message is (id, xml) or (id, xml, timestamp), not {type(given).__name__}")
    return check_text("the id of a message", given[0], empty=True), given[1]


class Times(dict[int, float]):
    """The times of a batch's messages in seconds, by event id; one without gets that of its arrival."""

    _last = 0.0

    def table(self) -> pa.Table:
        """One row for each message."""
        return table_of(list(self.items()), EVENT_TIME)

    def note(self, event_id: int, given: Given) -> None:
        """Take in the time of a message."""
        if len(given) == 3 and given[2] is not None:
            self[event_id] = seconds(given[2], f"message {given[0]!r}: a message's time")
            return
        Times._last = self[event_id] = max(time.time(), Times._last + 1e-6)


def numbered(
    messages: Iterable[Given], duplicates: list[Duplicate], progress: Callable[[int], None] | None, times: Times
) -> Iterator[Message]:
    """Messages with event ids; a second one with the same id is rejected."""
    seen: set[str] = set()
    for event_id, given in enumerate(messages, start=1):
        message_id, xml = message_of(given)
        if message_id in seen:
            reason = "an earlier message of the batch has the same id"
            duplicates.append((event_id, message_id, "duplicate-id", reason, None, None))
            continue
        seen.add(message_id)
        times.note(event_id, given)
        yield event_id, message_id, xml
        if progress is not None:
            progress(1)
