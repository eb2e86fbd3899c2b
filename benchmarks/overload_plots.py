"""Plots of overload, like Figures 10 to 13 of Wei, Rundensteiner and Mani 2010."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.rows import Row

_TIME = "overload over time: "
_PANELS = (("overload over selectivity", "deviation", "deviation of selectivity", "quality of a message at once"),
           ("overload over size", "deviation", "deviation of size", "quality of a message at once"),
           ("overload over paths", "paths", "paths of the query", "ms to choose"))
_WIDE = (12, 7.2)
"""Inches."""


def figures(rows: Sequence[Row]) -> Any:
    """Above: the quality delivered, over time, for each source. Below: selectivity, size, time to choose."""
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(2, 3, figsize=_WIDE)
    sources = list(dict.fromkeys(plot for row in rows for plot in row.plots if plot.startswith(_TIME)))
    for axes, source in zip(panels[0], sources, strict=False):
        _over_time(axes, [row for row in rows if source in row.plots])
        axes.set_title(source.removeprefix(_TIME), fontsize=9)
    for axes, (plot, over, label, unit) in zip(panels[1], _PANELS, strict=True):
        _over_sizes(axes, [row for row in rows if plot in row.plots], over)
        axes.set_xlabel(label)
        axes.set_ylabel(unit)
    panels[1][2].set_yscale("log")
    for axes in panels.flat:
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def _over_time(axes: Any, rows: Sequence[Row]) -> None:
    for row in rows:
        seconds, quality = zip(*row.curve, strict=True)
        axes.step((0.0, *seconds), (0.0, *quality), where="post", label=row.plots[-1])
    if rows:
        axes.axvline(rows[0].sizes["seconds"], color="grey", linewidth=0.8, linestyle=":")
    axes.set_xlabel("seconds; dotted: the last message has come")
    axes.set_ylabel("% of all quality delivered")
    axes.legend(frameon=False, fontsize=7)


def _over_sizes(axes: Any, rows: Sequence[Row], over: str) -> None:
    for policy in dict.fromkeys(row.plots[-1] for row in rows):
        chosen = sorted((row for row in rows if row.plots[-1] == policy), key=lambda row: row.sizes[over])
        axes.plot([row.sizes[over] for row in chosen], [row.figure for row in chosen], marker="o", label=policy)
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, fontsize=7)
