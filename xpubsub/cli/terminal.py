"""Draw a table on a terminal."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text


class TerminalTable:
    """Collects the first rows and draws them at the end, without empty columns."""

    SHOWN = 1000

    def __init__(self, schema: pa.Schema, console: Console | None = None) -> None:
        self._kept = schema.empty_table()
        self._rows = 0
        self._console = console or Console()

    def write(self, table: pa.Table) -> None:
        """Add rows."""
        room = self.SHOWN - self._kept.num_rows
        self._kept = pa.concat_tables([self._kept, table.slice(0, room)])
        self._rows += table.num_rows

    def close(self) -> None:
        """Draw the table."""
        names = [name for name in self._kept.column_names if self._kept[name].null_count < self._kept.num_rows]
        drawn = Table(*(names or self._kept.column_names), box=box.SIMPLE_HEAD)
        for row in self._kept.to_pylist():
            drawn.add_row(*(Text(printable(row[name])) for name in names))
        self._console.print(drawn)
        if self._rows > self._kept.num_rows:
            self._console.print(f"... and {self._rows - self._kept.num_rows} more: use --output FILE to see them all")


def printable(value: Any) -> str:
    """A value as text, with control characters other than the line feed escaped."""
    text = "" if value is None else str(value)
    return "".join(each if each.isprintable() or each == "\n" else f"\\x{ord(each):02x}" for each in text)
