"""Endless: documents cut into units while they are read, after Figures 7, 8 and 9 of Wei 2006, and a large one."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import xpubsub
from benchmarks import large
from benchmarks.options import Options
from benchmarks.rows import Row
from benchmarks.workloads.persons import write_persons
from xpubsub.limits import Limits
from xpubsub.shred.units import Unit, UnitCutter

Q3 = "for $a in //person, $b in $a//name return $a, $b"
Q6 = "for $a in /root/person, $b in $a/name return $a, $b"
DELAYS = range(5)
RECURSIVE = (20, 40, 60, 80, 100)
FLAT = (1, 2, 3, 4, 5, 6, 7)
"""Sevenths of the largest document without recursion: 6 to 42 MB."""
_CHUNK = 1 << 20
_MOST_TESTED = 3_000
"""Megabytes times subscriptions that iterparse is given at most."""


def measure(options: Options) -> Iterator[Row]:
    """All rows of the part."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "persons.xml"
        yield from _delays(path, options)
        for percent in RECURSIVE:
            write_persons(path, options.sizes.endless_recursive, options.seed, percent / 100)
            yield _plans(path, Q3, f"Q3, {percent}% recursive", {"percent": percent}, "endless over recursion", options)
        for part in FLAT:
            megabytes = options.sizes.endless_flat * part / max(FLAT)
            write_persons(path, megabytes, options.seed)
            sizes = {"megabytes": megabytes}
            yield _plans(path, Q6, f"Q6, {megabytes:.1f} MB", sizes, "endless over megabytes", options)
        yield _cutting(path, options)
        yield from _large(path, options)


def _delays(path: Path, options: Options) -> Iterator[Row]:
    """Figure 7: the average number of tokens buffered if a join is invoked some tokens later than it could be."""
    units = write_persons(path, options.sizes.endless_recursive, options.seed, 0.5)
    tokens = list(_tokens(path))
    for delay in DELAYS:
        yield Row("endless", f"tokens buffered, {delay} late", average_held(tokens, delay), "tokens",
                  sizes={"delay": delay, "units": units}, plots=("endless over delay",))


def _tokens(path: Path) -> Iterator[int]:
    """Yield the number of tokens of each unit."""
    return (unit.tokens for unit in _units(path, count_tokens=True))


def _units(path: Path, *, count_tokens: bool = False) -> Iterator[Unit]:
    cutter = UnitCutter(["/root/person"], Limits(), count_tokens=count_tokens)
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield from cutter.feed(chunk)


def average_held(units: list[int], delay: int) -> float:
    """The tokens held after each token, on average, if a unit is purged `delay` tokens after its end."""
    held, after = 0, sum(units)
    for tokens in units:
        after -= tokens
        held += tokens * (tokens - 1) // 2 + tokens * min(delay, after)
    return held / sum(units)


def _plans(path: Path, query: str, name: str, sizes: dict[str, float], plot: str, options: Options) -> Row:
    """Figures 8 and 9: the plan that removes duplicates only where tuples may repeat, beside one that always does.

    All is done in this process, so that its CPU time can be compared: what one plan saves is less than the noise of
    other times.
    """
    with xpubsub.connect(":memory:", limits=Limits(max_processes=1)) as broker:
        broker.subscribe("q", query)

        def run(plan: str) -> tuple[float, int]:
            started = time.process_time()
            found = sum(result.notifications.num_rows for result in broker.publish_stream(path, plan=plan))
            return time.process_time() - started, found

        runs = [(run("auto"), run("no-claims")) for _ in range(options.runs)]
    if len(notifications := {found for pair in runs for _, found in pair}) > 1:
        raise AssertionError(f"{name}: {notifications} notifications")
    aware, always = (statistics.median(pair[plan][0] for pair in runs) for plan in range(2))
    return Row("endless", name, aware, "s of CPU", sizes={**sizes, "notifications": notifications.pop()},
               baseline="duplicates removed everywhere", baseline_figure=always, plots=(plot,))


def _cutting(path: Path, options: Options) -> Row:
    """What cutting costs, which one process has to do, beside everything: the bound of reading in parallel."""
    units = write_persons(path, options.sizes.endless_flat, options.seed, 0.2)
    with xpubsub.connect(":memory:", limits=Limits(max_processes=1)) as broker:
        broker.subscribe_many(large.subscriptions(options.sizes.endless_subscriptions))
        everything = _cpu(lambda: sum(1 for _ in broker.publish_stream(path, "/root/person")))
    cutting = _cpu(lambda: sum(1 for _ in _units(path)))
    sizes: dict[str, float] = {
        "megabytes": options.sizes.endless_flat, "units": units, "subscriptions": options.sizes.endless_subscriptions}
    return Row("endless", "cutting into units", cutting, "s of CPU", sizes=sizes, baseline="publish_stream",
               baseline_figure=everything)


def _cpu(action: Callable[[], object]) -> float:
    started = time.process_time()
    action()
    return time.process_time() - started


def _large(path: Path, options: Options) -> Iterator[Row]:
    """A large document, beside its units as separate messages, and a part of it beside lxml's iterparse.

    Each way runs in a process of its own. A loop with 1,000 XPaths takes some eight seconds for a megabyte.
    """
    megabytes = options.sizes.endless_large
    units = write_persons(path, megabytes, options.seed, 0.2)
    sizes: dict[str, float] = {
        "megabytes": megabytes, "units": units, "subscriptions": options.sizes.endless_subscriptions}
    streamed = _in_process("stream", path, options)
    yield _beside("publish", streamed, path, sizes, "endless", options)
    yield Row("endless", "memory", streamed["peak"] / 1e6, "MB", sizes=sizes, bar="endless-memory")
    part = min(megabytes, _MOST_TESTED / options.sizes.endless_subscriptions)
    sizes = {**sizes, "megabytes": part, "units": write_persons(path, part, options.seed, 0.2)}
    streamed = _in_process("stream", path, options)
    yield _beside("iterparse", streamed, path, sizes, "endless-iterparse", options)


def _beside(
    how: str, streamed: dict[str, float], path: Path, sizes: dict[str, float], bar: str, options: Options
) -> Row:
    """`publish_stream` beside another way, which has to find the same."""
    other = _in_process(how, path, options)
    if other["found"] != streamed["found"]:
        raise AssertionError(f"{how} finds {other['found']} matches, publish_stream {streamed['found']}")
    return Row("endless", f"publish_stream beside {how}", streamed["seconds"], "s", sizes=sizes, baseline=how,
               baseline_figure=other["seconds"], faster=True, bar=bar)


def _in_process(how: str, path: Path, options: Options) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.large", how, str(path), str(options.sizes.endless_subscriptions)]
    child = subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=Path(__file__).resolve().parents[2])
    return large.read(child.stdout)
