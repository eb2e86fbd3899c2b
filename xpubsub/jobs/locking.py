"""Locks directories, so that one process at a time works in them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO


def lock_directory(directory: Path) -> IO[bytes] | None:
    """Lock a directory that exists; None if another process, or another object of this one, has it locked.

    The lock lasts until the file is closed, or the process ends, however that ends.
    """
    lock = (directory / "lock").open("ab")
    if os.name != "posix":
        return lock
    import fcntl

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        return None
    return lock
