"""Repeated items: how the time of `publish` grows with the items of a message, beside a loop over lxml's XPaths.

    python benchmarks/repeats.py [--subscriptions 200] [--plot docs/repeats.png]

Each subscription has six branches that must meet in one item, and all of them match many items. Joined naively, 200
items would give 200 ** 6 combinations; here the rows of every step grow with the message.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

from lxml import etree
from rich.console import Console
from rich.table import Table

import xpubsub

ITEMS = (50, 100, 200, 400, 800)
BRANCHES = "[a > 0][b > 0][c != 'x'][d][e = 'y']"


def message(items: int) -> str:
    """An order with many items, all alike but for one number."""
    item = "<item><a>{0}</a><b>1</b><c>1</c><d/><e>y</e><f>{0}</f></item>"
    return "<order>" + "".join(item.format(number + 1) for number in range(items)) + "</order>"


def expressions(count: int) -> list[str]:
    """Subscriptions that differ in a constant and match all messages."""
    return [f"//item{BRANCHES}/f > {number / count}" for number in range(count)]


def median(action: Callable[[], object], runs: int) -> float:
    """The median time of some runs, in seconds, after one that does not count."""
    action()
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def measure(count: int, runs: int) -> list[tuple[int, float, float]]:
    """(items, seconds of publish, seconds of the lxml loop) for each size."""
    compiled = [etree.XPath(f"boolean({each})") for each in expressions(count)]
    rows = []
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many((f"s{number}", each) for number, each in enumerate(expressions(count)))
        for items in ITEMS:
            xml = message(items)
            assert broker.publish([("m", xml)]).notifications.num_rows == count
            ours = median(lambda xml=xml: broker.publish([("m", xml)]), runs)  # type: ignore[misc]
            rows.append((items, ours, median(lambda xml=xml: _loop(xml, compiled), runs)))  # type: ignore[misc]
    return rows


def _loop(xml: str, compiled: list[etree.XPath]) -> int:
    tree = etree.fromstring(xml)
    return sum(bool(xpath(tree)) for xpath in compiled)


def show(rows: list[tuple[int, float, float]]) -> None:
    """A table with the growth from 100 items."""
    table = Table("items", "publish, s", "of 100 items", "lxml loop, s", title="one message, six-branch subscriptions")
    base = next(seconds for items, seconds, _ in rows if items == 100)
    for items, ours, theirs in rows:
        table.add_row(str(items), f"{ours:.3f}", f"{ours / base:.1f} x", f"{theirs:.3f}")
    Console().print(table)


def plot(rows: list[tuple[int, float, float]], path: str) -> None:
    """Time over items."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3.5))
    axes.plot([row[0] for row in rows], [row[1] for row in rows], marker="o", label="xpubsub on DuckDB")
    axes.plot([row[0] for row in rows], [row[2] for row in rows], marker="x", label="loop over lxml XPaths")
    axes.set_xlabel("repeated items in the message")
    axes.set_ylabel("seconds")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--subscriptions", type=int, default=200)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--plot", help="file for a plot of time over items")
    arguments = parser.parse_args()
    rows = measure(arguments.subscriptions, arguments.runs)
    show(rows)
    if arguments.plot:
        plot(rows, arguments.plot)


if __name__ == "__main__":
    main()
