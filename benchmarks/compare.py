"""Compare two runs: what became faster or slower from the one to the other.

    python benchmarks/compare.py OLD.json NEW.json [--tolerance 20]

Exits 1 if a row became worse by more than the tolerance, in percent. Rows of other sizes are not compared.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.report import console, figure_text, ratio_text
from benchmarks.rows import Row, Run, read_run

_COUNTED = ("notifications", "matches")
"""Sizes that come out of a run."""


def worse_by(old: Row, new: Row) -> float:
    """By how many percent a figure became worse; negative if better."""
    over, under = (old.figure, new.figure) if new.more_is_better else (new.figure, old.figure)
    return 100 * (over / under - 1) if under else 0.0


def pairs(old: Run, new: Run) -> Iterator[tuple[Row, Row]]:
    """The rows that both runs have in the same sizes."""
    before = {row.key: row for row in old.rows}
    for row in new.rows:
        if row.key in before and _given(before[row.key]) == _given(row):
            yield before[row.key], row


def _given(row: Row) -> dict[str, float]:
    return {name: size for name, size in row.sizes.items() if name not in _COUNTED}


def warnings(old: Run, new: Run) -> Iterator[str]:
    """What makes the runs hard to compare."""
    settings = ("machine", old.machine, new.machine), ("versions", old.versions, new.versions)
    for what, before, after in settings:
        for name in sorted({*before, *after}):
            if before.get(name) != after.get(name):
                yield f"{what}: {name} was {before.get(name)}, is {after.get(name)}"
    compared = {row.key for _, row in pairs(old, new)}
    for row in [*old.rows, *new.rows]:
        if row.key not in compared:
            compared.add(row.key)
            yield f"not in both runs in the same sizes: {row.key}"


def show(old: Run, new: Run, tolerance: float) -> None:
    """Print the table and the warnings."""
    table = Table("row", title=f"{old.commit[:10]} of {old.date} → {new.commit[:10]} of {new.date}")
    for heading in ("old", "new", "change", "old ratio", "new ratio"):
        table.add_column(heading, justify="right")
    for before, after in pairs(old, new):
        worse = worse_by(before, after)
        style = "red" if worse > tolerance else "green" if worse < -tolerance else None
        change = f"{100 * (after.figure / before.figure - 1):+.0f}%" if before.figure else ""
        table.add_row(after.key, figure_text(before.figure, before.unit), figure_text(after.figure, after.unit), change,
                      ratio_text(before), ratio_text(after), style=style)
    printer = console()
    printer.print(table)
    for line in warnings(old, new):
        printer.print(f"warning: {line}", markup=False, soft_wrap=True)


def main(given: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--tolerance", type=float, default=20, help="percent (default: 20)")
    arguments = parser.parse_args(given)
    old, new = read_run(arguments.old), read_run(arguments.new)
    show(old, new, arguments.tolerance)
    return 1 if any(worse_by(*pair) > arguments.tolerance for pair in pairs(old, new)) else 0


if __name__ == "__main__":
    sys.exit(main())
