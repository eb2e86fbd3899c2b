"""Functions for lazy frames: Spark's workers apply them to the rows of the user's frame, whenever it is computed."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from xpubsub.arrow import ArrowFunction
from xpubsub.jobs.publish.messages import DUPLICATE, came_before
from xpubsub.jobs.publish.partition import MOST_BYTES, MOST_MESSAGES, PartKind, Task, matcher_of
from xpubsub.rows import FAILED, NOTIFICATIONS, REJECTED, table_of
from xpubsub.shred.messages import Message

REJECTION = pa.schema([field for field in REJECTED if field.name != "event_id"])
"""A rejected message, as users see it."""


def notifying(task: Task) -> ArrowFunction:
    """Return a function from rows (message id, XML, other columns) to notifications with the other columns."""
    return _finding(task, PartKind.NOTIFICATION, NOTIFICATIONS)


def failing(task: Task) -> ArrowFunction:
    """Return a function from the same rows to what failed, with the other columns."""
    return _finding(task, PartKind.FAILED, FAILED)


def _finding(task: Task, wanted: str, schema: pa.Schema) -> ArrowFunction:
    def matched(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for part in _parts(batches):
            parts = matcher_of(task).parts(part.messages, task)
            [found] = [rows for kind, rows in parts if kind == wanted]
            yield from part.carried(found.cast(schema)).to_batches()
    return matched


def rejecting(task: Task) -> ArrowFunction:
    """Return a function from the same rows to rejected messages with the other columns."""
    def rejected(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for part in _parts(batches):
            found = pa.concat_tables([matcher_of(task).rejected(part.messages), part.duplicates])
            places = pa.array([part.places[each] for each in found["event_id"].to_pylist()], pa.int64())
            yield from part.with_columns(found.select(REJECTION.names), places).to_batches()
    return rejected


class _Part:
    """Some messages of a worker's rows, numbered, and the rows they came from."""

    def __init__(self, rows: pa.Table, first: int, seen: set[str]) -> None:
        self.messages: list[Message] = []
        self.places: dict[int, int] = {}
        """The row of each message, by event id."""
        self._rows = rows
        self._by_id: dict[str, int] = {}
        again = []
        for place, (message_id, xml) in enumerate(zip(*(rows[n].to_pylist() for n in (0, 1)), strict=True)):
            self.places[first + place] = place
            if came_before(message_id, seen):
                again.append((first + place, message_id, *DUPLICATE))
                continue
            self.messages.append((first + place, message_id, xml))
            if message_id is not None:
                self._by_id[message_id] = place
        self.duplicates = table_of(again, REJECTED)

    def carried(self, found: pa.Table) -> pa.Table:
        """Add the other columns of its message to each row."""
        ids = pa.array(list(self._by_id), pa.string())
        places = pa.array(list(self._by_id.values()), pa.int64())
        return self.with_columns(found, places.take(pc.index_in(found["message_id"], ids)))

    def with_columns(self, found: pa.Table, places: pa.Array) -> pa.Table:
        """Add to each row the other columns of the row at its place."""
        for name in self._rows.column_names[2:]:
            found = found.append_column(self._rows.schema.field(name), self._rows[name].take(places))
        return found


def _parts(batches: Iterator[pa.RecordBatch]) -> Iterator[_Part]:
    first, seen = 1, set[str]()
    for rows in _grouped(batches):
        yield _Part(rows, first, seen)
        first += rows.num_rows


def _grouped(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Group batches, so that enough messages are matched at a time, and not too many."""
    group: list[pa.RecordBatch] = []
    for batch in batches:
        group.append(batch)
        if sum(each.num_rows for each in group) >= MOST_MESSAGES or sum(each.nbytes for each in group) >= MOST_BYTES:
            yield pa.Table.from_batches(group)
            group = []
    if group:
        yield pa.Table.from_batches(group)

