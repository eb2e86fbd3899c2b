"""What each call costs on Spark: jobs, tasks, shuffled bytes and seconds, in a session with default settings.

    python benchmarks/spark_calls.py [--subscriptions 10] [--messages 100] [--master 'local[2]']
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import xpubsub

TRANSFORMATION = "for $a in //a where $a/b = 3 return <o>{ $a/b }</o>"
CORRELATION = "SELECT <p>{ $x }</p> FROM S//a AS $x [b AS $v] FOLLOWED BY { $v = $w, 100s } S//a AS $y [b AS $w]"
BEFORE: dict[str, tuple[str, str]] = {
    "connect to a new store": ("24", "29"), "subscribe_many": ("130", "36"), "subscribe, one more": ("150", "18"),
    "publish": ("21", "3 to 6"), "publish with a transformation": ("138", "50"),
    "publish with a correlation": ("", "62"), "publish_frame with a correlation": ("", "92"),
    "unsubscribe one": ("13", "2"), "stats": ("32", "3"), "gc": ("264", "31"),
}
"""Jobs and seconds before the store was kept by the driver, on the same machine with some other load."""


@dataclass
class Meter:
    """Counts what Spark does during a call."""

    session: Any

    def measure(self, name: str, call: Callable[[], Any]) -> Any:
        """Run a call and print its row."""
        context = self.session.sparkContext
        tracker, store = context.statusTracker(), context._jsc.sc().statusStore()
        first, started = self._jobs(), time.perf_counter()
        value = call()
        seconds = time.perf_counter() - started
        time.sleep(0.2)
        jobs = range(first, self._jobs())
        infos = [info for job in jobs if (info := tracker.getJobInfo(job)) is not None]
        stages = {stage for info in infos for stage in info.stageIds}
        tasks = sum(info.numTasks for stage in stages if (info := tracker.getStageInfo(stage)) is not None)
        shuffled = sum(int(store.lastStageAttempt(stage).shuffleWriteBytes()) for stage in stages)
        before = " | ".join(BEFORE.get(name, ("", "")))
        print(f"| {name} | {before} | {len(jobs)} | {tasks} | {shuffled:,} | {seconds:.2f} |", flush=True)
        return value

    def _jobs(self) -> int:
        return int(self.session.sparkContext._jsc.sc().dagScheduler().numTotalJobs())


def main() -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subscriptions", type=int, default=10)
    parser.add_argument("--messages", type=int, default=100)
    parser.add_argument("--master", default="local[2]")
    given = parser.parse_args()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master(given.master).config("spark.ui.showConsoleProgress", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session.range(1).count()
    print("| call | jobs before | seconds before | jobs | tasks | shuffled bytes | seconds |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        _measure(Meter(session), folder, given)
    session.stop()


def _measure(meter: Meter, folder: str, given: argparse.Namespace) -> None:
    messages = [(f"m{n}", f"<a><b>{n % 12}</b><c/></a>") for n in range(given.messages)]
    rows = [(f"s{n}", f"//a[b = {n}]/c") for n in range(given.subscriptions)]
    broker = meter.measure("connect to a new store", lambda: xpubsub.connect(f"{folder}/store", spark=meter.session))
    meter.measure("subscribe_many", lambda: broker.subscribe_many(rows))
    meter.measure("subscribe, one more", lambda: broker.subscribe("one", "//a/b > 5"))
    frame = meter.session.createDataFrame(messages, "id string, xml string")
    _publish(meter, broker, messages, "publish")
    lazy = meter.measure("publish_frame", lambda: broker.publish_frame(frame))
    for name in ("its rows, first", "its rows, warm"):
        meter.measure(name, lazy.toArrow)
    broker.subscribe("t", TRANSFORMATION)
    _publish(meter, broker, messages, "publish with a transformation")
    broker.subscribe("c", CORRELATION)
    _publish(meter, broker, messages, "publish with a correlation")
    meter.measure("publish_frame with a correlation", lambda: broker.publish_frame(frame))
    meter.measure("list", broker.list)
    meter.measure("stats", broker.stats)
    meter.measure("unsubscribe one", lambda: broker.unsubscribe(["one"]))
    meter.measure("gc", broker.gc)
    broker.close()


def _publish(meter: Meter, broker: xpubsub.Broker, messages: list[tuple[str, str]], name: str) -> None:
    """Publish by both plans: the first time, and warm, after a second time."""
    for plan, shown in {"partition": name, "sql": f"{name}, plan sql"}.items():
        publish = partial(broker.publish, messages, plan=plan)
        meter.measure(f"{shown}, first", publish)
        publish()
        meter.measure(shown, publish)


if __name__ == "__main__":
    main()
