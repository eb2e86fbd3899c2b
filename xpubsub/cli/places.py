"""Find the line of a bad row in a file of subscriptions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from xpubsub.cli.program import Failure
from xpubsub.errors import RowErrors
from xpubsub.jobs.subscribe.subscription_files import row_lines


def located(error: RowErrors, file: str, columns: Mapping[str, str], header: bool | None) -> Failure:
    """Turn row errors into a `Failure` that gives the file and line of each bad row."""
    lines = row_lines(Path(file), columns, header)
    shown = [_refusal(row, file, lines) for row in error.rows[: error.SHOWN]]
    more = len(error.rows) - len(shown)
    tail = [f"... and {more} more"] if more > 0 else []
    return Failure("\n".join([f"nothing was subscribed: {len(error.rows)} bad row(s) in {file}", *shown, *tail]))


def _refusal(row: dict[str, object], file: str, lines: list[int]) -> str:
    number = int(str(row["row_no"]))
    place = f"{file}:{lines[number - 1]}" if number <= len(lines) else f"{file}: row {number}"
    within = f" at line {row['line']}, column {row['column']} of its text" if row.get("line") else ""
    caret = f"\n{row['caret']}" if row.get("caret") else ""
    return f"{place}: {row['subscription_id']}: {row['reason']}{within}{caret}"
