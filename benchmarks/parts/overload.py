"""Overload (Wei, Rundensteiner, Mani 2010): Figures 10 to 13, the delay of first parts, what it costs when idle."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, pstdev

import xpubsub
from benchmarks.cpu_clock import CpuClock
from benchmarks.measuring import side_by_side
from benchmarks.options import Options
from benchmarks.overload_jobs import (
    Delivered,
    Messages,
    capacity,
    pareto,
    percentile,
    returned,
    run_job,
    steady,
)
from benchmarks.parts.spill_choice import choice_times
from benchmarks.parts.transform import SCALED, workload
from benchmarks.rows import Row
from benchmarks.workloads.auctions import COUNTS, SIZES, lists, offers, query, watchers
from xpubsub.jobs.overload.choosing import Chooser
from xpubsub.jobs.overload.settings import OVERLOAD_POLICIES
from xpubsub.jobs.overload.transformations import StoredTransformations
from xpubsub.spill.candidates import NOTHING
from xpubsub.spill.choose import POLICIES

RATES = (1.6, 2.0)
"""Messages that come, over those that can be processed whole: steady, as in Figures 10(a) and (b)."""
BURSTS = 1.3
"""The same on average, in bursts with pauses, as in Figure 10(c)."""
LOADS = (2, 5, 10)
DEVIATIONS = {
    "selectivity": (((5, 5, 5, 5), (40,) * 4), ((4, 4, 6, 6), (40,) * 4), ((3, 4, 6, 7), (40,) * 4),
                    ((2, 3, 6, 9), (40,) * 4), ((1, 2, 5, 12), (40,) * 4)),
    "size": (((5,) * 4, (40, 40, 40, 40)), ((5,) * 4, (32, 36, 44, 48)), ((5,) * 4, (24, 32, 48, 56)),
             ((5,) * 4, (12, 28, 52, 68)), ((5,) * 4, (4, 16, 48, 92))),
}
"""For Figures 11 and 12: how many elements P1 to P4 have, and how large they are; the sums are the same."""
_LOAD = 1.4
"""For Figures 11 and 12."""
_SEEDS = 8
_WARM = 96
"""Messages by which the capacity is measured."""
_SMALL = xpubsub.Overload(messages=96, start=0.25, stop=0.05, idle=0.1)
_IDLE = xpubsub.Overload(messages=1_000_000, buffer=1 << 40)
"""A buffer that never fills."""


def measure(options: Options) -> Iterator[Row]:
    """All rows of the part."""
    yield from _over_time(options)
    yield from _varied(options)
    yield from _choosing()
    yield _idle(options)


class _Jobs:
    """Jobs over a store with some subscriptions."""

    def __init__(self, folder: str, subscriptions: list[tuple[str, str]]) -> None:
        self.folder, self.store = Path(folder), Path(folder) / "store.duckdb"
        self._runs = 0
        with xpubsub.connect(self.store) as broker:
            broker.subscribe_many(subscriptions)

    def run(self, messages: Messages, times: list[float], policy: str | None, overload: xpubsub.Overload) -> Delivered:
        """Run a job of its own."""
        self._runs += 1
        how = None if policy is None else replace(overload, policy=policy)
        return run_job(self.store, self.folder / f"job{self._runs}", messages, times, how)


def _over_time(options: Options) -> Iterator[Row]:
    """Figure 10: the quality of what was delivered, over time, until all is complete."""
    with tempfile.TemporaryDirectory() as folder:
        jobs, larger = _Jobs(folder, [("q", query(len(COUNTS)))]), options.sizes.overload_larger
        rate = capacity(jobs.store, lists(_WARM * 3, COUNTS, SIZES, larger))
        for load in (*RATES, BURSTS):
            number = round(rate * load * options.sizes.overload_seconds)
            messages = lists(number, COUNTS, SIZES, larger)
            times = pareto(number, rate * load, options.seed) if load == BURSTS else steady(number, rate * load)
            name = "Pareto" if load == BURSTS else "steady"
            overload = replace(_SMALL, messages=max(96, round(3 * rate)))
            yield from _policies(jobs, messages, times, f"{name} {load:g} x", overload)


def _policies(
    jobs: _Jobs, messages: Messages, times: list[float], name: str, overload: xpubsub.Overload
) -> Iterator[Row]:
    """All policies on the same messages; all end equal."""
    waiting = jobs.run(messages, times, None, overload)
    whole, full = waiting.merged(), sum(waiting.quality())
    beside = 100 * waiting.quality_at(times[-1]) / full
    for policy in OVERLOAD_POLICIES:
        found = waiting if policy == "backpressure" else jobs.run(messages, times, policy, overload)
        if found is not waiting and found.merged() != whole:
            raise AssertionError(f"{name}, {policy}: what is delivered in the end is not that of an undisturbed run")
        reached, curve = 0.0, []
        for at, quality in zip(found.at, found.quality(), strict=True):
            reached += quality
            curve.append((at, 100 * reached / full))
        yield Row("overload", f"{name}, {policy}: quality when the last message comes",
                  100 * found.quality_at(times[-1]) / full, "%",
                  sizes={"messages": len(messages), "spilled": found.spilled, "seconds": round(times[-1], 1),
                         "seconds until complete": round(found.at[-1], 1)},
                  baseline="backpressure", baseline_figure=beside, more_is_better=True, curve=curve,
                  plots=(f"overload over time: {name}", policy))


def _varied(options: Options) -> Iterator[Row]:
    """Figures 11 and 12: the quality of a message, as chosen at a load, over how much the returned paths differ."""
    for varied, sets in DEVIATIONS.items():
        for place, (counts, sizes) in enumerate(sets):
            messages = lists(options.sizes.overload_messages, counts, sizes)
            spread = _deviation(counts if varied == "selectivity" else sizes)
            with xpubsub.connect(":memory:") as broker, CpuClock().running():
                broker.subscribe("q4", query(4))
                for policy in POLICIES:
                    quality = mean(_chosen_quality(broker, messages, policy, seed)
                                   for seed in range(_SEEDS if policy == "random" else 1))
                    yield Row("overload", f"{varied} {place}, {policy}: quality of a message at once", quality,
                              "nodes", sizes={"deviation": round(spread, 2)}, more_is_better=True,
                              plots=(f"overload over {varied}", policy))


def _deviation(values: tuple[int, ...]) -> float:
    return pstdev(values)


def _chosen_quality(broker: xpubsub.Broker, messages: Messages, policy: str, seed: int) -> float:
    """Return how many elements of a message go out at once if a policy chooses what is spilled."""
    stored = StoredTransformations(broker.store, broker.limits, "S")
    chooser = Chooser(xpubsub.Overload(policy, budget=5.0), stored, seed)
    chooser.look(xml for _, xml in messages)
    chooser.learn(100, 1.0, NOTHING)
    paths = sorted(chooser.choose(100 * _LOAD).candidate)
    first = broker.publish([(name, xml) for name, xml in messages], spill=paths).notifications
    broker.complete()
    return float(sum(map(returned, first["output"].to_pylist())) / len(messages))


def _choosing() -> Iterator[Row]:
    """Figure 13: the time to choose, over the size of the query."""
    for each in choice_times():
        yield Row("overload", f"{each.nodes} paths, {each.policy}: time to choose", 1000 * each.seconds, "ms",
                  sizes={"paths": each.nodes, "considered": each.considered},
                  plots=("overload over paths", each.policy))


def first_parts(options: Options) -> Iterator[Row]:
    """What the paper does not show: how long the first part of a message takes with many transformations.

    Auctions have large elements that few want; in the messages of Bib nothing is large, so that spilling saves nothing.
    """
    sizes = options.sizes
    number = sizes.overload_transformations
    yield from _first_parts("auctions", watchers(number), offers(
        sizes.overload_documents, number // 7, options.seed, sizes.overload_larger))
    given = workload("bib", number, sizes.overload_documents, SCALED, options.seed)
    yield from _first_parts("bib", given.queries, [(name, xml.encode()) for name, xml in given.documents])


def _first_parts(name: str, queries: Sequence[str], documents: Messages) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        jobs = _Jobs(folder, [(f"s{place}", text) for place, text in enumerate(queries)])
        rate = capacity(jobs.store, documents, _SMALL.messages)
        for load in LOADS:
            times = steady(len(documents), rate * load)
            waiting = jobs.run(documents, times, None, _SMALL)
            for policy in ("optprune", "tox", "whole"):
                found = jobs.run(documents, times, policy, _SMALL)
                if found.merged() != waiting.merged():
                    raise AssertionError(f"{load} x, {policy}: not the notifications of an undisturbed run")
                yield from _delays(found, waiting, documents, times, f"{name}, {load} x, {policy}", len(queries))


def _delays(
    found: Delivered, waiting: Delivered, documents: Messages, times: list[float], name: str, queries: int
) -> Iterator[Row]:
    ways = [each.first_parts(documents, times) for each in (found, waiting)]
    sizes = {"transformations": queries, "messages": len(documents), "spilled": found.spilled}
    for percent in (50, 99):
        yield Row("overload", f"{name}: first part, p{percent}", percentile(ways[0], percent), "s", sizes=sizes,
                  baseline="backpressure", baseline_figure=percentile(ways[1], percent))
    yield Row("overload", f"{name}: memory beyond the start", found.memory / 1e6, "MB", sizes=sizes,
              baseline="backpressure", baseline_figure=waiting.memory / 1e6)


def _idle(options: Options) -> Row:
    """A job that could spill and never has to, beside one that cannot: CPU time, and the same rows."""
    messages = lists(options.sizes.overload_messages * 8, COUNTS, SIZES, options.sizes.overload_larger)
    times = [0.0] * len(messages)
    with tempfile.TemporaryDirectory() as folder:
        jobs = _Jobs(folder, [("q", query(len(COUNTS))), ("f", "count(//P8) = 4"), ("g", "//P3/x = '1'")])

        def run(policy: str | None) -> Callable[[], tuple[float, list[tuple[object, ...]]]]:
            def timed() -> tuple[float, list[tuple[object, ...]]]:
                started = time.process_time()
                found = jobs.run(messages, times, policy, _IDLE)
                return time.process_time() - started, found.merged()
            return timed

        seconds: tuple[list[float], list[float]] = [], []
        for _ in range(max(3, options.runs)):
            idle, none = side_by_side(run("optprune"), run(None), 1, before=0)
            if idle.value[1] != none.value[1]:
                raise AssertionError("a job that never spills does not deliver what one without overload does")
            seconds[0].append(idle.value[0])
            seconds[1].append(none.value[0])
    return Row("overload", "configured but idle, CPU time", min(seconds[0]), "s", sizes={"messages": len(messages)},
               baseline="no overload", baseline_figure=min(seconds[1]), bar="overload-idle")
