"""The job's side of the control socket: one thread waits for connections, and one answers each of them.

The calls wait for the batch under way like calls of any thread, so what they change applies from the next batch on.
"""

from __future__ import annotations

import selectors
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import BoundedSemaphore, Lock, Thread, current_thread
from time import sleep

from xpubsub.jobs.control.calls import Limited, answer, refused_call
from xpubsub.jobs.control.frames import REQUEST_BYTES, FrameError, receive
from xpubsub.jobs.control.place import ControlSocket

CONNECTIONS = 16
"""How many connections are answered at once; further ones wait."""
PATIENCE = 30.0
"""Seconds for which a connection may be silent before it has sent its request."""
_PAUSE = 0.1


@contextmanager
def serving(file: str | None, limited: Limited) -> Iterator[None]:
    """Answer calls of other processes inside the scope; nothing is served without a file or without Unix sockets."""
    if file is None or not hasattr(socket, "AF_UNIX"):
        yield
        return
    server = ControlServer(ControlSocket(file), limited)
    try:
        yield
    finally:
        server.close()


class ControlServer:
    """Answers requests until it is closed: one per connection."""

    def __init__(self, place: ControlSocket, limited: Limited) -> None:
        self._place, self._limited = place, limited
        self._free = BoundedSemaphore(CONNECTIONS)
        self._lock = Lock()
        self._answering: dict[Thread, socket.socket] = {}
        self._closed = False
        self._wake, self._woken = socket.socketpair()
        self._accepting = Thread(target=self._accept, name="xpubsub-control", daemon=True)
        self._accepting.start()

    def close(self) -> None:
        """Take no more requests, and wait for the calls that have begun."""
        self._closed = True
        self._wake.close()
        self._accepting.join()
        self._place.remove()
        with self._lock:
            answering = list(self._answering.items())
        for thread, connection in answering:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RD)
            thread.join()

    def _accept(self) -> None:
        with self._woken, selectors.DefaultSelector() as ready:
            ready.register(self._place.listener, selectors.EVENT_READ)
            ready.register(self._woken, selectors.EVENT_READ)
            while not self._closed:
                ready.select()
                if not self._closed and self._free.acquire(timeout=_PAUSE):
                    self._take()

    def _take(self) -> None:
        """Start a thread that answers the next connection."""
        try:
            connection, _ = self._place.listener.accept()
        except OSError:
            self._free.release()
            sleep(_PAUSE)
            return
        thread = Thread(target=self._serve, args=(connection,), name="xpubsub-control-call", daemon=True)
        with self._lock:
            self._answering[thread] = connection
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection, suppress(OSError):
                connection.settimeout(PATIENCE)
                connection.sendall(self._answer(connection))
        finally:
            self._free.release()
            with self._lock:
                self._answering.pop(current_thread(), None)

    def _answer(self, connection: socket.socket) -> bytes:
        try:
            request = receive(connection, REQUEST_BYTES)
        except FrameError as error:
            return refused_call(error)
        return b"" if request is None else answer(self._limited, request)
