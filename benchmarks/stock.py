"""Many subscriptions on flat messages (Tian 2004, section 5.1), beside a loop over lxml's compiled XPaths.

    python benchmarks/stock.py [--subscriptions 50000] [--messages 10000]

Each subscription has one equality on the symbol and four inequalities. The loop is measured on a sample of
subscriptions and messages, and scaled up to all pairs; the matches of the sample are compared.
"""

from __future__ import annotations

import argparse
import time
from random import Random

from lxml import etree
from rich.console import Console
from rich.table import Table

import xpubsub

FIELDS = ("price", "open", "change", "low", "high", "volume")
PLANS = ("unroll", "share", "bucket")
SAMPLE = (500, 200)
"""Subscriptions and messages of the sampled loop."""


def subscription(random: Random) -> str:
    """One equality and four inequalities."""
    symbol = f'/stock/symbol/text() = "S{random.randrange(1000)}"'
    return " and ".join([symbol, *(_range(name, random) for name in random.sample(FIELDS, 4))])


def _range(name: str, random: Random) -> str:
    return f"/stock/{name}/text() {random.choice('<>')} {random.uniform(0, 100):.2f}"


def message(random: Random) -> str:
    """One quote."""
    fields = "".join(f"<{name}>{random.uniform(0, 100):.2f}</{name}>" for name in FIELDS)
    return f"<stock><symbol>S{random.randrange(1000)}</symbol>{fields}</stock>"


def lxml_loop(expressions: list[str], messages: list[str]) -> tuple[float, set[tuple[str, str]]]:
    """Seconds and matches of a loop over a sample."""
    compiled = [etree.XPath(f"boolean({each})") for each in expressions]
    started = time.perf_counter()
    trees = [etree.fromstring(xml) for xml in messages]
    matches = {(f"m{m}", f"s{s}") for m, tree in enumerate(trees) for s, xpath in enumerate(compiled) if xpath(tree)}
    return time.perf_counter() - started, matches


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--subscriptions", type=int, default=50_000)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random = Random(arguments.seed)
    expressions = [subscription(random) for _ in range(arguments.subscriptions)]
    messages = [message(random) for _ in range(arguments.messages)]
    seconds, matches = lxml_loop(expressions[: SAMPLE[0]], messages[: SAMPLE[1]])
    scale = len(expressions) * len(messages) / (min(SAMPLE[0], len(expressions)) * min(SAMPLE[1], len(messages)))
    table = Table("plan", "publish, s", "notifications", "lxml loop, scaled, s", "ratio", title="stock")
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many((f"s{number}", each) for number, each in enumerate(expressions))
        batch = [(f"m{number}", each) for number, each in enumerate(messages)]
        broker.publish(batch)
        for plan in PLANS:
            started = time.perf_counter()
            result = broker.publish(batch, plan=plan)
            ours = time.perf_counter() - started
            check(result, matches)
            ratio = f"{seconds * scale / ours:,.0f} x"
            table.add_row(plan, f"{ours:.2f}", f"{result.notifications.num_rows:,}", f"{seconds * scale:,.0f}", ratio)
    Console().print(table)


def check(result: xpubsub.Result, matches: set[tuple[str, str]]) -> None:
    """The sample's matches are ours."""
    rows = zip(*(result.notifications[name].to_pylist() for name in ("message_id", "subscription_id")), strict=True)
    sample = {(m, s) for m, s in rows if int(m[1:]) < SAMPLE[1] and int(s[1:]) < SAMPLE[0]}
    assert sample == matches


if __name__ == "__main__":
    main()
