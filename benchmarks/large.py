"""One large document, published in one of three ways, in a process of its own: prints seconds, matches and memory.

    python -m benchmarks.large stream|publish|iterparse DOCUMENT SUBSCRIPTIONS

`stream` is `publish_stream`; `publish` takes the same units as separate messages, cut beforehand; `iterparse` is a loop
over lxml's iterparse with one compiled XPath for each subscription.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Iterator

import xpubsub
from benchmarks.peak import KNOWN, status
from xpubsub.limits import Limits
from xpubsub.shred.units import UnitCutter

_BATCH = 10_000


def subscriptions(number: int) -> list[tuple[str, str]]:
    """Filters on persons."""
    rng = random.Random(number)
    return [(f"s{n}", f"/person[age > {rng.randrange(90)}]/city = 'City {rng.randrange(500)}'") for n in range(number)]


def stream(path: str, number: int) -> tuple[float, int]:
    """The seconds and matches of `publish_stream`."""
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many(subscriptions(number))
        started = time.perf_counter()
        found = sum(result.notifications.num_rows for result in broker.publish_stream(path, "/root/person"))
        return time.perf_counter() - started, found


def publish(path: str, number: int) -> tuple[float, int]:
    """The same units as separate messages; cutting them does not count."""
    seconds, found = 0.0, 0
    with xpubsub.connect(":memory:") as broker:
        broker.subscribe_many(subscriptions(number))
        for batch in _batches(path):
            started = time.perf_counter()
            found += broker.publish(batch).notifications.num_rows
            seconds += time.perf_counter() - started
    return seconds, found


def _batches(path: str) -> Iterator[list[tuple[str, bytes]]]:
    cutter, waiting = UnitCutter(["/root/person"], Limits()), list[tuple[str, bytes]]()
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            waiting += [(str(unit.number), unit.xml) for unit in cutter.feed(chunk)]
            if len(waiting) >= _BATCH:
                yield waiting
                waiting = []
    yield waiting


def iterparse(path: str, number: int) -> tuple[float, int]:
    """A loop by hand: each outermost person is copied out of the document and tested by every XPath."""
    from lxml import etree

    compiled = [etree.XPath(f"boolean({text})") for _, text in subscriptions(number)]
    started, found, depth = time.perf_counter(), 0, 0
    for event, element in etree.iterparse(path, events=("start", "end"), tag="person"):
        depth += 1 if event == "start" else -1
        if event == "end" and not depth:
            alone = etree.ElementTree(etree.fromstring(etree.tostring(element)))
            found += sum(bool(each(alone)) for each in compiled)
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
    return time.perf_counter() - started, found


def read(printed: bytes) -> dict[str, float]:
    """What a process has printed."""
    figures: dict[str, float] = json.loads(printed)
    return figures


def main(how: str, path: str, number: str) -> None:
    """Print the figures as JSON; `peak` is in bytes."""
    seconds, found = {"stream": stream, "publish": publish, "iterparse": iterparse}[how](path, int(number))
    json.dump({"seconds": seconds, "found": found, "peak": status("VmHWM") if KNOWN else 0}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
