"""Sources of bytes: `-`, standard input, and `tcp:HOST:PORT`, a server to connect to.

Each line is a message or, with `--split`, each unit of a document.

Neither can go back. The job writes each batch to its checkpoint before it publishes it, so a batch that was begun is
published, after a crash too. Lines that still wait, in this process, a pipe or a socket, are lost with it, unless the
job resumes: then the sender sends everything again, and the lines that were taken before are left out.
"""

from __future__ import annotations

import os
import secrets
import select
import socket
import sys
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import ClassVar, Protocol

from xpubsub.errors import Error
from xpubsub.jobs.stream.messages import Json, Polled, StreamMessage
from xpubsub.jobs.stream.readers import ByteReader

_CHUNK = 1 << 16


class Connection(Protocol):
    """Something that gives bytes."""

    NAME: ClassVar[str]
    """What the ids of its messages start with."""
    ended: bool
    """Whether nothing more will come."""
    idle: bool
    """Whether nothing more is expected for now: the end was reached, or the other side has closed the connection."""

    def read(self, timeout: float) -> bytes | None:
        """Return bytes; empty at the end of a document, None if there are none within the timeout."""

    def close(self) -> None:
        """Close the connection."""


class ByteSource:
    """Reads messages from a connection."""

    SEEKABLE: ClassVar[bool] = False

    def __init__(self, connection: Connection, reader: ByteReader, *, resume: bool = False) -> None:
        self._connection = connection
        self._reader = reader
        self._resume = resume
        self._run = f"{connection.NAME}-{datetime.now(UTC):%Y%m%dT%H%M%S.%f}-{secrets.token_hex(2)}"

    @property
    def ended(self) -> bool:
        """Whether the input has ended and all its messages were given."""
        return self._connection.ended and not self._reader.ready

    @property
    def drained(self) -> bool:
        """Whether the input has ended, or the server has closed the connection."""
        return self._connection.idle and not self._reader.ready

    def seek(self, position: Json, items: Iterable[str]) -> None:
        """Go on with the line after the last that was taken, if the sender sends everything again; else do nothing."""
        if self._resume and position is not None:
            if not isinstance(position, dict) or not {"run", "taken"} <= position.keys():
                raise Error("the job of this checkpoint has read a source of another kind: use another checkpoint")
            self._run = position["run"]
            self._reader.skip(position["taken"])

    def poll(self, most: int, most_bytes: int, timeout: float) -> Polled | None:
        """Return messages that have come."""
        until = time.monotonic() + timeout
        while not self._reader.ready and not self._connection.ended:
            data = self._connection.read(max(0.0, until - time.monotonic()))
            if data is not None:
                self._reader.add(data)
            elif time.monotonic() >= until:
                return None
        now, messages, size = time.time(), list[StreamMessage](), 0
        while self._reader.ready and len(messages) < most and size < most_bytes:
            messages.append(self._reader.take(self._run, now))
            size += len(messages[-1].xml)
        return Polled(messages, {"run": self._run, "taken": self._reader.taken}) if messages else None

    def committed(self, position: Json) -> None:
        """Do nothing: nobody can be told."""

    def backlog(self) -> int:
        """Return how many messages were read that are not published."""
        return self._reader.ready

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class StandardInput:
    """Standard input."""

    NAME: ClassVar[str] = "stdin"

    def __init__(self) -> None:
        if sys.stdin is None or sys.stdin.closed:
            raise Error("-: standard input is closed")
        self._file = sys.stdin.fileno()
        self.ended = self.idle = False

    def read(self, timeout: float) -> bytes | None:
        """Return bytes; empty at the end."""
        if not select.select([self._file], [], [], timeout)[0]:
            return None
        data = os.read(self._file, _CHUNK)
        self.ended = self.idle = not data
        return data

    def close(self) -> None:
        """Leave standard input open."""


class LineServer:
    """A server that this process connects to, again and again: each time later, up to half a minute."""

    NAME: ClassVar[str] = "tcp"
    FIRST, LONGEST = 0.1, 30.0
    """Seconds before the second attempt to connect, and at most."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        if not host or not port.isdigit() or not 0 < int(port) < 65_536:
            raise Error(f"tcp:{address}: write tcp:HOST:PORT with a port from 1 to 65535")
        self._address = host.strip("[]"), int(port)
        self._socket: socket.socket | None = None
        self._wait, self._next = self.FIRST, 0.0
        self.ended = self.idle = False

    def read(self, timeout: float) -> bytes | None:
        """Return bytes; empty when the server closes the connection."""
        if self._socket is None and not self._connect(timeout):
            return None
        assert self._socket is not None
        if not select.select([self._socket], [], [], timeout)[0]:
            return None
        try:
            data = self._socket.recv(_CHUNK)
        except OSError:
            data = b""
        if data:
            self._wait, self.idle = self.FIRST, False
        else:
            self.close()
            self._later()
        return data

    def _connect(self, timeout: float) -> bool:
        """Connect, if it is time for an attempt; return whether there is a connection."""
        left = self._next - time.monotonic()
        if left > 0:
            time.sleep(min(left, timeout))
            return False
        try:
            self._socket = socket.create_connection(self._address, timeout=max(timeout, 1.0))
        except socket.gaierror as error:
            raise Error(f"tcp:{self._address[0]}:{self._address[1]}: {error.strerror}") from error
        except OSError:
            self._later()
            return False
        return True

    def _later(self) -> None:
        self.idle = True
        self._next = time.monotonic() + self._wait
        self._wait = min(2 * self._wait, self.LONGEST)

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
