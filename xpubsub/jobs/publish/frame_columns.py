"""Finds the columns of a user's frame, and selects what workers need of them.

Columns are found by name and selected by their place: Spark refuses names that two columns have, and some with dots.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from xpubsub.errors import Error
from xpubsub.jobs.publish.partition import KEPT_COLUMN
from xpubsub.rows import FAILED, NOTIFICATIONS, REJECTED

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructField

_RESULT_NAMES = {*NOTIFICATIONS.names, *REJECTED.names, *FAILED.names}
_TIMES = re.compile("tinyint|smallint|int|bigint|float|double|decimal.*|string.*|date|timestamp|timestamp_ntz|void")
"""The types that a column of times may have, as Spark names them."""


class FrameColumns:
    """The columns `id`, `xml`, `timestamp`, and those to keep, of a frame of messages."""

    def __init__(self, messages: DataFrame, keep: Sequence[str] = ()) -> None:
        if not all(hasattr(messages, name) for name in ("mapInArrow", "schema", "sparkSession")):
            raise Error(f"publish_frame needs a Spark DataFrame, not {type(messages).__name__}")
        self.messages = messages
        self._names = messages.columns
        self._numbered = messages.toDF(*(f"column_{n}" for n in range(len(self._names))))
        self._kinds = [kind for _, kind in self._numbered.dtypes]
        self._id, self._xml, self._time = map(self._place, ("id", "xml", "timestamp"))
        self._kept = [self._kept_place(name, keep) for name in keep]
        self._check()

    def _place(self, name: str) -> int | None:
        """Return the place of the column of a name; one in the same letters comes before others."""
        found = [n for n, each in enumerate(self._names) if each == name]
        found = found or [n for n, each in enumerate(self._names) if each.lower() == name.lower()]
        if len(found) > 1:
            raise Error(f"publish_frame needs one column {name}, but the frame has {len(found)}: rename or drop others")
        return found[0] if found else None

    def _kept_place(self, name: str, keep: Sequence[str]) -> int:
        place = self._place(name)
        if place is None:
            raise Error(f"publish_frame cannot keep {name}: the columns are {', '.join(self._names)}")
        if name.lower() in _RESULT_NAMES:
            raise Error(f"publish_frame cannot keep {name}: the result has a column of that name; rename yours")
        if keep.count(name) > 1:
            raise Error(f"publish_frame cannot keep {name} twice")
        return place

    def _check(self) -> None:
        if self._id is None or self._xml is None:
            raise Error(f"publish_frame needs the columns id and xml, not {', '.join(self._names)}")
        kind = self._kinds[self._xml]
        if kind != "binary" and not kind.startswith("string"):
            raise Error(f"the column xml must be a string or binary, not {kind}")

    @cached_property
    def kept(self) -> list[StructField]:
        """The types of the kept columns, under the names that they have on the way."""
        return list(self._numbered.select(*self._kept_columns()).schema.fields) if self._kept else []

    def lazy_rows(self) -> DataFrame:
        """Select message id, XML and the columns to keep."""
        return self._numbered.select(*self._given(), *self._kept_columns())

    def timed_rows(self) -> DataFrame:
        """Select event id, message id, XML, time in seconds or null, time as given, and the columns to keep."""
        from pyspark.sql.functions import col, lit, monotonically_increasing_id

        at, kind = lit(None).cast("double"), "double"
        if self._time is not None:
            at, kind = col(f"column_{self._time}"), self._kinds[self._time]
        if not _TIMES.fullmatch(kind):
            raise Error(f"the column timestamp must have numbers, timestamps, dates or strings, not {kind}")
        return self._numbered.select(
            monotonically_increasing_id().alias("event_id"), *self._given(), _seconds(at, kind).alias("time"),
            at.cast("string").alias("said"), *self._kept_columns())

    def named(self, found: DataFrame) -> DataFrame:
        """Give the kept columns of a result, which are its last, the names that they have in the frame."""
        if not self._kept:
            return found
        return found.toDF(*found.columns[: -len(self._kept)], *(self._names[place] for place in self._kept))

    def _given(self) -> tuple[Column, Column]:
        from pyspark.sql.functions import col

        xml = col(f"column_{self._xml}")
        xml = xml if self._kinds[self._xml or 0] == "binary" else xml.cast("string")
        return col(f"column_{self._id}").cast("string").alias("message_id"), xml.alias("xml")

    def _kept_columns(self) -> list[Any]:
        from pyspark.sql.functions import col

        return [col(f"column_{place}").alias(f"{KEPT_COLUMN}{n}") for n, place in enumerate(self._kept)]


def _seconds(time: Column, kind: str) -> Column:
    """Convert numbers, timestamps, dates or ISO 8601 strings to seconds; times without a time zone are in UTC."""
    from pyspark.sql.functions import coalesce, concat, lit, unix_date

    if kind == "date":
        return unix_date(time) * lit(86_400.0)
    if kind == "timestamp_ntz":
        return _seconds(time.cast("string"), "string")
    if not kind.startswith("string"):
        return time.cast("double")
    forms = (concat(time, lit("Z")), concat(time, lit("T00:00:00Z")), time)
    return coalesce(*(form.try_cast("timestamp_ltz") for form in forms)).cast("double")
