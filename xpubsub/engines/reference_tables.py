"""Reads reference tables: from Arrow, pandas, files, DuckDB or Spark, into values by key and column, as text.

Values are written as XPath writes them: numbers without exponents and superfluous zeros, dates as in ISO 8601.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from xpubsub.errors import Error

_FILES = {".parquet": "read_parquet(?)", ".csv": "read_csv(?, all_varchar := true, header := true)",
          ".tsv": "read_csv(?, all_varchar := true, header := true, delim := '\t')", ".jsonl": "read_json(?)",
          ".ndjson": "read_json(?)"}
_NAME = re.compile(r"[^\W\d][\w.\-]*")
_PLAIN = ("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER",
          "UBIGINT", "UHUGEINT", "VARCHAR", "DATE", "UUID", "TIME")
_FLOATS = ("FLOAT", "DOUBLE")
_DIGITS = 1_000_000_000_000_000
"""Whole numbers below this are written without a point by way of integers."""
_FLOAT = """case when isnan({column}) then 'NaN'
  when isinf({column}) then if({column} > 0, 'Infinity', '-Infinity')
  when {column} = trunc({column}) and abs({column}) < {digits} then cast(cast({column} as bigint) as varchar)
  when {column} = trunc({column}) then format('{{:.0f}}', cast({column} as double))
  when contains(cast({column} as varchar), 'e') then {small}
  else cast({column} as varchar) end"""


class ReadReference(NamedTuple):
    """A reference table that was read."""

    columns: tuple[str, ...]
    rows: int
    values: pa.Table
    """column_name, key, value; nothing where a value is null."""


def read_reference(given: Any, on: str) -> ReadReference:
    """Read a table whose keys are in the column `on`."""
    with duckdb.connect(":memory:") as connection:
        _create(connection, given)
        types = {row[0]: str(row[1]) for row in connection.execute("describe given").fetchall()}
        _check_columns(types, on)
        columns = tuple(name for name in types if name != on)
        key = _text(on, types[on])
        source = f"select {key} as key, * from given where {_quoted(on)} is not null"
        connection.execute(f"create temp view keyed as {source}")
        _check_keys(connection, on)
        [[rows]] = connection.execute("select count(*) from keyed").fetchall()
        values = connection.sql(" union all ".join(_selects(columns, types))).to_arrow_table()
    return ReadReference(columns, rows, values)


def _create(connection: duckdb.DuckDBPyConnection, given: Any) -> None:
    """Create the relation `given`."""
    if isinstance(given, str | os.PathLike):
        _create_from_file(connection, os.fspath(given))
        return
    table = _arrow(given)
    connection.register("arrow_given", table)
    connection.execute("create temp table given as select * from arrow_given")


def _create_from_file(connection: duckdb.DuckDBPyConnection, path: str) -> None:
    reader = _FILES.get(os.path.splitext(path)[1].lower())
    if reader is None:
        raise Error(f"{path!r} is not a file of reference data: its name must end in {', '.join(_FILES)}")
    if not os.path.exists(path):
        raise Error(f"{path}: there is no such file")
    try:
        connection.execute(f"create temp table given as select * from {reader}", [path])
    except duckdb.Error as error:
        raise Error(f"{path} cannot be read: {str(error).splitlines()[0]}") from None


def _arrow(given: Any) -> pa.Table:
    """Return a table of any kind as an Arrow table."""
    if isinstance(given, pa.Table):
        return given
    for method in ("to_arrow_table", "toArrow", "read_all"):
        if hasattr(given, method):
            return getattr(given, method)()
    if type(given).__module__.partition(".")[0] == "pandas":
        return pa.Table.from_pandas(given, preserve_index=False)
    raise Error("reference data must be an Arrow table, a pandas or Spark DataFrame, a DuckDB relation, or the path of"
                f" a file ({', '.join(_FILES)}), not {type(given).__name__}")


def _check_columns(types: dict[str, str], on: str) -> None:
    if on not in types:
        raise Error(f"there is no column {on!r}: the columns are {', '.join(types)}")
    for name, kind in types.items():
        if not _NAME.fullmatch(name):
            raise Error(f"the column {name!r} cannot be the name of an attribute: rename it, or leave it out")
        if not _is_known(kind):
            raise Error(f"the column {name!r} has the type {kind}: only numbers, truth values, texts, dates and times"
                        " can be attributes")


def _check_keys(connection: duckdb.DuckDBPyConnection, on: str) -> None:
    again = connection.execute("select key from keyed group by key having count(*) > 1 order by key limit 3").fetchall()
    if again:
        named = ", ".join(repr(key) for key, in again)
        raise Error(f"the column {on!r} has keys in more than one row: {named}")


def _selects(columns: Sequence[str], types: dict[str, str]) -> Iterator[str]:
    """Yield a query for each column."""
    for name in columns:
        value = _text(name, types[name])
        yield f"select '{name}' as column_name, key, {value} as value from keyed where {_quoted(name)} is not null"
    if not columns:
        yield "select 'none' as column_name, key, key as value from keyed where false"


def _is_known(kind: str) -> bool:
    return kind in (*_PLAIN, *_FLOATS) or kind.startswith(("DECIMAL", "TIMESTAMP", "ENUM"))


def _text(name: str, kind: str) -> str:
    """Return the SQL of a value as XPath writes it."""
    column = _quoted(name)
    if kind.startswith("DECIMAL"):
        return _trimmed(f"cast({column} as varchar)")
    if kind in _FLOATS:
        small = _trimmed(f"cast(try_cast(cast({column} as varchar) as decimal(38, 24)) as varchar)")
        return _FLOAT.format(column=column, digits=_DIGITS, small=small)
    if kind == "TIMESTAMP WITH TIME ZONE":
        return _trimmed(f"strftime(timezone('UTC', {column}), '%Y-%m-%dT%H:%M:%S.%f')") + " || 'Z'"
    if kind.startswith("TIMESTAMP"):
        return _trimmed(f"strftime(cast({column} as timestamp), '%Y-%m-%dT%H:%M:%S.%f')")
    return f"cast({column} as varchar)"


def _trimmed(text: str) -> str:
    """Return the SQL of a number without zeros at the end of its fraction."""
    return f"(case when contains({text}, '.') then rtrim(rtrim({text}, '0'), '.') else {text} end)"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
