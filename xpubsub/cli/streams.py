"""Standard streams that are closed, by the user or by the reader of a pipe: an exit code, no traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from click.exceptions import Exit

CLOSED_PIPE = 141
"""What the shell shows for a program that a closed pipe has ended (128 + SIGPIPE)."""


def open_missing() -> None:
    """Standard output and standard error that were closed before the start take whatever is written, and drop it."""
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


@contextmanager
def piped() -> Iterator[None]:
    """A scope that ends the command, with its own exit code, when the reader of a pipe has gone."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        discard()
        raise Exit(CLOSED_PIPE) from None


def discard() -> None:
    """Drop what is still to be written, so that nothing fails when the interpreter ends."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            os.dup2(null, stream.fileno())
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os.close(null)
