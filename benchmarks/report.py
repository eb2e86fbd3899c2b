"""The tables of a run: all rows, and what is to be reached.

    python benchmarks/report.py RESULTS.json        prints them as Markdown
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.bars import BARS, Bar
from benchmarks.rows import Row, Run, read_run

Line = tuple[str, ...]
_ROWS: Line = ("workload", "engine", "what", "sizes", "figure", "baseline", "baseline's", "ratio")
_BARS: Line = ("what", "bar", "figure", "reached")
_WIDTH = 150
"""Characters, where the output is not a terminal."""
_SMALL = " (small)"
_NOTE = "(small): measured in a smaller size than the one the bar is meant for"


def console() -> Console:
    """The terminal, or something as wide as the tables."""
    return Console(width=None if sys.stdout.isatty() else _WIDTH, highlight=False)


def show(run: Run) -> None:
    """Print the tables."""
    printer = console()
    for title, headings, lines in _tables(run):
        table = Table(*headings, title=title)
        for line in lines:
            table.add_row(*line)
        printer.print(table)
    printer.print(_note(run), markup=False)


def markdown(run: Run) -> str:
    """The tables as Markdown."""
    lines: list[str] = []
    for title, headings, body in _tables(run):
        lines += [f"{title}:", "", _markdown_row(headings), "|---" * len(headings) + "|", *map(_markdown_row, body), ""]
    return "\n".join([*lines, _note(run)]).rstrip()


def _markdown_row(cells: Line) -> str:
    return f"| {' | '.join(cells)} |"


def _tables(run: Run) -> Iterator[tuple[str, Line, list[Line]]]:
    failed = [(part, "", f"failed: {error}", *[""] * 5) for part, error in run.errors.items()]
    yield "measured", _ROWS, [*(_row_line(row) for row in run.rows), *failed]
    yield "to reach", _BARS, [_bar_line(bar, [row for row in run.rows if row.bar == key]) for key, bar in BARS.items()]


def _note(run: Run) -> str:
    return _NOTE if any(_size_note(BARS[row.bar], row) for row in run.rows if row.bar) else ""


def _row_line(row: Row) -> Line:
    return (row.workload, row.engine, row.name, sizes_text(row.sizes), figure_text(row.figure, row.unit), row.baseline,
            figure_text(row.baseline_figure, row.unit), ratio_text(row))


def _bar_line(bar: Bar, rows: list[Row]) -> Line:
    """A bar with the worst of its rows."""
    if not rows:
        return bar.what, bar.text, "", "not measured"
    worst = (max if bar.at_most else min)(rows, key=lambda row: row.judged or 0.0)
    figure = ratio_text(worst) if bar.of_ratio else figure_text(worst.figure, worst.unit)
    return bar.what, bar.text, figure, ("yes" if worst.reached else "no") + _size_note(bar, worst)


def _size_note(bar: Bar, row: Row) -> str:
    return "" if all(row.sizes.get(name, size) >= size for name, size in bar.sizes.items()) else _SMALL


def sizes_text(sizes: Mapping[str, float]) -> str:
    """Sizes as one reads them."""
    return ", ".join(f"{count_text(count)} {name}" for name, count in sizes.items())


def count_text(count: float) -> str:
    """A number, with K or M if nothing is lost."""
    if count and count % 1_000_000 == 0:
        return f"{count // 1_000_000}M"
    return f"{count // 1000}K" if count >= 10_000 and count % 1000 == 0 else f"{count:,}"


def figure_text(figure: float | None, unit: str) -> str:
    """A figure with its unit, to three digits."""
    if figure is None:
        return ""
    return f"{figure:,.0f} {unit}" if figure >= 100 else f"{figure:.3g} {unit}"


def ratio_text(row: Row) -> str:
    """A ratio, and which way it is meant."""
    if row.ratio is None:
        return ""
    ratio = f"{row.ratio:,.0f}" if row.ratio >= 100 else f"{row.ratio:.2f}"
    return f"{ratio} x faster" if row.faster else f"{ratio} x"


if __name__ == "__main__":
    print(markdown(read_run(Path(sys.argv[1]))))
