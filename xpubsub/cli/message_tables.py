"""Messages in the rows of a table: .csv, .tsv, .jsonl, .ndjson and .parquet files."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from io import TextIOWrapper
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from xpubsub.cli.options import given_time
from xpubsub.cli.program import Failure
from xpubsub.cli.received import Refuse, TimedMessage, id_of
from xpubsub.errors import Error
from xpubsub.jobs.publish.times import seconds

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_LINES = (".jsonl", ".ndjson")
TABLES = (*_DELIMITERS, *_LINES, ".parquet")
MESSAGE_COLUMNS = {"id": ("id", "message_id"), "xml": ("xml", "message", "body"), "time": ("time", "timestamp")}
"""The columns of a message, and the names that they have unless the user gives others."""
ColumnNames = Mapping[str, str]
Opener = Callable[[str], AbstractContextManager[IO[bytes]]]
_ESCAPED = 6
"""How many bytes JSON takes for a byte of a message at most."""


def table_rows(
    path: str, ending: str, opened: Opener, max_bytes: int, refuse: Refuse, columns: ColumnNames
) -> Iterator[TimedMessage]:
    """Yield the message of each row; a row without an id is called by the file and its number."""
    for number, row in enumerate(_rows(path, ending, opened, max_bytes, columns), start=1):
        place = f"{id_of(path)}#{number}"
        if isinstance(row, str):
            refuse(place, "unreadable", row)
            continue
        message_id, xml, time = (row.get(column) for column in MESSAGE_COLUMNS)
        name = place if message_id in (None, "") else str(message_id)
        try:
            at = None if time in (None, "") else seconds(given_time(time) if isinstance(time, str) else time)
        except Error as error:
            refuse(name, "no-time", str(error))
        else:
            yield name, xml, at


def _rows(
    path: str, ending: str, opened: Opener, max_bytes: int, columns: ColumnNames
) -> Iterator[dict[str, Any] | str]:
    """Yield the columns of each row under our names, or the reason why the row cannot be read."""
    with opened(path) as file:
        if ending == ".parquet":
            yield from _parquet(path, file, columns)
        elif ending in _LINES:
            yield from _json_lines(path, file, _ESCAPED * max_bytes + 65_536, columns)
        else:
            yield from _delimited(path, file, _DELIMITERS[ending], columns)


def _parquet(path: str, file: IO[bytes], columns: ColumnNames) -> Iterator[dict[str, Any] | str]:
    try:
        table = pq.ParquetFile(file)
        places = _places(path, table.schema_arrow.names, columns)
        for batch in table.iter_batches(batch_size=256, columns=list(places.values())):
            for row in batch.to_pylist():
                yield {column: row[name] for column, name in places.items()}
    except pa.ArrowException as error:
        raise OSError(str(error)) from error


def _json_lines(path: str, file: IO[bytes], longest: int, columns: ColumnNames) -> Iterator[dict[str, Any] | str]:
    while line := file.readline(longest):
        if len(line) == longest and not line.endswith(b"\n"):
            yield "the line is far longer than the largest message (--max-bytes)"
            while line and not line.endswith(b"\n"):
                line = file.readline(longest)
        elif line.strip():
            yield _json_row(path, line, columns)


def _json_row(path: str, line: bytes, columns: ColumnNames) -> dict[str, Any] | str:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"the line is not JSON: {error}"
    if not isinstance(row, dict):
        return "the line is not a JSON object with an xml"
    places = _places(path, list(row), columns, required=False)
    return {column: row[name] for column, name in places.items()} if "xml" in places else "the object has no xml"


def _delimited(path: str, file: IO[bytes], delimiter: str, columns: ColumnNames) -> Iterator[dict[str, Any] | str]:
    csv.field_size_limit(2 ** 31 - 1)
    rows = csv.reader(TextIOWrapper(file, "utf-8-sig", newline=""), delimiter=delimiter, strict=True)
    try:
        names = next(rows, [])
        places = {column: names.index(name) for column, name in _places(path, names, columns).items()}
        for row in rows:
            if row:
                yield ({column: row[place] for column, place in places.items()} if len(row) == len(names)
                       else f"the row has {len(row)} cells, the header has {len(names)}")
    except (csv.Error, UnicodeDecodeError) as error:
        raise OSError(str(error)) from error


def _places(path: str, names: list[str], columns: ColumnNames, *, required: bool = True) -> dict[str, str]:
    """Return the name of each of our columns in the file."""
    found: dict[str, str] = {}
    for column, usual in MESSAGE_COLUMNS.items():
        wanted = (columns[column],) if column in columns else usual
        given = [name for name in names if name in wanted]
        if given:
            found[column] = given[0]
        elif required and (column in columns or column == "xml"):
            raise Failure(f"{path}: no column {' or '.join(wanted)}: the columns are {', '.join(names) or 'none'};"
                          " name them with --columns xml=NAME,id=NAME,time=NAME")
    return found
