"""Turns messages into rows for Spark, from a batch in this process or from the user's frame."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from xpubsub.arrow import joined
from xpubsub.checks import is_text
from xpubsub.errors import Error
from xpubsub.jobs.publish.messages import DUPLICATE, Duplicate, Given, Times, numbered
from xpubsub.jobs.publish.times import TIME_KINDS
from xpubsub.plan.frames import BAD_TIMES, FRAME_TIME
from xpubsub.rows import EVENT, EVENT_TIME, NOTIFICATIONS, REJECTED, table_of
from xpubsub.shred.messages import Message
from xpubsub.store.store import Store

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_MESSAGES = pa.schema([
    ("event_id", pa.int64()), ("message_id", pa.string()), ("text", pa.string()), ("data", pa.binary()),
])
_RESULT_NAMES = {*NOTIFICATIONS.names, *REJECTED.names}


def batch_rows(
    messages: Iterable[Given], progress: Callable[[int], None] | None, times: Times
) -> tuple[pa.Table, list[Duplicate]]:
    """Return the messages as rows, and the rejected ones: those whose id came before in the batch."""
    duplicates: list[Duplicate] = []
    return message_rows(numbered(messages, duplicates, progress, times)), duplicates


def message_rows(messages: Iterable[Message]) -> pa.Table:
    """Return numbered messages as rows."""
    rows = [(event_id, message_id, *_payload(xml)) for event_id, message_id, xml in messages]
    return table_of(rows, _MESSAGES)


def later_duplicates(read: Sequence[pa.Table]) -> pa.Table:
    """Return the messages whose id came before in another worker's part, as rejected messages."""
    events = joined([table.select(EVENT.names) for table in read], EVENT)
    first: dict[str, int] = {}
    again = []
    for event_id, message_id in sorted(zip(*(column.to_pylist() for column in events.columns), strict=True)):
        if message_id is not None and first.setdefault(message_id, event_id) != event_id:
            again.append((event_id, message_id, *DUPLICATE))
    return table_of(again, REJECTED)


def frame_times(store: Store, given: pa.Table | None) -> pa.Table:
    """Return the times of a frame's messages; a message without a time gets that of its arrival."""
    if given is None:
        return EVENT_TIME.empty_table()
    store.engine.load("given", given)
    store.engine.load("frame_start", pa.table({"now": [time.time()]}))
    if bad := store.rows(BAD_TIMES):
        raise Error(f"message {bad[0]['message_id']!r}: a message's time is {TIME_KINDS}, not {bad[0]['said']}")
    return store.engine.fetch(FRAME_TIME)


def _payload(xml: object) -> tuple[str | None, bytes | None]:
    """Return a message as text or bytes; text that cannot be encoded goes as bytes, to be rejected with its place."""
    if isinstance(xml, str):
        return (xml, None) if is_text(xml) else (None, xml.encode("utf-8", "surrogatepass"))
    return None, xml if isinstance(xml, bytes) else None


def check_frame(messages: DataFrame, keep: Sequence[str]) -> None:
    """Raise an error for a frame that lacks columns."""
    if not all(hasattr(messages, name) for name in ("mapInArrow", "schema", "sparkSession")):
        raise Error(f"publish_frame needs a Spark DataFrame, not {type(messages).__name__}")
    names = {name.lower() for name in messages.columns}
    if not {"id", "xml"} <= names:
        raise Error(f"publish_frame needs the columns id and xml, not {', '.join(messages.columns)}")
    if unknown := [name for name in keep if name.lower() not in names]:
        raise Error(f"publish_frame cannot keep {', '.join(unknown)}: the columns are {', '.join(messages.columns)}")
    if taken := [name for name in keep if name.lower() in _RESULT_NAMES]:
        raise Error(f"publish_frame cannot keep {', '.join(taken)}: the result has a column of that name; rename yours")
    kind = _kind(messages, "xml")
    if kind not in ("string", "binary"):
        raise Error(f"the column xml must be a string or binary, not {kind}")


def lazy_rows(messages: DataFrame, keep: Sequence[str]) -> DataFrame:
    """Select message id, XML and the columns to keep."""
    names = _names(messages)
    return messages.select(*_given(messages), *(names[name.lower()] for name in keep))


def with_columns(found: DataFrame, messages: DataFrame, keep: Sequence[str]) -> DataFrame:
    """Add columns of the messages to what was found for them, by id."""
    if not keep:
        return found
    return found.join(lazy_rows(messages, keep).drop("xml").dropDuplicates(["message_id"]), "message_id", "left")


def timed_rows(messages: DataFrame) -> DataFrame:
    """Select event id, message id, XML, time in seconds or null, and time as given."""
    from pyspark.sql.functions import col, lit, monotonically_increasing_id

    names = _names(messages)
    at = col(names["timestamp"]) if "timestamp" in names else lit(None).cast("double")
    kind = _kind(messages, "timestamp") if "timestamp" in names else "double"
    return messages.select(
        monotonically_increasing_id().alias("event_id"), *_given(messages), _seconds(at, kind).alias("time"),
        at.cast("string").alias("said"))


def _given(messages: DataFrame) -> tuple[Column, Column]:
    from pyspark.sql.functions import col

    names = _names(messages)
    return col(names["id"]).cast("string").alias("message_id"), col(names["xml"]).alias("xml")


def _names(messages: DataFrame) -> dict[str, str]:
    """Return the columns of a frame by their names in lower case, quoted for Spark."""
    return {name.lower(): f"`{name.replace('`', '``')}`" for name in messages.columns}


def _kind(messages: DataFrame, name: str) -> str:
    return next(kind for column, kind in messages.dtypes if column.lower() == name)


def _seconds(time: Column, kind: str) -> Column:
    """Convert numbers, timestamps, dates or ISO 8601 strings to seconds; times without a time zone are in UTC."""
    from pyspark.sql.functions import coalesce, concat, lit, unix_date

    if kind == "date":
        return unix_date(time) * lit(86_400.0)
    if kind == "timestamp_ntz":
        return _seconds(time.cast("string"), "string")
    if kind != "string":
        return time.cast("double")
    forms = (concat(time, lit("Z")), concat(time, lit("T00:00:00Z")), time)
    return coalesce(*(form.try_cast("timestamp") for form in forms)).cast("double")
