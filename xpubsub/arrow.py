"""Types of functions over Arrow batches, and rows of several kinds in one column of bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import pyarrow as pa
from pyarrow import ipc

ArrowFunction = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]
"""A function that an engine runs over the batches of a relation, in this process or in Spark's executors."""
SplitFunction = Callable[[Iterator[pa.RecordBatch]], Iterator[tuple[str, pa.Table]]]
"""The same for several kinds of rows: it yields tables, each with the name of its kind."""
Outputs = Mapping[str, pa.Schema]
"""The schemas of such a function's kinds of rows, by name."""
PACKED = pa.schema([("kind", pa.string()), ("rows", pa.binary())])
"""A table of one kind of rows, in Arrow's format for streams: Spark carries it without looking into it."""
_MOST_ROWS = 100_000
"""How many rows are packed together, which bounds the size of a value."""


def arrow_bytes(rows: pa.Table | pa.RecordBatch, compression: str | None = None) -> bytes:
    """Return rows in Arrow's format for streams."""
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, rows.schema, options=ipc.IpcWriteOptions(compression=compression)) as stream:
        stream.write(rows)
    return bytes(sink.getvalue().to_pybytes())


def arrow_batches(rows: bytes) -> Iterator[pa.RecordBatch]:
    """Yield the batches of encoded rows."""
    yield from ipc.open_stream(rows)


def pack(kind: str, table: pa.Table) -> Iterator[pa.RecordBatch]:
    """Pack a table into rows of `PACKED`."""
    for first in range(0, max(table.num_rows, 1), _MOST_ROWS):
        rows = arrow_bytes(table.slice(first, _MOST_ROWS), compression="lz4")
        yield pa.RecordBatch.from_arrays([pa.array([kind]), pa.array([rows], pa.binary())], schema=PACKED)


def unpack(packed: pa.Table) -> dict[str, pa.Table]:
    """Return the tables in rows of `PACKED` by kind."""
    parts: dict[str, list[pa.Table]] = {}
    for kind, rows in zip(*(packed[name].to_pylist() for name in PACKED.names), strict=True):
        parts.setdefault(kind, []).append(ipc.open_stream(rows).read_all())
    return {kind: pa.concat_tables(tables) for kind, tables in parts.items()}


def flowing(function: SplitFunction) -> ArrowFunction:
    """Turn a function with several kinds of rows into one that yields rows of `PACKED`."""
    def packed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for kind, table in function(batches):
            yield from pack(kind, table)
    return packed


def joined(tables: Iterable[pa.Table], schema: pa.Schema) -> pa.Table:
    """Return tables as one with a schema, which may be empty."""
    return pa.concat_tables([schema.empty_table(), *(table.cast(schema) for table in tables)])
