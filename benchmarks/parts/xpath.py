"""All of XPath 1.0: real rules that SQL cannot decide alone, and one filter that lxml reads every message for."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TypeVar

import pyarrow.compute as pc

import xpubsub
from benchmarks.baselines import lxml_loop
from benchmarks.checking import check_sample
from benchmarks.measuring import warm
from benchmarks.options import Options
from benchmarks.rows import Row
from benchmarks.stores import store_file
from benchmarks.workloads.schematron import NAMESPACES, RULES, Rules, schematron
from benchmarks.workloads.stock import stock

A = TypeVar("A")
EVERY = "not(count(//*[. = 'x'] | //x) > 3)"
"""A filter for which no index finds candidates."""


def measure(options: Options) -> Iterator[Row]:
    """All rows of the part."""
    if options.data is None or not (options.data / RULES[0]).exists():
        print(f"  no {RULES[0]}: --data says in which folder it is", flush=True)
    else:
        sizes = options.sizes
        yield from _rules(schematron(options.data, sizes.xpath_rules, sizes.xpath_invoices, options.seed), options.runs)
    yield from _every(options)


def _rules(workload: Rules, runs: int) -> Iterator[Row]:
    with store_file() as path, xpubsub.connect(path) as broker:
        broker.subscribe_many([(f"s{n}", text) for n, text in enumerate(workload.texts)], namespaces=NAMESPACES)
        ways = Counter(broker.list()["way"].to_pylist())
        measured = warm(lambda: broker.publish(workload.messages), runs)
    result = measured.value
    loop = lxml_loop.measure(workload.messages, workload.texts, NAMESPACES)
    check_sample(result.notifications, loop.matches, loop.messages, loop.subscriptions, "rules, lxml")
    sizes = {**workload.sizes, "rules": workload.different, "notifications": result.notifications.num_rows, **ways}
    yield Row("xpath", "Schematron rules", measured.median, "s", sizes=sizes, baseline="lxml loop, scaled",
              baseline_figure=loop.scaled(**workload.sizes), faster=True, bar="xpath", timings=result.timings)


def _every(options: Options) -> Iterator[Row]:
    """What one filter on every message costs among many that are indexed, in seconds of processors: it is little."""
    sizes = options.sizes
    workload = stock(sizes.xpath_indexed, sizes.xpath_messages, 1e-5, options.seed)
    with store_file() as path, xpubsub.connect(path) as broker:
        broker.subscribe_many(workload.subscriptions)
        before, _ = _processor_seconds(lambda: broker.publish(workload.messages), options.runs)
        broker.subscribe("every", EVERY)
        after, result = _processor_seconds(lambda: broker.publish(workload.messages), options.runs)
    most = len(workload.messages)
    alone, loop = _processor_seconds(lambda: lxml_loop.measure(workload.messages, [EVERY], most=most), options.runs)
    found = sum(pc.equal(result.notifications["subscription_id"], "every").to_pylist())
    if found != len(loop.matches):
        raise AssertionError(f"every message: {found} notifications, lxml finds {len(loop.matches)}")
    yield Row("xpath", "one filter on every message", after - before, "s",
              sizes={"subscriptions": sizes.xpath_indexed, "messages": sizes.xpath_messages, "notifications": found},
              baseline="lxml, parsing and evaluating it", baseline_figure=alone, bar="xpath-every",
              timings=result.timings)


def _processor_seconds(action: Callable[[], A], runs: int) -> tuple[float, A]:
    """The least that some warm runs take of all processors, and what the last one returned."""
    value, seconds = action(), []
    for _ in range(runs):
        started = time.process_time()
        value = action()
        seconds.append(time.process_time() - started)
    return min(seconds), value
