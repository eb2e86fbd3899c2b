"""Types of functions over Arrow batches that return one or several kinds of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pyarrow as pa

ArrowFunction = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]
"""A function that an engine runs over the batches of a relation, in this process or in Spark's executors."""
SplitFunction = Callable[[Iterator[pa.RecordBatch]], Iterator[tuple[str, pa.Table]]]
"""The same for several kinds of rows: it yields tables, each with the name of its kind."""
Outputs = Mapping[str, pa.Schema]
"""The schemas of such a function's kinds of rows, by name."""
ROW_KIND = "row_kind"


def wide_schema(outputs: Outputs) -> pa.Schema:
    """Return one schema for all kinds: the kind, and a struct column for each, null except for the row's own kind."""
    return pa.schema([(ROW_KIND, pa.string()), *((name, pa.struct(list(schema))) for name, schema in outputs.items())])


def widened(function: SplitFunction, outputs: Outputs) -> ArrowFunction:
    """Turn a function with several kinds of rows into one that yields rows of `wide_schema`."""
    schema = wide_schema(outputs)

    def wide(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for name, table in function(batches):
            for batch in table.to_batches():
                columns = {ROW_KIND: pa.repeat(name, len(batch)), name: batch.to_struct_array()}
                arrays = [columns.get(each.name, pa.nulls(len(batch), each.type)) for each in schema]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)
    return wide
