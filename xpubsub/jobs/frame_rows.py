"""Messages as rows for Spark: a batch of this process, or a frame of the user's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from xpubsub.checks import is_text
from xpubsub.errors import Error
from xpubsub.jobs.messages import Duplicate, Given, Times, numbered
from xpubsub.shred.rows import REJECTED
from xpubsub.shred.tables import table_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

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


def rejected_rows(aside: pa.Table, duplicates: list[Duplicate]) -> pa.Table:
    """What was set aside by the shredders, and messages with an id that came before."""
    own = table_of(duplicates, REJECTED)
    found = aside.filter(pc.is_valid(aside["code"])).select(REJECTED.names)
    return pa.concat_tables([found.cast(REJECTED), own]).sort_by("event_id").drop_columns("event_id")


def _payload(xml: object) -> tuple[str | None, bytes | None]:
    """A message as text or as data; text that no encoding has goes as data, to be rejected with its place."""
    if isinstance(xml, str):
        return (xml, None) if is_text(xml) else (None, xml.encode("utf-8", "surrogatepass"))
    return None, xml if isinstance(xml, bytes) else None


def frame_rows(messages: DataFrame) -> DataFrame:
    """(event id, message id, XML, time) of a frame of messages; a time is in seconds, null if there is none."""
    from pyspark.sql import DataFrame
    from pyspark.sql.functions import col, lit, monotonically_increasing_id

    if not isinstance(messages, DataFrame):
        raise Error(f"publish_frame takes a Spark DataFrame, not {type(messages).__name__}")
    names = {name.lower(): name for name in messages.columns}
    if "id" not in names or "xml" not in names:
        raise Error(f"a frame of messages has the columns id and xml, not {', '.join(messages.columns)}")
    time = col(names["timestamp"]) if "timestamp" in names else lit(None)
    return messages.select(
        monotonically_increasing_id().alias("event_id"), col(names["id"]).cast("string").alias("message_id"),
        col(names["xml"]).alias("xml"), time.cast("double").alias("time"))
