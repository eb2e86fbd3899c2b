"""Files that survive a crash: written beside their place, flushed to disk, then renamed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


def write_durably(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file that appears with all its contents, which then survive a crash of the machine."""
    partial = path.with_name(f".{path.name}.partial")
    with naming(path), partial.open("wb") as file:
        write(file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)
    sync_directory(path.parent)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let errors of writing say which file it is: those of a full disk do not."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def sync_directory(directory: Path) -> None:
    """Flush the names of a directory to disk, where the system can do that."""
    try:
        handle = os.open(directory, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        return
    finally:
        os.close(handle)


def clear_partial(directory: Path) -> None:
    """Delete what a crash left half written."""
    for path in directory.glob(".*.partial"):
        path.unlink(missing_ok=True)
