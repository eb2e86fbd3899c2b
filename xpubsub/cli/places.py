"""Where in a file of subscriptions a refused row stands."""

from __future__ import annotations

import csv
from pathlib import Path

from xpubsub.cli.program import Failure
from xpubsub.errors import RowErrors
from xpubsub.jobs.incoming import read_rows


def located(error: RowErrors, file: str) -> Failure:
    """The same refusals, each led by the file and the line of its row."""
    lines = _lines(Path(file))
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


def _lines(path: Path) -> list[int]:
    """The line on which each row starts; nothing for Parquet, which has no lines."""
    if path.suffix == ".parquet":
        return []
    if path.suffix not in (".csv", ".tsv"):
        with path.open(encoding="utf-8") as lines:
            return [number for number, line in enumerate(lines, start=1) if line.strip()]
    starts = _delimited(path, "," if path.suffix == ".csv" else "\t")
    header = len(starts) - read_rows(path).num_rows
    return starts[header:]


def _delimited(path: Path, delimiter: str) -> list[int]:
    starts: list[int] = []
    with path.open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.reader(lines, delimiter=delimiter)
        before = 0
        for row in reader:
            if row or not starts:
                starts.append(before + 1)
            before = reader.line_num
    return starts
