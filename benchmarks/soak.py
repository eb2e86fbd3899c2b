"""A soak of the streaming job: messages, bad messages, changed subscriptions, restarts and kills, for minutes.

    python -m benchmarks.soak [--seconds 600] [--rate 200]

The job runs as a process of its own on a directory that fills. Subscriptions change while it runs, through its control
socket, and between runs. Every now and then it is killed (`kill -9`) or asked to stop, and started again. In the end
nothing may be lost and nothing delivered twice: the dead letters are the bad messages, and on a sample of messages lxml
says which notifications there must be. The memory of the process is printed, with its slope from the 15th second of
each run, per minute and per thousand batches.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pyarrow.parquet as pq
from lxml import etree

import xpubsub

SYMBOLS = 50
BAD = 20
"""One message of this many is no XML."""
SAMPLE = 300
_WARM = 15.0
"""Seconds after which the memory of a run should be flat."""
STEADY = [(f"s{number}", f"/tick[symbol = 'y{number % SYMBOLS}']/price > {number % 97}") for number in range(500)]
"""Subscriptions that stay."""


def message(number: int) -> str:
    """Return a message by its number."""
    random = Random(number)
    text = f"<tick><symbol>y{random.randrange(SYMBOLS)}</symbol><price>{random.randrange(100)}</price></tick>"
    return text[: random.randrange(1, len(text))] if number % BAD == 0 else text


class Job:
    """The job's process, and the samples of its memory."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._process: subprocess.Popen[bytes] | None = None
        self.memory: list[list[tuple[float, float, int]]] = []
        """For each run: seconds since its start, megabytes, and the last batch."""

    def start(self, *options: str) -> None:
        """Start the job."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "xpubsub", "stream", str(self._place / "store"), "--source", f"dir:{self._place}/in",
             "--sink", f"dir:{self._place}/out", "--dead-letters", f"dir:{self._place}/dead", "--max-messages", "500",
             *options], stderr=subprocess.PIPE)
        self._begun, self._first, self._since = time.monotonic(), self.last, time.time()
        self.memory.append([])

    @property
    def working(self) -> bool:
        """Whether this run listens to signals and to other processes; it may have nothing to deliver."""
        try:
            return self.last > self._first or (self._place / "store.sock").lstat().st_ctime > self._since
        except FileNotFoundError:
            return False

    def sample(self) -> None:
        """Record the memory of the process."""
        if self._process is None or self._process.poll() is not None:
            raise SystemExit(f"the job has ended: {self._process and self._process.communicate()[1].decode()}")
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii").split()[1])
        self.memory[-1].append((time.monotonic() - self._begun, pages * 4096 / 1e6, self.last))

    @property
    def last(self) -> int:
        """The last batch that was delivered."""
        manifest = self._place / "out" / "_manifest.json"
        return int(json.loads(manifest.read_text(encoding="utf-8"))["last"]) if manifest.exists() else 0

    def end(self, number: signal.Signals | None = None) -> None:
        """Send a signal, and wait for the end of the process; a job that is asked to stop must end with 0."""
        assert self._process is not None
        while number == signal.SIGTERM and not self.working and self._process.poll() is None:
            time.sleep(0.05)
        if number is not None:
            self._process.send_signal(number)
        said = self._process.communicate()[1]
        if self._process.returncode not in ((-signal.SIGKILL,) if number == signal.SIGKILL else (0, 1)):
            raise SystemExit(f"the job ended with {self._process.returncode}: {said.decode()}")


def filled(directory: Path, rate: float, seconds: float) -> Iterator[int]:
    """Write messages at a rate, each by a rename; yield how many there are, several times a second."""
    begun, number = time.monotonic(), 0
    while (passed := time.monotonic() - begun) < seconds:
        while number < rate * passed:
            partial = directory / f"{number:08d}.part"
            partial.write_text(message(number), encoding="utf-8")
            partial.rename(directory / f"{number:08d}.xml")
            number += 1
        yield number
        time.sleep(0.05)


def changed(place: Path, turn: int) -> None:
    """Change subscriptions; through the job's socket if it runs."""
    with xpubsub.connect(place / "store") as broker:
        broker.subscribe_many([(f"churn-{turn}-{n}", f"/tick/price = {n}") for n in range(100)])
        broker.unsubscribe([f"churn-{turn - 1}-{n}" for n in range(100)])


def judged(place: Path, amount: int) -> None:
    """Compare what was delivered with what lxml says, on a sample, and look for anything lost or twice."""
    table = pq.read_table(place / "out")
    found = Counter(zip(table["message_id"].to_pylist(), table["subscription_id"].to_pylist(), strict=True))
    assert max(found.values()) == 1, "a notification was delivered twice"
    dead = Counter(pq.read_table(place / "dead")["message_id"].to_pylist())
    assert dead == Counter(f"{number:08d}.xml" for number in range(0, amount, BAD)), "dead letters"
    tests = {name: etree.XPath(text) for name, text in STEADY}
    sample = sorted(Random(1).sample(range(amount), min(SAMPLE, amount)))
    for number in (each for each in sample if each % BAD):
        tree, name = etree.fromstring(message(number)), f"{number:08d}.xml"
        expected = {each for each, test in tests.items() if test(tree)}
        delivered = {each for id, each in found if id == name and not each.startswith("churn-")}
        assert delivered == expected, f"message {name}: {delivered ^ expected}"
    print(f"{amount} messages, {len(found)} notifications, {len(dead)} dead letters: nothing lost, nothing twice")


def slopes(memory: list[tuple[float, float, int]]) -> tuple[float, float]:
    """Return the growth of memory in MB per minute and per 1,000 batches, once the job is warm; nan for a short run."""
    later = np.array([each for each in memory if each[0] > _WARM])
    if len(later) < 3 or later[0, 2] == later[-1, 2]:
        return float("nan"), float("nan")
    return tuple(float(np.polyfit(later[:, x], later[:, 1], 1)[0] * per) for x, per in ((0, 60), (2, 1000)))  # type: ignore[return-value]


def main() -> None:
    """Run the soak."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--rate", type=float, default=200, help="messages per second")
    parser.add_argument("--restarts", type=int, default=12)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="xpubsub-soak-") as folder:
        place = Path(folder)
        (place / "in").mkdir()
        with xpubsub.connect(place / "store") as broker:
            broker.subscribe_many(STEADY)
        soak(place, arguments.seconds, arguments.rate, arguments.restarts)


def soak(place: Path, seconds: float, rate: float, restarts: int) -> None:
    """Fill the directory while the job is ended and started again, then judge."""
    job, turn, churned, amount, begun = Job(place), 0, 0, 0, time.monotonic()
    job.start()
    for written in filled(place / "in", rate, seconds):
        amount = written
        job.sample()
        part = (time.monotonic() - begun) * (restarts + 1) / seconds
        if part > churned + 0.5 and job.working:
            churned += 1
            changed(place, 1000 + churned)
        if turn < restarts and part > turn + 1:
            turn += 1
            job.end(signal.SIGKILL if turn % 2 else signal.SIGTERM)
            changed(place, turn)
            job.start()
    job.end(signal.SIGTERM)
    job.start("--once")
    job.end()
    for run in filter(None, job.memory[:-1]):
        a_minute, a_thousand = slopes(run)
        print(f"run of {run[-1][0]:5.1f} s: {run[-1][1]:6.0f} MB, {a_minute:+7.1f} MB/minute,"
              f" {a_thousand:+7.1f} MB/1,000 batches")
    judged(place, amount)


if __name__ == "__main__":
    main()
