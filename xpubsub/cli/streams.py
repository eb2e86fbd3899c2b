"""Handle closed standard streams and pipes: an exit code instead of a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from click.exceptions import Exit

CLOSED_PIPE = 141
"""The exit code that a shell shows for a program ended by a closed pipe (128 + SIGPIPE)."""


def open_missing() -> None:
    """Open the null device in place of a standard output or standard error that was closed before the start."""
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


@contextmanager
def piped() -> Iterator[None]:
    """Exit with `CLOSED_PIPE` when the reader of a pipe closes it within the block."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        discard()
        raise Exit(CLOSED_PIPE) from None


def discard() -> None:
    """Discard unwritten output, so that nothing fails when the interpreter exits."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            os.dup2(null, stream.fileno())
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os.close(null)
