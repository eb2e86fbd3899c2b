"""Functions over Arrow batches, with one or several kinds of rows as their result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pyarrow as pa

ArrowFunction = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]
"""What an engine runs over a relation's batches: in this process, or in its executors."""
SplitFunction = Callable[[Iterator[pa.RecordBatch]], Iterator[tuple[str, pa.Table]]]
"""The same with several kinds of rows, each table under the name of its kind."""
Outputs = Mapping[str, pa.Schema]
"""The kinds of rows of such a function, by name."""
ROW_KIND = "row_kind"


def wide_schema(outputs: Outputs) -> pa.Schema:
    """All kinds of rows in one table: the kind, and a column for each, null but for the row's own."""
    return pa.schema([(ROW_KIND, pa.string()), *((name, pa.struct(list(schema))) for name, schema in outputs.items())])


def widened(function: SplitFunction, outputs: Outputs) -> ArrowFunction:
    """A function of several kinds of rows as one of wide rows."""
    schema = wide_schema(outputs)

    def wide(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for name, table in function(batches):
            for batch in table.to_batches():
                columns = {ROW_KIND: pa.repeat(name, len(batch)), name: batch.to_struct_array()}
                arrays = [columns.get(each.name, pa.nulls(len(batch), each.type)) for each in schema]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)
    return wide
