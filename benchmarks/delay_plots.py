"""Plots the delays of the streaming job over the rate, from the tables that streaming_job.py prints.

    python benchmarks/streaming_job.py > table.md
    python benchmarks/delay_plots.py table.md delays.png
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

Series = dict[tuple[str, str], list[tuple[float, float, float]]]
"""By subscriptions, and engine with its source: messages sent a second, and the two delays in seconds."""
_ROW = re.compile(r"\| (\w+) \| (\w+) \| ([\d,]+) \| ([\d,]+)/s \|.*\| ([\d,]+) ms \| ([\d,]+) ms \|")
_SIZE = (10, 3.8)
"""Inches."""


def read(table: str) -> Series:
    """Read the rows that have delays."""
    found: Series = defaultdict(list)
    for engine, source, subscriptions, *numbers in _ROW.findall(table):
        rate, half, most = (float(number.replace(",", "")) for number in numbers)
        found[subscriptions, f"{engine}, {source}"].append((rate, half / 1000, most / 1000))
    return found


def draw(series: Series, path: Path) -> None:
    """Draw a panel for each number of subscriptions: half of the delays as lines, 99% as dots above."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    panels = sorted({subscriptions for subscriptions, _ in series}, key=lambda text: int(text.replace(",", "")))
    figure, axes = pyplot.subplots(1, len(panels), figsize=_SIZE, sharey=True, squeeze=False)
    for subscriptions, panel in zip(panels, axes[0], strict=True):
        for (found, name), points in series.items():
            if found == subscriptions:
                rates, half, most = zip(*sorted(points), strict=True)
                [line] = panel.plot(rates, half, marker="o", label=name)
                panel.plot(rates, most, linestyle=":", marker="^", color=line.get_color())
        panel.set_title(f"{subscriptions} subscriptions", fontsize=10)
        panel.set_xlabel("messages sent a second")
        panel.set_yscale("log")
        panel.spines[["top", "right"]].set_visible(False)
        panel.legend(frameon=False, fontsize=8)
    axes[0][0].set_ylabel("seconds: half (line), 99% (dotted)")
    figure.tight_layout()
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    draw(read(Path(sys.argv[1]).read_text(encoding="utf-8")), Path(sys.argv[2]))
