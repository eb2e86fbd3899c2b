"""Reads subscriptions from iterables, Arrow tables and files into numbered rows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from xpubsub.errors import Error
from xpubsub.jobs.subscribe.columns import OWN, check_columns, find_columns
from xpubsub.jobs.subscribe.own_columns import own_column
from xpubsub.jobs.subscribe.subscription_files import read_subscriptions
from xpubsub.jobs.subscribe.subscription_records import Record, Records

_SCHEMA = pa.schema([("row_no", pa.int64()), ("subscription_id", pa.string()), ("text", pa.string())])


@dataclass(frozen=True)
class Incoming:
    """The rows of a call, numbered from 1 (for a file with a header, the row after it is 1).

    `rows` has the columns row_no, subscription_id and text, and those of `OWN` that some row gives; null means that of
    the call.
    """

    rows: pa.Table
    refused: list[dict[str, object]] = field(default_factory=list)
    """Rows whose own namespaces, dialect, stream and so on are wrong; `rows` does not include them."""

    def ids(self) -> int:
        """Return the number of distinct ids."""
        return int(pc.count_distinct(self.rows["subscription_id"]).as_py())


def read_rows(rows: Any, columns: Mapping[str, str] | None = None, header: bool | None = None) -> Incoming:
    """Read and number the rows of an iterable, a table or a file."""
    names = check_columns(columns)
    if isinstance(rows, Incoming):
        return rows
    if isinstance(rows, str | os.PathLike):
        given = read_subscriptions(Path(rows), names, header)
        return _from_arrow(given, names) if isinstance(given, pa.Table) else _from_records(given)
    if isinstance(rows, pa.Table | pa.RecordBatch) or hasattr(rows, "__arrow_c_stream__"):
        return _from_arrow(_table(rows), names)
    if not isinstance(rows, Iterable):
        raise Error(f"subscriptions must be rows, an Arrow table or a file path, not {type(rows).__name__}")
    return _from_iterable(rows, names)


def _from_iterable(rows: Iterable[Any], columns: Mapping[str, str]) -> Incoming:
    """Turn pairs into columns: all at once if all are valid, else one by one to name the invalid one."""
    given = rows if isinstance(rows, list) else list(rows)
    if all(type(row) is tuple and len(row) == 2 and type(row[0]) is str and type(row[1]) is str for row in given):
        with suppress(UnicodeEncodeError, pa.ArrowException):
            return _from_records(given)
    records = Records(columns)
    return _from_records([records.of(row, f"row {number}") for number, row in enumerate(given, start=1)])


def _from_records(records: Sequence[Record]) -> Incoming:
    """Turn checked records into rows: pairs, or pairs followed by the row's own values."""
    ids, texts = (pa.array([record[place] for record in records], pa.string()) for place in (0, 1))
    if all(len(record) == 2 for record in records):
        return _incoming(ids, texts, {})
    own = {name: [record[place] if len(record) > 2 else None for record in records]
           for place, name in enumerate(OWN, start=2)}
    return _incoming(ids, texts, own)


def _table(rows: Any) -> pa.Table:
    try:
        return pa.table(rows)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise Error(f"{type(rows).__name__} is not a table with the columns id and text: {error}") from None


def _from_arrow(table: pa.Table, columns: Mapping[str, str]) -> Incoming:
    places = find_columns(table.column_names, columns)
    ids, texts, *own = (_array(table, place, column) for column, place in places.items())
    return _incoming(ids, texts, dict(zip(list(places)[2:], own, strict=True)))


def _array(table: pa.Table, place: int, column: str) -> pa.Array:
    values = table.column(place)
    array = values.combine_chunks() if values.num_chunks != 1 else values.chunk(0)
    if column in ("namespaces", "variables", "weights") and pa.types.is_nested(array.type):
        return array
    try:
        return array.cast(pa.string())
    except pa.ArrowException as error:
        raise Error(f"the column {table.column_names[place]} is not text: {error}") from None


def _incoming(ids: pa.Array, texts: pa.Array, own: Mapping[str, Sequence[Any] | pa.Array]) -> Incoming:
    numbers = pa.array(range(1, len(ids) + 1), pa.int64())
    rows = pa.Table.from_arrays([numbers, ids, texts], schema=_SCHEMA)
    refused: list[dict[str, object]] = []
    right = pa.scalar(True)
    for name, values in own.items():
        column = own_column(name, values)
        if column.texts.null_count < len(ids):
            rows = rows.append_column(name, column.texts)
        if column.reasons.null_count < len(ids):
            wrong = rows.select(["row_no", "subscription_id"]).append_column("reason", column.reasons)
            refused += wrong.filter(pc.is_valid(column.reasons)).to_pylist()
            right = pc.and_(right, pc.is_null(column.reasons))
    return Incoming(rows.filter(right) if refused else rows, [{**row, "code": "bad-row"} for row in refused])
