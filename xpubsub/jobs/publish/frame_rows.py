"""Turns messages into rows for Spark, from a batch in this process or from the user's frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from xpubsub.checks import is_text
from xpubsub.errors import Error
from xpubsub.jobs.publish.messages import Duplicate, Given, Times, numbered
from xpubsub.rows import REJECTED, table_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_MESSAGES = pa.schema([
    ("event_id", pa.int64()), ("message_id", pa.string()), ("text", pa.string()), ("data", pa.binary()),
])


def batch_rows(
    messages: Iterable[Given], progress: Callable[[int], None] | None, times: Times
) -> tuple[pa.Table, list[Duplicate]]:
    """Return the messages as rows, and the rejected ones: those whose id came before in the batch."""
    duplicates: list[Duplicate] = []
    given = numbered(messages, duplicates, progress, times)
    rows = [(event_id, message_id, *_payload(xml)) for event_id, message_id, xml in given]
    return table_of(rows, _MESSAGES), duplicates


def rejected_rows(aside: pa.Table, duplicates: list[Duplicate], untimely: pa.Table) -> pa.Table:
    """Combine the messages rejected by the shredders, for a duplicate id, and for their time."""
    own = table_of(duplicates, REJECTED)
    found = aside.filter(pc.is_valid(aside["code"])).select(REJECTED.names)
    every = pa.concat_tables([found.cast(REJECTED), own, untimely.cast(REJECTED)])
    return every.sort_by("event_id").drop_columns("event_id")


def _payload(xml: object) -> tuple[str | None, bytes | None]:
    """Return a message as text or bytes; text that cannot be encoded goes as bytes, to be rejected with its place."""
    if isinstance(xml, str):
        return (xml, None) if is_text(xml) else (None, xml.encode("utf-8", "surrogatepass"))
    return None, xml if isinstance(xml, bytes) else None


def frame_rows(messages: DataFrame) -> DataFrame:
    """Select event id, message id, XML, time in seconds or null, and time as given, from a frame of messages."""
    from pyspark.sql import DataFrame
    from pyspark.sql.functions import col, lit, monotonically_increasing_id

    if not isinstance(messages, DataFrame):
        raise Error(f"publish_frame needs a Spark DataFrame, not {type(messages).__name__}")
    names = {name.lower(): name for name in messages.columns}
    if "id" not in names or "xml" not in names:
        raise Error(f"publish_frame needs the columns id and xml, not {', '.join(messages.columns)}")
    time = col(names["timestamp"]) if "timestamp" in names else lit(None).cast("double")
    kind = dict(messages.dtypes)[names["timestamp"]] if "timestamp" in names else "double"
    return messages.select(
        monotonically_increasing_id().alias("event_id"), col(names["id"]).cast("string").alias("message_id"),
        col(names["xml"]).alias("xml"), _seconds(time, kind).alias("time"), time.cast("string").alias("said"))


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
