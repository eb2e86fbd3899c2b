"""Write tables to CSV, TSV, JSON Lines or Parquet files atomically, or to standard output."""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from xpubsub.cli.program import Failure
from xpubsub.cli.terminal import TerminalTable


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


ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")


def check_ending(target: str | None) -> None:
    """Raise `Failure` if the file name has no known ending."""
    if target is not None and Path(target).suffix.lower() not in ENDINGS:
        raise Failure(f"{target}: unknown format; the file name must end in {', '.join(ENDINGS)}")


@contextmanager
def table_output(target: str | None, schema: pa.Schema) -> Iterator[Writer]:
    """Open a writer to standard output, or to a file that appears once everything is written."""
    if target is None:
        yield from _used(TerminalTable(schema) if sys.stdout.isatty() else DelimitedWriter(sys.stdout, schema, "\t"))
        return
    with replacing(Path(target)) as path:
        writer = FileWriter(path, Path(target), schema)
        try:
            yield from _used(writer)
        except BaseException:
            writer.abandon()
            raise


def _used(writer: Writer) -> Iterator[Writer]:
    yield writer
    writer.close()


class FileWriter:
    """Writes a temporary file in the format of its ending; errors name the target file instead."""

    def __init__(self, path: Path, target: Path, schema: pa.Schema) -> None:
        self._target = target
        with _named(target):
            self._file: IO[Any] = path.open("wb") if path.suffix.lower() == ".parquet" else path.open(
                "w", encoding="utf-8", newline="")
            self._writer = _writer(path.suffix.lower(), self._file, schema)

    def write(self, table: pa.Table) -> None:
        """Add rows."""
        with _named(self._target):
            self._writer.write(table)

    def close(self) -> None:
        """Write what is buffered, and close the file."""
        with _named(self._target):
            self._writer.close()
            self._file.close()

    def abandon(self) -> None:
        """Close the file and ignore errors."""
        for close in (self._writer.close, self._file.close):
            with suppress(OSError, ValueError, pa.ArrowException):
                close()


def _writer(ending: str, file: IO[Any], schema: pa.Schema) -> Writer:
    if ending == ".parquet":
        return ParquetWriter(file, schema)
    lines = ending in (".jsonl", ".ndjson")
    return JsonLinesWriter(file) if lines else DelimitedWriter(file, schema, "," if ending == ".csv" else "\t")


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Give a temporary path that replaces the target when the block succeeds, and is deleted otherwise."""
    given, target = target, target.resolve()
    if target.is_dir():
        raise Failure(f"{given} is a directory")
    if not target.parent.is_dir():
        raise Failure(f"{given}: no such directory: {given.parent}")
    beside = target.with_name(f".{target.stem}.{os.getpid()}{target.suffix}")
    with _named(given):
        beside.touch(exist_ok=False)
    try:
        yield beside
        with _named(given):
            os.replace(beside, target)
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


@contextmanager
def _named(target: Path) -> Iterator[None]:
    """Make errors name the file the user gave, not the temporary one."""
    try:
        yield
    except OSError as error:
        raise Failure(f"{target} cannot be written: {error.strerror or error}") from error
