"""Where the control socket of a store is: next to the store's file, `STORE.sock`, for its owner alone.

The address of a socket may have about 100 bytes, and some file systems have no sockets. `STORE.sock` is then a symbolic
link to a socket in a private temporary directory.
"""

from __future__ import annotations

import os
import socket
import tempfile
from contextlib import suppress

from xpubsub.errors import StoreError

ENDING = ".sock"
_MODE = 0o600
_BACKLOG = 64


class ControlSocket:
    """A listening socket that belongs to a store. It replaces one that an earlier process has left behind."""

    def __init__(self, file: str) -> None:
        self._path = file + ENDING
        self._folder: str | None = None
        try:
            self.listener = self._bound(os.path.dirname(file), "." + os.path.basename(file))
        except OSError:
            self.listener = self._linked()
        self._identity = _identity(self._path)

    def _bound(self, directory: str, prefix: str) -> socket.socket:
        """Listen next to the store; the socket gets its name when it has its permissions."""
        with tempfile.TemporaryDirectory(dir=directory, prefix=prefix[:40], ignore_cleanup_errors=True) as private:
            made = os.path.join(private, "s")
            listener = _listening(made)
            try:
                os.replace(made, self._path)
            except OSError:
                listener.close()
                raise
        return listener

    def _linked(self) -> socket.socket:
        """Listen in a temporary directory, and link to it."""
        try:
            self._folder = tempfile.mkdtemp(prefix="xpubsub-")
            target = os.path.join(self._folder, "s")
            listener = _listening(target)
            link = f"{self._path}.{os.getpid()}"
            os.symlink(target, link)
            os.replace(link, self._path)
        except OSError as error:
            raise StoreError(f"the control socket {self._path} cannot be made: {error}; a job can run without it,"
                             " with control=False (--no-control)") from error
        return listener

    def remove(self) -> None:
        """Stop listening and delete the socket, unless another job has replaced it."""
        self.listener.close()
        with suppress(OSError):
            if _identity(self._path) == self._identity:
                os.unlink(self._path)
        if self._folder is not None:
            with suppress(OSError):
                os.unlink(os.path.join(self._folder, "s"))
                os.rmdir(self._folder)


def _listening(path: str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(path)
        os.chmod(path, _MODE)
        listener.listen(_BACKLOG)
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


def _identity(path: str) -> tuple[int, int]:
    found = os.lstat(path)
    return found.st_dev, found.st_ino


def reach(file: str) -> socket.socket | None:
    """Connect to the job that has a store open; None if there is none, or it has no control socket."""
    path = file + ENDING
    if not hasattr(socket, "AF_UNIX") or not os.path.lexists(path):
        return None
    with suppress(OSError):
        path = os.readlink(path)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(path)
        _check_owner(path, file)
    except OSError as error:
        connection.close()
        if isinstance(error, PermissionError):
            raise StoreError(f"the store {file} is open in a job of another user, who alone may use its control socket"
                             f" {path}: run the command as that user") from None
        return None
    except StoreError:
        connection.close()
        raise
    return connection


def _check_owner(path: str, file: str) -> None:
    """Refuse a socket that somebody who is neither the user, nor root, nor the store's owner has put there."""
    if os.stat(path).st_uid not in (os.geteuid(), 0, os.stat(file).st_uid):
        raise StoreError(f"the control socket {path} belongs to a user who does not own the store {file}: delete it if"
                         " that is not the user of the job, or else run the command as that user")


def is_reachable(file: str) -> bool:
    """Whether a job that has the store open listens."""
    connection = reach(file)
    if connection is not None:
        connection.close()
    return connection is not None
