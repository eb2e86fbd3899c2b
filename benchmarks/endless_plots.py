"""Plots of endless documents, like Figures 7, 8 and 9 of Wei et al. 2006."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.rows import Row

_PANELS = (("endless over delay", "delay", "tokens' delay", "tokens buffered on average"),
           ("endless over recursion", "percent", "% of the data recursive", "seconds of CPU time"),
           ("endless over megabytes", "megabytes", "MB without recursion", "seconds of CPU time"))
_WIDE = (12, 3.8)
"""Inches."""


def figures(rows: Sequence[Row]) -> Any:
    """Figures 7 to 9: tokens buffered over the delay; two plans over recursion, and over the size."""
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, 3, figsize=_WIDE)
    for (name, over, label, unit), axes in zip(_PANELS, panels, strict=True):
        chosen = sorted((row for row in rows if name in row.plots), key=lambda row: row.sizes[over])
        places = [row.sizes[over] for row in chosen]
        axes.plot(places, [row.figure for row in chosen], marker="o", label="removed where tuples may repeat")
        if chosen and chosen[0].baseline_figure is not None:
            axes.plot(places, [row.baseline_figure for row in chosen], marker="x", label=chosen[0].baseline)
            axes.legend(frameon=False, fontsize=8)
        axes.set_xlabel(label)
        axes.set_ylabel(unit)
        axes.set_ylim(bottom=0)
        axes.spines[["top", "right"]].set_visible(False)
    return figure
