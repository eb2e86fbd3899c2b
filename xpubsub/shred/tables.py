"""Python rows → Arrow tables."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa


def table_of(rows: Sequence[Sequence[object]], schema: pa.Schema) -> pa.Table:
    """Rows as an Arrow table of a schema."""
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)
