"""Feed items with the five leaves of Hong et al. 2007, section 6.3: generated, or real ones out of an archive."""

from __future__ import annotations

import json
import tarfile
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from lxml import etree

from benchmarks.workloads.correlations import Correlation, Schema, Workload

LEAVES = ("item_url", "channel_url", "title", "timestamp", "description")
ARCHIVE = "feeds-stream-ai"
_RSS = ("item/link", "link", "item/title", "item/pubDate", "item/description")
"""The same leaves below the channel of an RSS document."""
_COMMON = {LEAVES.index("channel_url"), LEAVES.index("timestamp")}
_REPOSTED = ("item_url", "channel_url", "title", "description")

Message = tuple[str, str, float]
Values = tuple[str | None, ...]
"""By leaf."""


@dataclass(frozen=True)
class Feed:
    """Messages in the order of their times, the values of their leaves, and the queries on them."""

    name: str
    workload: Workload
    messages: list[Message]
    values: list[Values]

    def first(self, items: int) -> Feed:
        """The beginning of it."""
        return Feed(self.name, self.workload, self.messages[:items], self.values[:items])

    def pairs(self, correlation: Correlation) -> int:
        """How many pairs of items fulfil a correlation, counted by values."""
        earlier: Counter[Values] = Counter()
        waiting: deque[tuple[float, Values]] = deque()
        found = 0
        for (_, _, time), values in zip(self.messages, self.values, strict=True):
            while waiting and waiting[0][0] < time:
                earlier[waiting.popleft()[1]] += 1
            found += earlier[tuple(values[leaf] for leaf in correlation.right)]
            left = tuple(values[leaf] for leaf in correlation.left)
            if None not in left:
                waiting.append((time, left))
        return found


@dataclass(frozen=True)
class Recurrence:
    """How often values come again: what a pair of items has in common."""

    reposts: float = 0.02
    """The share of items that take up an earlier one, and with it each of its leaves but the time by even chance."""
    channels: int = 0
    """How many channels there are; with 0 a channel comes again like the rest, in an item that takes up another."""


RARE = Recurrence()
FEW_CHANNELS = Recurrence(channels=418)
"""As many as the paper's items come from."""


def generated(items: int, seed: int, recurrence: Recurrence = RARE) -> Feed:
    """A feed of so many items, one in a second."""
    random = Random(seed)
    values: list[Values] = []
    for number in range(items):
        values.append(_item(number, values, random, recurrence))
    messages = [(f"m{number}", _xml(each), float(number)) for number, each in enumerate(values)]
    return Feed("generated", Workload("feed", Schema("item", LEAVES), len(LEAVES)), messages, values)


def _item(number: int, earlier: Sequence[Values], random: Random, recurrence: Recurrence) -> Values:
    channel = random.randrange(recurrence.channels) if recurrence.channels else number
    own: Values = (
        f"https://news{channel}.example.org/items/{number}.html", f"https://news{channel}.example.org/feed.xml",
        f"News number {number} of the day", f"time {number}",
        f"What is said of item {number} at some length, in a sentence or two, as feeds do.")
    if not earlier or random.random() >= recurrence.reposts:
        return own
    again = random.choice(earlier)
    kept = [name in _REPOSTED and random.random() < 0.5 for name in LEAVES]
    return tuple(old if keeps else new for old, new, keeps in zip(again, own, kept, strict=True))


def _xml(values: Values) -> str:
    leaves = "".join(f"<{name}>{value}</{name}>" for name, value in zip(LEAVES, values, strict=True))
    return f"<item>{leaves}</item>"


def real(folder: Path) -> Feed:
    """The RSS documents of the archive as they are, of one item each, with the times at which they were fetched."""
    files = _files(folder / f"{ARCHIVE}.tar.gz")
    rows = [json.loads(line) for line in files[f"{ARCHIVE}/stream.jsonl"].splitlines()]
    texts = [files[f"{ARCHIVE}/{row['file']}"] for row in rows]
    messages = [(f"m{row['seq']}", xml.decode(), float(row["t"])) for row, xml in zip(rows, texts, strict=True)]
    workload = Workload("feed", Schema("rss/channel", _RSS), len(_RSS))
    return Feed("real", workload, messages, [_leaves(xml) for xml in texts])


def _files(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as opened:
        read = ((each.name, opened.extractfile(each)) for each in opened)
        return {name: content.read() for name, content in read if content is not None}


def _leaves(xml: bytes) -> Values:
    channel = etree.fromstring(xml).find("channel")
    nodes = [channel.find(path) for path in _RSS]
    return tuple(None if node is None else "".join(node.itertext()) for node in nodes)


def deliverable(correlations: Iterable[Correlation]) -> list[Correlation]:
    """Without those of the channel or the time alone: they pair an item with very many."""
    return [each for each in correlations if not (each.left == each.right and set(each.left) <= _COMMON)]
