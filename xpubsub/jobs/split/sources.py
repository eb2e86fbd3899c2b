"""Reads documents chunk by chunk from a path, an open file, a socket or an iterator, as soon as data is there."""

from __future__ import annotations

import io
import os
import secrets
import select
import socket
import stat
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from xpubsub.errors import Error

FILE_CHUNK = 1 << 20
LIVE_CHUNK = 1 << 16
_KINDS = "a path, an open file, a socket or an iterable of bytes or str"


class Chunk(NamedTuple):
    """A piece of a document."""

    data: object
    """bytes or str."""
    more: bool
    """Whether the next piece is there already, so that results may wait for it."""


class SourceFailed(Exception):
    """A source cannot be read any further."""


def unique(kind: str) -> str:
    """Return a name that no other document has."""
    return f"{kind}-{datetime.now(UTC):%Y%m%dT%H%M%S.%f}-{secrets.token_hex(2)}"


def check_source(source: object) -> None:
    """Raise an error if nothing can be read from a source."""
    if isinstance(source, bytes | bytearray | memoryview):
        raise Error(f"the source must be {_KINDS}, not {type(source).__name__}: write [data] for a document in memory")
    if isinstance(source, str | os.PathLike):
        if not os.path.exists(source) or os.path.isdir(source):
            raise Error(f"{os.fspath(source)!r} is not a file; the source must be {_KINDS}")
    elif not hasattr(source, "read") and not isinstance(source, Iterable | socket.socket):
        raise Error(f"the source must be {_KINDS}, not {type(source).__name__}")


def name_of(source: object) -> str:
    """Return the name of a document: the path of its file, or else a unique name."""
    name = source if isinstance(source, str | os.PathLike) else getattr(source, "name", None)
    if isinstance(name, str | bytes | os.PathLike) and name not in ("<stdin>", ""):
        return os.fsencode(name).decode("utf-8", "backslashreplace")
    return unique("stdin" if name == "<stdin>" else "socket" if isinstance(source, socket.socket) else "stream")


def chunks_of(source: Any) -> Iterator[Chunk]:
    """Yield the pieces of a document; raises `SourceFailed` if reading fails."""
    if isinstance(source, str | os.PathLike):
        with _opened(source) as file:
            yield from _file(file)
    elif isinstance(source, socket.socket):
        yield from _pieces(lambda: source.recv(LIVE_CHUNK), _ready(source.fileno()))
    elif hasattr(source, "read"):
        yield from _file(source)
    else:
        yield from (Chunk(data, more=False) for data in source)


def _opened(path: str | os.PathLike[str]) -> io.FileIO:
    try:
        return open(path, "rb", buffering=0)
    except OSError as error:
        raise Error(f"{os.fspath(path)}: {error.strerror or error}") from None


def _file(file: Any) -> Iterator[Chunk]:
    number = _number(file)
    if number is None or stat.S_ISREG(os.fstat(number).st_mode):
        return _pieces(lambda: file.read(FILE_CHUNK), lambda: True)
    read = getattr(file, "read1", None) or getattr(getattr(file, "buffer", None), "read1", None) or file.read
    return _pieces(lambda: _waited(read, number), _ready(number))


def _number(file: Any) -> int | None:
    """Return the descriptor of an open file, if it has one."""
    try:
        return int(file.fileno())
    except (AttributeError, OSError, TypeError, ValueError):
        return None


def _waited(read: Callable[[int], Any], number: int) -> Any:
    """Read what is there; wait if there is nothing yet."""
    while (data := read(LIVE_CHUNK)) is None:
        select.select([number], [], [])
    return data


def _pieces(read: Callable[[], Any], more: Callable[[], bool]) -> Iterator[Chunk]:
    while True:
        try:
            data = read()
        except (OSError, UnicodeDecodeError) as error:
            raise SourceFailed(getattr(error, "strerror", None) or str(error)) from error
        if not data:
            return
        yield Chunk(data, more())


def _ready(number: int) -> Callable[[], bool]:
    """Return a function that says whether something can be read without waiting."""
    poll = select.poll()
    poll.register(number, select.POLLIN | select.POLLHUP)
    return lambda: bool(poll.poll(0))
