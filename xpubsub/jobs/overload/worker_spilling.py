"""What Spark's workers spill of their parts of a batch: whole messages come back, and this process writes them.

A worker does not know how many messages others spill. So its holes carry a mark, which this process replaces by the
number that the message gets in the store. The mark is random: no text of a message contains it.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from xpubsub.engines.base import Engine
from xpubsub.jobs.overload.spilling import load_touched, spilled_of
from xpubsub.output.spilled_factory import Spilled
from xpubsub.plan.spilling import NUMBERED_PARTS
from xpubsub.shred.messages import Message, MessageShredder
from xpubsub.shred.tagpaths import TagPathCache

_UNITS = pa.schema([
    ("event_id", pa.int64()), ("message_id", pa.string()), ("text", pa.string()), ("data", pa.large_binary()),
])
"""A message of which elements are spilled, as text or as bytes."""


@dataclass(frozen=True)
class SpillTask:
    """What workers spill, or complete."""

    paths: tuple[str, ...]
    call_no: int
    """The last call whose subscriptions the messages are matched with."""
    numbers: str | int
    """While spilling, the mark that stands for a message's number; to complete, the number of the first message."""

    @classmethod
    def spilling(cls, paths: tuple[str, ...], call_no: int) -> SpillTask:
        """Return the task of a batch of which paths are spilled."""
        return cls(paths, call_no, f"xps{uuid.uuid4().hex}")

    @property
    def completes(self) -> bool:
        """Whether the messages are read in full."""
        return isinstance(self.numbers, int)

    def prepare(self, engine: Engine, shredder: MessageShredder, cache: TagPathCache) -> Spilled:
        """Create the relations of what is spilled in a worker's messages; return these messages."""
        load_touched(engine, shredder.spilled, cache)
        engine.load("spilled_call", pa.table({"call_no": [self.call_no]}))
        return spilled_of(shredder, self._numbers(shredder), complete=self.completes)

    def _numbers(self, shredder: MessageShredder) -> Mapping[int, int | str]:
        if isinstance(self.numbers, int):
            return {event_id: self.numbers + event_id - 1 for event_id, _ in shredder.messages}
        return dict.fromkeys((event_id for event_id, _ in shredder.messages), self.numbers)

    def numbered(
        self, engine: Engine, notifications: pa.Table, units: list[Message], numbers: Mapping[int, int]
    ) -> pa.Table:
        """Return the notifications of a batch, with the numbers of its spilled messages instead of the mark."""
        rows = [{"message_id": message_id, "mark": self.numbers, "number": numbers[event_id]}
                for event_id, message_id, _ in units]
        schema = pa.schema([("message_id", pa.string()), ("mark", pa.string()), ("number", pa.int64())])
        engine.load("spilled_number", pa.Table.from_pylist(rows, schema=schema))
        engine.load("part_found", notifications)
        return engine.fetch(NUMBERED_PARTS)


def unit_rows(units: list[Message]) -> pa.Table:
    """Return spilled messages as rows."""
    rows = [{"event_id": event_id, "message_id": message_id, "text": xml if isinstance(xml, str) else None,
             "data": xml if isinstance(xml, bytes) else None} for event_id, message_id, xml in units]
    return pa.Table.from_pylist(rows, schema=_UNITS)


def units_of(rows: pa.Table) -> list[Message]:
    """Return spilled messages from rows, in the order of the batch."""
    return [(row["event_id"], row["message_id"], row["data"] if row["text"] is None else row["text"])
            for row in rows.sort_by("event_id").to_pylist()]
