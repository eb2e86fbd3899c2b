"""Mixed: single messages, and single subscriptions, where a store has subscriptions of every kind."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

import xpubsub
from benchmarks.measuring import Measured
from benchmarks.options import Options
from benchmarks.rows import Row
from benchmarks.stores import stored
from benchmarks.workloads.kinds import FILTERS, KINDS, texts
from benchmarks.workloads.stock import stock

SELECTIVITY = 1e-5
_WARM = 20
"""Messages that do not count, before each measurement."""
_OF_A_KIND = 5


def measure(options: Options) -> Iterator[Row]:
    """The plain store, and the same with some subscriptions of a kind beside them, one kind after the other."""
    sizes = options.sizes
    workload = stock(sizes.mixed_subscriptions, sizes.mixed_messages + _WARM, SELECTIVITY, options.seed)
    with stored(workload.subscriptions) as (broker, _):
        plain = _latency(broker, workload.messages)
        yield _row("plain", plain, plain, options)
        yield from _changes(broker, options, workload.messages)
        for kind in KINDS:
            ids = [f"k{number}" for number in range(_OF_A_KIND)]
            broker.subscribe_many(zip(ids, texts(kind, _OF_A_KIND, options.seed), strict=True))
            yield _row(kind, _latency(broker, workload.messages), plain, options)
            broker.unsubscribe(ids)
            broker.gc()


def _row(kind: str, measured: Measured[None], plain: Measured[None], options: Options) -> Row:
    bar = "one" if kind == "plain" else "mixed-filter" if kind in FILTERS else f"mixed-{kind.removeprefix('other ')}"
    return Row("mixed", f"one message, p50, {_OF_A_KIND} of {kind}" if kind != "plain" else "one message, p50, plain",
               1000 * measured.median, "ms", sizes={"subscriptions": options.sizes.mixed_subscriptions}, bar=bar,
               baseline="plain ones alone", baseline_figure=1000 * plain.median)


def _latency(broker: xpubsub.Broker, messages: list[tuple[str, str]]) -> Measured[None]:
    """The seconds of single publishes."""
    for message in messages[:_WARM]:
        broker.publish([message])
    return Measured([_seconds(partial(broker.publish, [message])) for message in messages[_WARM:]], None)


def _changes(broker: xpubsub.Broker, options: Options, messages: list[tuple[str, str]]) -> Iterator[Row]:
    """One subscription at a time, and the first message after it."""
    subscribing, first = [], []
    for number in range(options.sizes.mixed_changes):
        text = f"/stock/symbol = 'S{number}' and /stock/price > {number + 0.5}"
        subscribing.append(_seconds(partial(broker.subscribe, f"n{number}", text)))
        first.append(_seconds(partial(broker.publish, [messages[number % len(messages)]])))
    sizes = {"subscriptions": options.sizes.mixed_subscriptions}
    yield Row("mixed", "one subscribe, p50", 1000 * Measured(subscribing, None).median, "ms", sizes=sizes, bar="change")
    yield Row("mixed", "first publish after it, p50", 1000 * Measured(first, None).median, "ms", sizes=sizes,
              bar="change")


def _seconds(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started
