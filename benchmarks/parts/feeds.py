"""Correlations over a stream of feed items (Hong et al. 2007, section 6.3): items per second over queries."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import xpubsub
from benchmarks.options import Options
from benchmarks.rows import Row
from benchmarks.stores import fill, store_file
from benchmarks.streaming import Streamed, check, state, stream
from benchmarks.workloads.correlations import Correlation, powers
from benchmarks.workloads.feeds import ARCHIVE, FEW_CHANNELS, Feed, deliverable, generated, real

_RATE = "items/s"
_REAL_BATCH = 200
"""There are hundreds of notifications for a real item, with copies of two channels each."""


def measure(options: Options) -> Iterator[Row]:
    """All rows of the part."""
    feed = generated(options.sizes.feed_items, options.seed)
    correlations = feed.workload.correlations(options.sizes.feed_queries, options.seed)
    yield from _scaled(feed, correlations, options)
    yield from _channels(options)
    yield from _real(options)


@dataclass(frozen=True)
class _Queries:
    """A store with correlations of a feed, to be copied before anything is published."""

    feed: Feed
    correlations: list[Correlation]
    store: Path

    @contextmanager
    def opened(self) -> Iterator[xpubsub.Broker]:
        """A copy of the store."""
        with store_file() as path:
            shutil.copy(self.store, path)
            with xpubsub.connect(path) as broker:
                yield broker

    def streamed(self, feed: Feed, batch: int, plan: str) -> Streamed:
        """A feed published to a copy, checked."""
        with self.opened() as broker:
            streamed = stream(broker, feed, batch, plan)
        check(streamed, feed, self.correlations, f"{feed.name}, {plan}")
        return streamed

    def row(self, name: str, rate: float, streamed: Streamed) -> Row:
        """A rate as a row."""
        sizes = {"queries": len(self.correlations), "different": len({each.pairs for each in self.correlations}),
                 "items": sum(streamed.items), "notifications": streamed.found.total()}
        return Row("feeds", f"{self.feed.name}, {len(self.correlations):,} queries, {name}", rate, _RATE, sizes=sizes,
                   more_is_better=True, timings=dict(streamed.timings))


@contextmanager
def _subscribed(feed: Feed, correlations: list[Correlation]) -> Iterator[_Queries]:
    with store_file() as path:
        with xpubsub.connect(path) as broker:
            fill(broker, feed.workload.subscriptions(correlations))
        yield _Queries(feed, correlations, path)


def _scaled(feed: Feed, correlations: list[Correlation], options: Options) -> Iterator[Row]:
    """Figure 16: each plan over the number of queries; with the most of them the whole feed."""
    numbers, fewer = powers(len(correlations)), None
    for number in numbers:
        with _subscribed(feed, correlations[:number]) as queries:
            rows = list(_plans(queries, options))
            yield from rows
            if number == numbers[-1]:
                yield from _flat(rows[0], fewer)
                yield from _whole(queries, options)
            fewer = rows[0]


def _flat(most: Row, fewer: Row | None) -> Iterator[Row]:
    if fewer is not None:
        yield replace(most, name=f"{most.name}, beside fewer queries", plots=(), bar="feeds-flat",
                      baseline=f"{fewer.sizes['queries']:,} queries", baseline_figure=fewer.figure)


def _plans(queries: _Queries, options: Options) -> Iterator[Row]:
    """The first items of the feed."""
    sizes = options.sizes
    slices = {"mmqjp-view": sizes.feed_slice, "mmqjp": sizes.feed_slice}
    if len(queries.correlations) <= sizes.feed_sequential:
        slices["sequential"] = sizes.feed_batch
    for plan, items in slices.items():
        streamed = queries.streamed(queries.feed.first(items), sizes.feed_batch, plan)
        yield replace(queries.row(plan, streamed.rate(), streamed), plots=("feeds",))


def _whole(queries: _Queries, options: Options) -> Iterator[Row]:
    """All items: the rate, whether it goes down while more and more is kept, and how much that is."""
    with queries.opened() as broker:
        streamed = stream(broker, queries.feed, options.sizes.feed_batch)
        kept = state(broker)
    check(streamed, queries.feed, queries.correlations, "the whole feed")
    yield replace(queries.row("all items", streamed.rate(), streamed), bar="feeds")
    first, last = streamed.rate(0, streamed.tenth), streamed.rate(-streamed.tenth)
    yield replace(queries.row("the last tenth of the items", last, streamed), baseline="the first tenth",
                  baseline_figure=first, timings={})
    yield Row("feeds", f"{queries.feed.name}, edges and leaves that are kept", kept["edges"] + kept["leaves"], "rows",
              sizes=kept)


def _channels(options: Options) -> Iterator[Row]:
    """As few channels as the paper's, without the queries of the channel alone, that nobody could deliver."""
    feed = replace(generated(options.sizes.feed_slice, options.seed, FEW_CHANNELS), name="418 channels")
    correlations = deliverable(feed.workload.correlations(options.sizes.feed_queries, options.seed))
    with _subscribed(feed, correlations) as queries:
        streamed = queries.streamed(feed, options.sizes.feed_batch, "mmqjp-view")
        yield queries.row("mmqjp-view", streamed.rate(), streamed)


def _real(options: Options) -> Iterator[Row]:
    """The RSS documents of the archive, if it is there."""
    if options.data is None or not (options.data / f"{ARCHIVE}.tar.gz").exists():
        print(f"  no {ARCHIVE}.tar.gz: --data says in which folder it is", flush=True)
        return
    feed = real(options.data).first(options.sizes.feed_slice)
    correlations = deliverable(feed.workload.correlations(options.sizes.feed_queries, options.seed))
    with _subscribed(feed, correlations) as queries:
        streamed = queries.streamed(feed, _REAL_BATCH, "mmqjp-view")
        yield queries.row("mmqjp-view", streamed.rate(), streamed)
