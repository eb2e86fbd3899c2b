"""Tables out: CSV, TSV, JSON Lines or Parquet by a file's ending, whole or not at all; a table on a terminal."""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from xpubsub.cli.program import Failure
from xpubsub.cli.terminal import TerminalTable


class Writer(Protocol):
    """Takes tables of one schema, one after the other."""

    def write(self, table: pa.Table) -> None:
        """Add rows."""

    def close(self) -> None:
        """No more rows."""


class _Lines:
    """Rows with a line feed at their end, for a writer that ends them with more: it quotes what it ends rows with."""

    END = "\r\n"

    def __init__(self, file: IO[str]) -> None:
        self._write = file.write

    def write(self, row: str) -> None:
        self._write(row[:-2] + "\n")


class DelimitedWriter:
    """CSV or TSV with a header."""

    def __init__(self, file: IO[str], schema: pa.Schema, delimiter: str) -> None:
        self._file = file
        self._rows = csv.writer(_Lines(file), delimiter=delimiter, lineterminator=_Lines.END)
        self._header: list[str] | None = schema.names

    def write(self, table: pa.Table) -> None:
        """Add rows; null is empty."""
        self._write_header()
        for batch in table.to_batches(max_chunksize=10_000):
            self._rows.writerows(zip(*(column.to_pylist() for column in batch.columns), strict=True))

    def close(self) -> None:
        """Hand on what is still held."""
        self._write_header()
        self._file.flush()

    def _write_header(self) -> None:
        """Once, and not before there is something to write: an error before that leaves nothing."""
        if self._header is not None:
            self._rows.writerow(self._header)
            self._header = None


class JsonLinesWriter:
    """One JSON object per row."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, table: pa.Table) -> None:
        """Add rows."""
        for batch in table.to_batches(max_chunksize=10_000):
            self._file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in batch.to_pylist())

    def close(self) -> None:
        """Hand on what is still held."""
        self._file.flush()


class ParquetWriter:
    """One Parquet file."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._writer = pq.ParquetWriter(path, schema)

    def write(self, table: pa.Table) -> None:
        """Add rows."""
        self._writer.write_table(table)

    def close(self) -> None:
        """Write the footer."""
        self._writer.close()


ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")


def check_ending(target: str | None) -> None:
    """Refuse a file whose ending names no format."""
    if target is not None and Path(target).suffix.lower() not in ENDINGS:
        raise Failure(f"{target}: the ending names the format: one of {', '.join(ENDINGS)}")


@contextmanager
def table_output(target: str | None, schema: pa.Schema) -> Iterator[Writer]:
    """A writer to a file that appears when all is written, or to standard output."""
    if target is None:
        yield from _used(TerminalTable(schema) if sys.stdout.isatty() else DelimitedWriter(sys.stdout, schema, "\t"))
        return
    with replacing(Path(target)) as path:
        ending = path.suffix.lower()
        if ending == ".parquet":
            yield from _used(ParquetWriter(path, schema))
            return
        with path.open("w", encoding="utf-8", newline="") as file:
            lines = ending in (".jsonl", ".ndjson")
            delimiter = "," if ending == ".csv" else "\t"
            yield from _used(JsonLinesWriter(file) if lines else DelimitedWriter(file, schema, delimiter))


def _used(writer: Writer) -> Iterator[Writer]:
    yield writer
    writer.close()


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """A path beside the target that takes its place when the block ends well, and vanishes otherwise."""
    target = target.resolve()
    if target.is_dir():
        raise Failure(f"{target} is a directory")
    if not target.parent.is_dir():
        raise Failure(f"{target}: there is no directory {target.parent}")
    beside = target.with_name(f".{target.stem}.{os.getpid()}{target.suffix}")
    try:
        beside.touch(exist_ok=False)
        yield beside
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)
