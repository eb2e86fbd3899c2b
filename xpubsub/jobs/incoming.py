"""Subscriptions as users bring them: iterables, Arrow tables and files → rows (row_no, subscription_id, text)."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from xpubsub.checks import check_text
from xpubsub.errors import Error

_SCHEMA = pa.schema([("row_no", pa.int64()), ("subscription_id", pa.string()), ("text", pa.string())])
_ID_NAMES = ("id", "subscription_id")
_TEXT_NAMES = ("text", "xpath", "expression", "query")
_READERS = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")


def read_rows(rows: Any) -> pa.Table:
    """Number the rows of whatever was given, from 1 (for a file with a header, the row after it is 1)."""
    if isinstance(rows, str | os.PathLike):
        return _read_file(Path(rows))
    if isinstance(rows, pa.Table | pa.RecordBatch):
        return _from_arrow(pa.table(rows))
    if hasattr(rows, "__arrow_c_stream__"):
        return _from_arrow(pa.table(rows))
    if not isinstance(rows, Iterable):
        raise Error(f"subscriptions are rows, an Arrow table or a file, not {type(rows).__name__}")
    return _from_pairs(rows)


def _from_pairs(rows: Iterable[Any]) -> pa.Table:
    """Pairs as columns: all at once if they are what they should be, else one by one to say which is not."""
    given = rows if isinstance(rows, list) else list(rows)
    if all(type(row) is tuple and len(row) == 2 and type(row[0]) is str and type(row[1]) is str for row in given):
        with suppress(UnicodeEncodeError, pa.ArrowException):
            return _table(*(pa.array([row[place] for row in given], pa.string()) for place in (0, 1)))
    return _from_checked_pairs(given)


def _from_checked_pairs(rows: list[Any]) -> pa.Table:
    ids: list[str] = []
    texts: list[str] = []
    for number, row in enumerate(rows, start=1):
        pair = _pair(row, number)
        ids.append(pair[0])
        texts.append(pair[1])
    return _table(pa.array(ids, pa.string()), pa.array(texts, pa.string()))


def _pair(row: Any, number: int) -> tuple[str, str]:
    if not isinstance(row, tuple | list) or len(row) != 2:
        raise Error(f"row {number}: a subscription is (id, text)")
    subscription_id = check_text(f"row {number}: the id of a subscription", row[0], empty=True)
    return subscription_id, check_text(f"row {number}: the text of a subscription", row[1], empty=True)


def _table(ids: Any, texts: Any) -> pa.Table:
    return pa.Table.from_arrays([pa.array(range(1, len(ids) + 1), pa.int64()), ids, texts], schema=_SCHEMA)


def _from_arrow(table: pa.Table) -> pa.Table:
    ids, texts = _column(table.column_names, _ID_NAMES), _column(table.column_names, _TEXT_NAMES)
    try:
        columns = [table[name].cast(pa.string()).combine_chunks() for name in (ids, texts)]
    except pa.ArrowException as error:
        raise Error(f"the columns {ids} and {texts} are not texts: {error}") from None
    return _table(*columns)


def _column(names: list[str], wanted: tuple[str, ...]) -> str:
    found = next((name for name in names if name.lower() in wanted), None)
    if found is None:
        raise Error(f"no column {' or '.join(wanted)} among {', '.join(names)}")
    return found


def _read_file(path: Path) -> pa.Table:
    if not path.is_file():
        raise Error(f"{path} is not a file")
    try:
        ending = path.suffix.lower()
        if ending == ".parquet":
            return _from_arrow(pq.read_table(path))
        if ending in (".jsonl", ".ndjson"):
            return _from_pairs(_json_lines(path))
        if ending in (".csv", ".tsv"):
            return _from_pairs(_delimited(path, "," if ending == ".csv" else "\t"))
    except (pa.ArrowException, OSError, csv.Error, UnicodeDecodeError) as error:
        raise Error(f"{path}: {error}") from error
    raise Error(f"{path}: subscriptions are read from {', '.join(_READERS)}")


def _json_lines(path: Path) -> Iterator[tuple[str, str]]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield _json_pair(path, number, line)


def _json_pair(path: Path, number: int, line: str) -> tuple[str, str]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise Error(f"{path}:{number}:{error.colno}: not JSON: {error.msg}") from None
    except RecursionError:
        raise Error(f"{path}:{number}: nested too deeply for a subscription") from None
    if isinstance(record, list):
        return _pair(record, number)
    if not isinstance(record, dict):
        raise Error(f"{path}:{number}: a subscription is an object with an id and a text")
    names = list(record)
    return _pair((record[_column(names, _ID_NAMES)], record[_column(names, _TEXT_NAMES)]), number)


def _delimited(path: Path, delimiter: str) -> Iterator[tuple[str, str]]:
    """Rows of a CSV or TSV file; a first row that names the columns is read as a header."""
    csv.field_size_limit(10_000_000)
    with path.open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.reader(lines, delimiter=delimiter)
        first = next(reader, None)
        if first is None:
            return
        positions = _header(first)
        if positions is None:
            positions = (0, 1)
            yield _cells(path, reader.line_num, first, positions)
        for row in reader:
            if row:
                yield _cells(path, reader.line_num, row, positions)


def _header(row: list[str]) -> tuple[int, int] | None:
    names = [name.strip().lower() for name in row]
    ids = next((index for index, name in enumerate(names) if name in _ID_NAMES), None)
    texts = next((index for index, name in enumerate(names) if name in _TEXT_NAMES), None)
    return None if ids is None or texts is None else (ids, texts)


def _cells(path: Path, line: int, row: list[str], positions: tuple[int, int]) -> tuple[str, str]:
    if len(row) <= max(positions):
        raise Error(f"{path}:{line}: expected an id and a text, found {len(row)} column(s)")
    return row[positions[0]], row[positions[1]]
