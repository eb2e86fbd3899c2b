"""Plots of correlations, like Figures 8 to 16 of Hong et al. 2007."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.rows import Row

_PANELS = (
    ("two-level over queries", "two-level over leaves", "two-level over Zipf"),
    ("three-level over queries", "three-level over joins", "three-level over Zipf"),
)
_WIDE = (12, 6.5)
_SMALL = (7, 3.8)
"""Inches."""


def joins(rows: Sequence[Row]) -> Any:
    """Figures 8 to 13: the time of the joins by plan, over what is varied."""
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(2, 3, figsize=_WIDE)
    for names, line in zip(_PANELS, panels, strict=True):
        for name, axes in zip(names, line, strict=True):
            _panel(axes, name, [row for row in rows if name in row.plots])
    panels[0][0].legend(frameon=False, fontsize=8)
    return figure


def _panel(axes: Any, name: str, rows: list[Row]) -> None:
    over = name.split(" over ")[1]
    for plan, points in _series(rows, over).items():
        axes.plot(*zip(*points, strict=True), marker="x" if plan == "sequential" else "o", label=plan)
    axes.set_yscale("log")
    if over == "queries":
        axes.set_xscale("log")
    _labels(axes, name, over, "ms")


def _series(rows: list[Row], over: str) -> dict[str, list[tuple[float, float]]]:
    """Points by plan; those of `sequential` are what the first plan is measured beside."""
    found: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        found.setdefault(_plan(row), []).append((row.sizes[over], row.figure))
    beside = [(row.sizes[over], row.baseline_figure) for row in rows
              if row.baseline_figure is not None and _plan(row) == _plan(rows[0])]
    return {**found, "sequential": beside} if beside else found


def _plan(row: Row) -> str:
    return row.name.rsplit(", ", 1)[1]


def views(rows: Sequence[Row]) -> Any:
    """Figures 14 and 15: what the views cost, and the conjunctive queries with and without them."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=_SMALL)
    labels = [f"{row.name.split(':')[0]}\n{_plan(row)}" for row in rows]
    starts = [0.0] * len(rows)
    for part in dict.fromkeys(name for row in rows for name in row.timings):
        widths = [1e3 * row.timings.get(part, 0.0) for row in rows]
        axes.barh(labels, widths, left=starts, label=part)
        starts = [start + width for start, width in zip(starts, widths, strict=True)]
    axes.invert_yaxis()
    _labels(axes, f"{rows[0].sizes['queries']:,.0f} queries", "ms", "")
    axes.legend(frameon=False, fontsize=8)
    return figure


def feeds(rows: Sequence[Row]) -> Any:
    """Figure 16: items per second by plan, over the number of queries."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=_SMALL)
    for plan, points in _series(list(rows), "queries").items():
        axes.plot(*zip(*points, strict=True), marker="o", label=plan)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    _labels(axes, "a feed, infinite windows", "queries", "items per second")
    axes.legend(frameon=False)
    return figure


def _labels(axes: Any, title: str, across: str, up: str) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(title, fontsize=10)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(alpha=0.3)
