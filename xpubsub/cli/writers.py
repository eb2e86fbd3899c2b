"""Writers of tables: CSV, TSV, JSON Lines and Parquet."""

from __future__ import annotations

import csv
import json
from typing import IO, Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq


class Writer(Protocol):
    """Writes tables that share one schema."""

    def write(self, table: pa.Table) -> None:
        """Add rows."""

    def close(self) -> None:
        """Finish writing."""


class _Lines:
    """Ends rows with a line feed, though csv.writer ends them with CR LF so that it quotes carriage returns."""

    END = "\r\n"

    def __init__(self, file: IO[str]) -> None:
        self._write = file.write

    def write(self, row: str) -> None:
        self._write(row[:-2] + "\n")


class DelimitedWriter:
    """Writes CSV or TSV with a header."""

    def __init__(self, file: IO[str], schema: pa.Schema, delimiter: str) -> None:
        self._file = file
        self._rows = csv.writer(_Lines(file), delimiter=delimiter, lineterminator=_Lines.END)
        self._header: list[str] | None = schema.names

    def write(self, table: pa.Table) -> None:
        """Add rows; a null becomes an empty cell."""
        self._write_header()
        for batch in table.to_batches(max_chunksize=10_000):
            self._rows.writerows(zip(*(column.to_pylist() for column in batch.columns), strict=True))

    def close(self) -> None:
        """Write what is buffered."""
        self._write_header()
        self._file.flush()

    def _write_header(self) -> None:
        """Write the header once, before the first rows, so that an earlier error leaves no output."""
        if self._header is not None:
            self._rows.writerow(self._header)
            self._header = None


class JsonLinesWriter:
    """Writes one JSON object per row."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, table: pa.Table) -> None:
        """Add rows."""
        for batch in table.to_batches(max_chunksize=10_000):
            self._file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in batch.to_pylist())

    def close(self) -> None:
        """Write what is buffered."""
        self._file.flush()


class ParquetWriter:
    """Writes one Parquet file."""

    def __init__(self, file: IO[bytes], schema: pa.Schema) -> None:
        self._writer = pq.ParquetWriter(file, schema)

    def write(self, table: pa.Table) -> None:
        """Add rows."""
        self._writer.write_table(table)

    def close(self) -> None:
        """Write the footer; a failed attempt is not repeated."""
        try:
            self._writer.close()
        finally:
            self._writer.is_open = False


def writer_of(ending: str, file: IO[Any], schema: pa.Schema) -> Writer:
    """Return the writer for the ending of a file name."""
    if ending == ".parquet":
        return ParquetWriter(file, schema)
    lines = ending in (".jsonl", ".ndjson")
    return JsonLinesWriter(file) if lines else DelimitedWriter(file, schema, "," if ending == ".csv" else "\t")
