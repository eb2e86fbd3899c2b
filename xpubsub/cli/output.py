"""Write tables to files atomically, or to standard output."""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import click
import pyarrow as pa

from xpubsub.cli.program import Failure
from xpubsub.cli.terminal import TerminalTable
from xpubsub.cli.writers import DelimitedWriter, JsonLinesWriter, Writer, writer_of

STDOUT = "-"
_COMPRESSIBLE = (".csv", ".tsv", ".jsonl", ".ndjson")
ENDINGS = (*_COMPRESSIBLE, ".parquet")
_COMPRESSED = ".gz"

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead: an object per line.")
output_option = click.option(
    "--output", metavar="FILE", help=f"Write to a file ({', '.join(ENDINGS)}; all but the last also with .gz), or to"
                                     " standard output with -.")


def check_ending(target: str | None) -> None:
    """Raise `Failure` if the file name has no known ending."""
    if target not in (None, STDOUT) and _ending(Path(str(target))) not in ENDINGS:
        raise Failure(f"{target}: unknown format; the file name must end in {', '.join(ENDINGS)}, "
                      f"or {_COMPRESSED} after one of the first four")


def _ending(path: Path) -> str:
    """Return the ending that says the format; empty if it is unknown."""
    ending = path.suffix.lower()
    if ending == _COMPRESSED:
        ending = Path(path.stem).suffix.lower()
        return ending if ending in _COMPRESSIBLE else ""
    return ending


@contextmanager
def table_output(target: str | None, schema: pa.Schema, *, as_json: bool = False) -> Iterator[Writer]:
    """Open a writer to standard output, or to a file that appears once everything is written."""
    if target in (None, STDOUT):
        yield from _used(_to_stdout(schema, drawn=target is None and sys.stdout.isatty(), as_json=as_json))
        return
    assert target is not None
    if as_json:
        raise click.UsageError("--json is for standard output: a file that ends in .jsonl has JSON, too")
    with replacing(Path(target)) as path:
        writer = FileWriter(path, Path(target), schema)
        try:
            yield from _used(writer)
        except BaseException:
            writer.abandon()
            raise


def _to_stdout(schema: pa.Schema, *, drawn: bool, as_json: bool) -> Writer:
    if as_json:
        return JsonLinesWriter(sys.stdout)
    return TerminalTable(schema) if drawn else DelimitedWriter(sys.stdout, schema, "\t")


def _used(writer: Writer) -> Iterator[Writer]:
    yield writer
    writer.close()


class FileWriter:
    """Writes a temporary file in the format of its ending; errors name the target file instead."""

    def __init__(self, path: Path, target: Path, schema: pa.Schema) -> None:
        self._target = target
        with _named(target):
            self._file = _opened(path, target)
            self._writer = writer_of(_ending(target), self._file, schema)

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


def _opened(path: Path, target: Path) -> IO[Any]:
    if target.suffix.lower() == ".parquet":
        return path.open("wb")
    if target.suffix.lower() == _COMPRESSED:
        return gzip.open(path, "wt", encoding="utf-8", newline="")
    return path.open("w", encoding="utf-8", newline="")


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
