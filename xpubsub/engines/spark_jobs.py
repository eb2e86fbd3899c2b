"""Runs one job over rows of this process, with as little of Spark around it as possible.

A frame of the rows would be converted to Spark's own rows and back, planned and compiled, which takes longer than many
a batch. So the rows travel as bytes in Arrow's format for streams. Spark Connect knows frames only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa
from pyspark.sql import SparkSession

from xpubsub.arrow import ArrowFunction, arrow_batches, arrow_bytes
from xpubsub.engines.spark_session import PART_BYTES, collected, explained, frame_of, mapped


def run_over(
    session: SparkSession, rows: pa.Table, function: ArrowFunction, schema: pa.Schema, what: str, *, alone: bool = False
) -> pa.Table:
    """Apply a function to rows in the workers; return its results, which have the schema.

    - `alone`: give all rows to one worker.
    """
    if not isinstance(session, SparkSession):
        frame = frame_of(session, rows)
        return collected(mapped(frame.coalesce(1) if alone else frame, function, schema), what)
    with explained(what):
        context = session.sparkContext
        parts = _parts(rows, 1 if alone else context.defaultParallelism)
        found = context.parallelize(parts, len(parts)).mapPartitions(_over_bytes(function)).collect()
    return pa.Table.from_batches([batch for each in found for batch in arrow_batches(each)], schema)


def _parts(rows: pa.Table, least: int) -> list[bytes]:
    """Split rows into at least so many parts, each of a bounded size, as bytes."""
    size = -(-rows.num_rows // max(least, 1 + rows.nbytes // PART_BYTES))
    return [arrow_bytes(rows.slice(first, size)) for first in range(0, rows.num_rows, size)]


def _over_bytes(function: ArrowFunction) -> Callable[[Iterable[bytes]], Iterable[bytes]]:
    """Return a function of encoded rows, for the workers."""
    def applied(parts: Iterable[bytes]) -> Iterator[bytes]:
        yield from map(arrow_bytes, function(batch for part in parts for batch in arrow_batches(part)))
    return applied
