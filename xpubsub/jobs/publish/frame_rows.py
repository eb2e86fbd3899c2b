"""Messages as rows for Spark: a batch of this process, or a frame of the user's."""

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
    """The messages as rows; a second one with the same id is set aside."""
    duplicates: list[Duplicate] = []
    given = numbered(messages, duplicates, progress, times)
    rows = [(event_id, message_id, *_payload(xml)) for event_id, message_id, xml in given]
    return table_of(rows, _MESSAGES), duplicates


def rejected_rows(aside: pa.Table, duplicates: list[Duplicate], untimely: pa.Table) -> pa.Table:
    """What was rejected by the shredders, messages with an id that came before, and those whose times are wrong."""
    own = table_of(duplicates, REJECTED)
    found = aside.filter(pc.is_valid(aside["code"])).select(REJECTED.names)
    every = pa.concat_tables([found.cast(REJECTED), own, untimely.cast(REJECTED)])
    return every.sort_by("event_id").drop_columns("event_id")


def _payload(xml: object) -> tuple[str | None, bytes | None]:
    """A message as text or as data; text that no encoding has goes as data, to be rejected with its place."""
    if isinstance(xml, str):
        return (xml, None) if is_text(xml) else (None, xml.encode("utf-8", "surrogatepass"))
    return None, xml if isinstance(xml, bytes) else None


def frame_rows(messages: DataFrame) -> DataFrame:
    """(event id, message id, XML, time, as it was given) of a frame of messages; a time is in seconds, or null."""
    from pyspark.sql import DataFrame
    from pyspark.sql.functions import col, lit, monotonically_increasing_id

    if not isinstance(messages, DataFrame):
        raise Error(f"publish_frame takes a Spark DataFrame, not {type(messages).__name__}")
    names = {name.lower(): name for name in messages.columns}
    if "id" not in names or "xml" not in names:
        raise Error(f"a frame of messages has the columns id and xml, not {', '.join(messages.columns)}")
    time = col(names["timestamp"]) if "timestamp" in names else lit(None).cast("double")
    kind = dict(messages.dtypes)[names["timestamp"]] if "timestamp" in names else "double"
    return messages.select(
        monotonically_increasing_id().alias("event_id"), col(names["id"]).cast("string").alias("message_id"),
        col(names["xml"]).alias("xml"), _seconds(time, kind).alias("time"), time.cast("string").alias("said"))


def _seconds(time: Column, kind: str) -> Column:
    """A column in seconds: numbers, timestamps, dates and ISO 8601 strings, in UTC if they do not say otherwise."""
    from pyspark.sql.functions import coalesce, concat, lit, unix_date

    if kind == "date":
        return unix_date(time) * lit(86_400.0)
    if kind == "timestamp_ntz":
        return _seconds(time.cast("string"), "string")
    if kind != "string":
        return time.cast("double")
    forms = (concat(time, lit("Z")), concat(time, lit("T00:00:00Z")), time)
    return coalesce(*(form.try_cast("timestamp") for form in forms)).cast("double")
