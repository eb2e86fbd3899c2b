"""Sinks that cannot tell what they have delivered: standard output, and a function of the caller's.

After a crash such a sink may get the last batch once more.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from xpubsub.errors import Error
from xpubsub.jobs.stream.json_lines import json_lines


@dataclass(frozen=True)
class StreamBatch:
    """The rows of a batch, for a function: notifications or dead letters."""

    number: int
    """Counts from 1. A function that gets a number again, after a crash, gets the same rows."""
    rows: pa.Table


class StandardOutput:
    """Writes rows to standard output as JSON Lines."""

    def open(self, job: str, schema: pa.Schema) -> None:
        """Check that standard output is open."""
        if sys.stdout is None or sys.stdout.closed:
            raise Error("-: standard output is closed")

    def last(self) -> None:
        """Return None: nobody knows what was read."""

    def deliver(self, number: int, rows: pa.Table) -> None:
        """Write the rows, and flush them."""
        for line in json_lines(rows):
            sys.stdout.write(line.decode())
        sys.stdout.flush()

    def close(self) -> None:
        """Leave standard output open."""


class FunctionSink:
    """Calls a function with each batch that has rows."""

    def __init__(self, function: Callable[[StreamBatch], object]) -> None:
        self._function = function

    def open(self, job: str, schema: pa.Schema) -> None:
        """Do nothing."""

    def last(self) -> None:
        """Return None: the function knows."""

    def deliver(self, number: int, rows: pa.Table) -> None:
        """Call the function."""
        if rows.num_rows:
            self._function(StreamBatch(number, rows))

    def close(self) -> None:
        """Do nothing."""
