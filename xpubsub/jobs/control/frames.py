"""Requests and answers on the control socket: a JSON header and Arrow tables, preceded by their lengths."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from socket import socket
from typing import Any

import pyarrow as pa

from xpubsub.errors import Error

REQUEST_BYTES = 256 * 1024 * 1024
"""The largest request that a job reads."""
_HEADER_BYTES = 16 * 1024 * 1024
"""The largest header of a request."""
_PIECE = 1024 * 1024
_LENGTHS = struct.Struct(">4sQQ")
"""How a frame starts: a mark, the length of the header, and the length of all tables."""
_MARK = b"XPS1"


class FrameError(Error):
    """The other side sent something that is not a frame, or one that is too large."""


@dataclass(frozen=True)
class Frame:
    """A header, whose values JSON can express, and tables."""

    header: dict[str, Any]
    tables: tuple[pa.Table, ...] = ()

    def packed(self) -> bytes:
        """Return the frame as bytes."""
        tables = [_ipc(table) for table in self.tables]
        header = json.dumps({**self.header, "lengths": [len(each) for each in tables]}).encode()
        return b"".join([_LENGTHS.pack(_MARK, len(header), sum(map(len, tables))), header, *tables])


def receive(connection: socket, most: int | None = None) -> Frame | None:
    """Read one frame of at most `most` bytes; None if the other side has closed the connection."""
    start = _read(connection, _LENGTHS.size)
    if not start:
        return None
    mark, header_bytes, table_bytes = _LENGTHS.unpack(_whole(start, _LENGTHS.size))
    if mark != _MARK:
        raise FrameError("the other side does not speak this protocol: is it another version of xpubsub?")
    if most is not None and (header_bytes > min(most, _HEADER_BYTES) or header_bytes + table_bytes > most):
        raise too_large(header_bytes + table_bytes, most)
    header = _whole(_read(connection, header_bytes), header_bytes)
    return _parsed(header, _whole(_read(connection, table_bytes), table_bytes))


def too_large(given: int, most: int) -> FrameError:
    """Return the error for a request that is too large."""
    return FrameError(f"a request of {given} bytes is too large for the job that holds the store, which reads {most}:"
                      " send less at a time, or stop the job first")


def _read(connection: socket, length: int) -> bytes:
    """Read until the length is reached or the other side has no more."""
    read = bytearray()
    while len(read) < length:
        piece = connection.recv(min(_PIECE, length - len(read)))
        if not piece:
            break
        read += piece
    return bytes(read)


def _whole(read: bytes, length: int) -> bytes:
    if len(read) < length:
        raise FrameError("the connection broke off in the middle of a request or an answer")
    return read


def _parsed(header: bytes, body: bytes) -> Frame:
    try:
        values = json.loads(header)
        lengths = values.pop("lengths")
        if not all(type(length) is int and length >= 0 for length in lengths) or sum(lengths) != len(body):
            raise ValueError("its lengths do not add up")
        ends = [sum(lengths[:number]) for number in range(1, len(lengths) + 1)]
        tables = [_table(body[end - length:end]) for end, length in zip(ends, lengths, strict=True)]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, pa.ArrowException, OSError) as error:
        raise FrameError(f"malformed frame: {error}") from None
    return Frame(values, tuple(tables))


def _ipc(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def _table(data: bytes) -> pa.Table:
    with pa.ipc.open_stream(data) as reader:
        table = reader.read_all()
    table.validate(full=True)
    return table
