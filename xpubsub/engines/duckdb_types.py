"""DuckDB's types for the types of Arrow."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import duckdb
import pyarrow as pa

_TYPES = {
    pa.int32(): "INTEGER", pa.int64(): "BIGINT", pa.float64(): "DOUBLE", pa.bool_(): "BOOLEAN", pa.string(): "VARCHAR",
    pa.binary(): "BLOB",
}


@lru_cache(maxsize=1024)
def columns_of(schema: pa.Schema) -> str | None:
    """Return the columns of a table as DDL; None if one has a type that no table of the store has."""
    try:
        return ", ".join(f'"{field.name}" {duckdb_type(field.type)}' for field in schema)
    except KeyError:
        return None


def duckdb_type(arrow: pa.DataType) -> Any:
    """Return the DuckDB type for an Arrow type."""
    if pa.types.is_list(arrow):
        return duckdb.list_type(duckdb_type(arrow.value_type))
    if pa.types.is_struct(arrow):
        return duckdb.struct_type({field.name: duckdb_type(field.type) for field in arrow})
    return duckdb.sqltype(_TYPES[arrow])
