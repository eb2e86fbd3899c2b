"""Messages inside other files: compressed files, zip and tar archives, and tables with a message in each row."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any, cast

from xpubsub.cli.message_tables import TABLES, ColumnNames, table_rows
from xpubsub.cli.received import Refuse, TimedMessage, id_of

_OPENERS: dict[str, Callable[[str], Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_ZIPS = (".zip",)
_TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_MESSAGES = ".xml"
_DAMAGED = (
    OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError, NotImplementedError,
    RuntimeError,
)
"""What Python's readers raise for damaged, encrypted and unsupported files."""


def is_container(path: str) -> bool:
    """Whether a file holds messages, by its ending, rather than being one."""
    return _kind(path) != ""


def contained(path: str, max_bytes: int, refuse: Refuse, columns: ColumnNames) -> Iterator[TimedMessage]:
    """Yield (id, XML, time) of each message in a file; `refuse` is called for what cannot be read."""
    readers = {"zip": _zipped, "tar": _tarred, "compressed": _compressed}
    kind = _kind(path)
    try:
        if kind == "table":
            yield from table_rows(path, _table_ending(path), opened_text, max_bytes, refuse, columns)
        else:
            yield from readers[kind](path, max_bytes)
    except _DAMAGED as error:
        if isinstance(error, OSError) and error.strerror:
            refuse(id_of(path), "unreadable", error.strerror)
        else:
            refuse(id_of(path), "unreadable", f"damaged, encrypted, or of an unknown kind: {error}")


def _kind(path: str) -> str:
    name = path.lower()
    if name.endswith(_ZIPS):
        return "zip"
    if name.endswith(_TARS):
        return "tar"
    if _table_ending(path):
        return "table"
    return "compressed" if name.endswith(tuple(_OPENERS)) else ""


def _table_ending(path: str) -> str:
    """Return the ending of a table, of which .jsonl and .csv can be compressed; empty if the file is no table."""
    inner, ending = os.path.splitext(path.lower())
    if ending in _OPENERS:
        ending = os.path.splitext(inner)[1]
    return ending if ending in TABLES else ""


@contextmanager
def opened_text(path: str) -> Iterator[IO[bytes]]:
    """Open a file for reading, decompressed if its ending says that it is compressed."""
    openers = [opener for ending, opener in _OPENERS.items() if path.lower().endswith(ending)]
    with (openers[0](path) if openers else open(path, "rb")) as file:
        yield cast(IO[bytes], file)


def _compressed(path: str, max_bytes: int) -> Iterator[TimedMessage]:
    with opened_text(path) as file:
        yield id_of(path), file.read(max_bytes + 1), None


def _zipped(path: str, max_bytes: int) -> Iterator[TimedMessage]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if not member.is_dir() and member.filename.endswith(_MESSAGES):
                with archive.open(member) as file:
                    yield f"{id_of(path)}/{member.filename}", file.read(max_bytes + 1), None


def _tarred(path: str, max_bytes: int) -> Iterator[TimedMessage]:
    with tarfile.open(path) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() and member.name.endswith(_MESSAGES) else None
            if file is not None:
                yield f"{id_of(path)}/{id_of(member.name)}", file.read(max_bytes + 1), None
