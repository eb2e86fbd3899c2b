"""NASA (Tian 2004, section 5.2): nested documents and branching subscriptions, beside a loop over lxml's XPaths."""

from __future__ import annotations

from collections.abc import Iterator

import xpubsub
from benchmarks.baselines import lxml_loop
from benchmarks.checking import check_sample
from benchmarks.measuring import once, warm
from benchmarks.options import Options
from benchmarks.rows import Row
from benchmarks.stores import stored
from benchmarks.workloads.nasa import Nasa, nasa


def measure(options: Options) -> Iterator[Row]:
    """All rows of the part."""
    sizes = options.sizes
    grown = nasa(sizes.nasa_documents, max(sizes.nasa_grown, sizes.nasa_subscriptions), options.seed)
    workload = grown.first(sizes.nasa_subscriptions)
    with stored(workload.subscriptions) as (broker, seconds):
        for row in _measure(broker, workload, seconds, options.runs):
            yield row
    yield _grown(grown, row.figure, options.runs)


def _measure(broker: xpubsub.Broker, workload: Nasa, seconds: float, runs: int) -> Iterator[Row]:
    rate = workload.subscriptions.num_rows / seconds
    yield Row("nasa", "subscribe_many", rate, "1/s", sizes=workload.sizes, more_is_better=True)
    first = once(lambda: broker.publish(workload.messages))
    sizes = {**workload.sizes, "notifications": first.value.notifications.num_rows}
    yield Row("nasa", "publish, the first", first.median, "s", sizes=sizes, timings=first.value.timings)
    again = warm(lambda: broker.publish(workload.messages), runs)
    loop = lxml_loop.measure(workload.messages, workload.first_texts(lxml_loop.SAMPLE[0]))
    check_sample(again.value.notifications, loop.matches, loop.messages, loop.subscriptions, "nasa, lxml")
    yield Row("nasa", "publish", again.median, "s", sizes=sizes, baseline="lxml loop, scaled",
              baseline_figure=loop.scaled(**workload.sizes), faster=True, bar="nasa", timings=again.value.timings,
              plots=("steps",))


def _grown(workload: Nasa, before: float, runs: int) -> Row:
    with stored(workload.subscriptions) as (broker, _):
        measured = warm(lambda: broker.publish(workload.messages), runs)
        sizes = {**workload.sizes, "notifications": measured.value.notifications.num_rows}
        return Row("nasa", "publish, grown", measured.median, "s", sizes=sizes, baseline="publish before growing",
                   baseline_figure=before, bar="growth", timings=measured.value.timings, plots=("steps",))
