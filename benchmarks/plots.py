"""Plots of a run: time over notifications, time over subscriptions, time by step; correlations.

    python benchmarks/plots.py RESULTS.json FOLDER
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import correlation_plots, endless_plots, overload_plots
from benchmarks.rows import Row, Run, read_run

_SIZE = (7, 3.8)
"""Inches; at 120 dots per inch about as wide as a README."""
_STEPS = 8
"""Steps with a colour of their own; the others are added up."""
_OTHERS = "other steps"
_CORRELATED = {
    "correlations": ("level over", correlation_plots.joins), "views": ("views", correlation_plots.views),
    "feeds": ("feeds", correlation_plots.feeds), "endless": ("endless", endless_plots.figures),
    "overload": ("overload", overload_plots.figures),
}
"""By file: what is part of the names of its rows' plots, and how it is drawn."""


def draw(run: Run, folder: Path) -> None:
    """Write one file for each plot that has rows."""
    import matplotlib

    matplotlib.use("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    for name, drawn in {"notifications": _lines, "subscriptions": _lines, "steps": _steps}.items():
        if rows := [row for row in run.rows if name in row.plots and row.sizes.get(name, 1)]:
            _save(drawn(rows, name), folder, name)
    for name, (belongs, correlated) in _CORRELATED.items():
        if rows := [row for row in run.rows if any(belongs in plot for plot in row.plots)]:
            _save(correlated(rows), folder, name)


def _save(figure: Any, folder: Path, name: str) -> None:
    figure.tight_layout()
    figure.savefig(folder / f"{name}.png", dpi=120)


def _figure() -> tuple[Any, Any]:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=_SIZE)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _lines(rows: list[Row], over: str) -> Any:
    """The seconds of `publish` and of the baseline over one of the sizes."""
    figure, axes = _figure()
    rows = sorted(rows, key=lambda row: row.sizes[over])
    sizes = [row.sizes[over] for row in rows]
    axes.plot(sizes, [row.figure for row in rows], marker="o", label="xpubsub on DuckDB: XML in, Arrow out")
    axes.plot(sizes, [row.baseline_figure for row in rows], marker="x", label=rows[0].baseline)
    axes.set_xscale("log")
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes], minor=False)
    axes.set_xticks([], minor=True)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(over)
    axes.set_ylabel("seconds")
    axes.set_title(f"stock: {_fixed(rows, over)}", fontsize=10)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(frameon=False)
    return figure


def _fixed(rows: list[Row], over: str) -> str:
    """The sizes that are the same in all rows."""
    sizes = rows[0].sizes.items()
    same = [f"{size:,} {name}" for name, size in sizes if name != over and len({row.sizes[name] for row in rows}) == 1]
    return " x ".join(same)


def _steps(rows: list[Row], _: str) -> Any:
    """A bar per row, a piece per step."""
    figure, axes = _figure()
    total: Counter[str] = Counter()
    for row in rows:
        total.update({step: int(1e6 * seconds) for step, seconds in row.timings.items()})
    names = [step for step, _ in total.most_common(_STEPS)]
    labels = [_label(row) for row in rows]
    starts = [0.0] * len(rows)
    for step in [*names, _OTHERS]:
        widths = [_seconds(row, step, names) for row in rows]
        axes.barh(labels, widths, left=starts, label=step)
        starts = [start + width for start, width in zip(starts, widths, strict=True)]
    axes.invert_yaxis()
    axes.set_xlabel("seconds")
    axes.legend(frameon=False, fontsize=8, bbox_to_anchor=(1, 1), loc="upper left")
    return figure


def _label(row: Row) -> str:
    return f"{row.workload}, {row.sizes['subscriptions']:,}\n{row.sizes['notifications']:,} notifications"


def _seconds(row: Row, step: str, named: list[str]) -> float:
    if step != _OTHERS:
        return row.timings.get(step, 0.0)
    return sum(seconds for each, seconds in row.timings.items() if each not in named)


if __name__ == "__main__":
    draw(read_run(Path(sys.argv[1])), Path(sys.argv[2]))
