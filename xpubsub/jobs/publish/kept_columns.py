"""Adds the columns to keep to results that this process holds, by the rows that workers gave back of each message."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from xpubsub.arrow import PACKED, arrow_batches, pack
from xpubsub.engines.spark_session import extended, frame_of
from xpubsub.jobs.publish.frame_columns import FrameColumns
from xpubsub.jobs.publish.partition import KEPT_COLUMN
from xpubsub.jobs.publish.result import Result

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class KeptColumns:
    """The columns to keep of each message of a frame, in the order of the messages."""

    def __init__(self, given: pa.Table) -> None:
        rows = given.sort_by("event_id")
        self._columns = rows.select([name for name in rows.column_names if name.startswith(KEPT_COLUMN)])
        self._places: dict[str | None, list[int]] = defaultdict(list)
        for place, message_id in enumerate(rows["message_id"].to_pylist()):
            self._places[message_id].append(place)

    def with_notifications(self, found: pa.Table) -> pa.Table:
        """Add the columns of its message to each notification, or each query that failed in a message.

        Of messages with the same id only the first has some.
        """
        return self._added(found, [self._places.get(each, [None])[0] for each in found["message_id"].to_pylist()])

    def with_rejected(self, rejected: pa.Table) -> pa.Table:
        """Add the columns of its message to each rejected one; of messages with the same id they are the last."""
        ids = rejected["message_id"].to_pylist()
        left = {each: iter(self._places.get(each, [])[-count:]) for each, count in Counter(ids).items()}
        return self._added(rejected, [next(left[each], None) for each in ids])

    def _added(self, rows: pa.Table, places: Sequence[int | None]) -> pa.Table:
        columns = self._columns.take(pa.array(places, pa.int64()))
        for name in columns.column_names:
            rows = rows.append_column(name, columns[name])
        return rows


def held_frames(given: FrameColumns, result: Result, rows: pa.Table | None) -> tuple[DataFrame, ...]:
    """Return notifications, rejected messages and failed queries as frames.

    `rows` has the columns to keep of each message, if any.
    """
    tables = result.notifications, result.rejected, result.failed
    if not given.kept or rows is None:
        return tuple(_frame(given, each, each.schema) for each in tables)
    columns = KeptColumns(rows)
    added = columns.with_notifications, columns.with_rejected, columns.with_notifications
    return tuple(_frame(given, add(each), each.schema) for add, each in zip(added, tables, strict=True))


def _frame(given: FrameColumns, rows: pa.Table, schema: pa.Schema) -> DataFrame:
    """Return rows as a frame; Spark does not look into the kept columns on the way, whatever their types."""
    session = given.messages.sparkSession
    if not given.kept:
        return frame_of(session, rows)
    packed = pa.Table.from_batches(list(pack("rows", rows))) if rows.num_rows else PACKED.empty_table()
    return given.named(extended(frame_of(session, packed), _unpacked, schema, given.kept))


def _unpacked(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for rows in batch["rows"].to_pylist():
            yield from arrow_batches(rows)
