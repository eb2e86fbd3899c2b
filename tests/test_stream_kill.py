"""The job as a process: `kill -9` at random moments, and signals that ask it to stop."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq
import pytest

import xpubsub
from tests.forks import FORKS
from tests.killed_job import Moment, drawn, main
from tests.test_stream_job import rows

AMOUNT = 24
SUBSCRIPTIONS = [
    ("dear", "//price > 50"), ("cheap/est", "//price < 30"),
    ("pair", "S//tick AS $a [./symbol AS $x] FOLLOWED BY {$x = $y, INF} S//tick AS $b [./symbol AS $y]"),
]


def prepared(place: Path) -> None:
    (place / "in").mkdir(parents=True)
    for number in range(AMOUNT):
        text = f"<tick><symbol>s{number % 5}</symbol><price>{number * 4}</price></tick>" if number % 7 else "<tick>"
        (place / "in" / f"{number:03d}.xml").write_text(text)
    with xpubsub.connect(place / "store") as broker:
        broker.subscribe_many(SUBSCRIPTIONS)


def started(place: Path, sink: str, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "xpubsub", "stream", str(place / "store"), "--source", f"dir:{place}/in", "--sink",
               sink, "--dead-letters", f"dir:{place}/dead", "--max-messages", "2", *options]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def wait_for(process: subprocess.Popen[str], path: Path, changed: float) -> None:
    """Wait until a file has changed, so that a batch is through."""
    until = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < until:
        if path.exists() and path.stat().st_mtime > changed:
            return
        time.sleep(0.005)


KILLS = int(os.environ.get("XPUBSUB_KILLS", "20"))
"""How often each job is killed; a larger number makes for a longer test."""
SOAK = os.environ.get("XPUBSUB_SOAK", "20")
"""Seconds of a soak."""
MORE = 12
"""How many messages are added when a job has read all."""
FILTERS = [("dear", "//price > 50"), ("cheap/est", "//price < 30")]
PAIR = "pair", "S//tick AS $a [./symbol AS $x] JOIN {$x = $y, INF} S//tick AS $b [./symbol AS $y]"
Found = Counter[tuple[int, str, str]]


def tick(number: int) -> str:
    """A message; each seventh is no XML."""
    text = f"<tick><symbol>s{number // 3}</symbol><price>{number}</price></tick>"
    return text if number % 7 else text[:-3]


def told(amount: int, *, pairs: bool) -> Found:
    """What an undisturbed job delivers, worked out by hand; a pair belongs to its later message."""
    good = [number for number in range(1, amount + 1) if number % 7]
    rows: Found = Counter((n, "dear", "") for n in good if n > 50)
    rows.update((n, "cheap/est", "") for n in good if n < 30)
    if pairs:
        rows.update((max(a, b), "pair", f"{a},{b}") for a in good for b in good if a != b and a // 3 == b // 3)
    return rows


class Feed:
    """Messages for one kind of source: files in a directory, lines of a file, or lines that a server sends."""

    def __init__(self, place: Path, kind: str) -> None:
        self._lines, self._inbox, self._kind = place / "lines", place / "in", kind
        self._inbox.mkdir()
        self.amount = 0
        self._server = socket.create_server(("127.0.0.1", 0))
        self.source = {"dir": f"dir:{self._inbox}", "-": "-", "tcp": f"tcp:127.0.0.1:{self._server.getsockname()[1]}"}[kind]
        self.add()
        if kind == "tcp":
            threading.Thread(target=self._serve, daemon=True).start()

    def add(self) -> None:
        """Add messages after those that are there."""
        numbers = range(self.amount + 1, self.amount + MORE + 1)
        with self._lines.open("a", encoding="utf-8") as file:
            file.writelines(f"{tick(number)}\n" for number in numbers)
        for number in numbers:
            (self._inbox / "part").write_text(tick(number))
            (self._inbox / "part").rename(self._inbox / f"m-{number}.xml")
        self.amount = numbers[-1]

    def _serve(self) -> None:
        """Send all lines at each connection, then close it."""
        while self._server.fileno() >= 0:
            with suppress(OSError):
                connection = self._server.accept()[0]
                with connection:
                    connection.sendall(self._lines.read_bytes())

    def close(self) -> None:
        """Stop the server."""
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()


def delivered(place: Path, kind: str) -> Found:
    """The rows in a sink, by the number of the message and the prices in the output."""
    rows = written(place / "out") if kind != "-" else written(place / "standard")
    return Counter((number_of(row), row["subscription_id"], ",".join(re.findall(r"<price>(\d+)", row["output"] or "")))
                   for row in rows)


def written(path: Path) -> list[dict[str, Any]]:
    """The rows of a file, or of all files of a directory."""
    rows = list[dict[str, Any]]()
    for file in sorted(path.iterdir()) if path.is_dir() else [path]:
        if file.suffix == ".parquet":
            rows += pq.read_table(file).to_pylist()
        elif file.suffix == ".jsonl" or file == path:
            rows += [json.loads(line) for line in file.read_text().splitlines()]
    return rows


def number_of(row: dict[str, Any]) -> int:
    return int(row["message_id"].removesuffix(".xml").rpartition("-")[2])


@pytest.mark.parametrize(("source", "sink"), [("dir", "parquet"), ("-", "jsonl"), ("tcp", "each"), ("dir", "-")])
def test_killed_at_random_moments(tmp_path: Path, source: str, sink: str) -> None:
    """One job, killed and started again: nothing is lost, and nothing but the last batch on standard output comes twice."""
    with xpubsub.connect(tmp_path / "store") as broker:
        broker.subscribe_many([*FILTERS, *([PAIR] if sink == "parquet" else [])])
    feed, random, killed, runs = Feed(tmp_path, source), Random(f"{source}{sink}{KILLS}"), 0, 0
    target = {"each": f"each:{tmp_path}/out", "-": "-"}.get(sink, f"dir:{tmp_path}/out")
    options = {"dead_letters": f"dir:{tmp_path}/dead", "format": "parquet" if sink == "parquet" else "jsonl"}
    files = str(tmp_path / "lines"), str(tmp_path / "standard")
    never = Moment(0, 1 << 60, True)
    while killed < KILLS:
        child = FORKS.Process(
            target=main, args=(str(tmp_path / "store"), (feed.source, target), options, files, drawn(random)))
        child.start()
        child.join()
        assert child.exitcode in (0, -signal.SIGKILL)
        killed += child.exitcode == -signal.SIGKILL
        runs += 1
        if child.exitcode == 0:
            feed.add()
        assert runs < 3 * KILLS
    child = FORKS.Process(target=main, args=(str(tmp_path / "store"), (feed.source, target), options, files, never))
    child.start()
    child.join()
    feed.close()
    found, expected = delivered(tmp_path, sink), told(feed.amount, pairs=sink == "parquet")
    if sink == "-":
        assert found.keys() == expected.keys() and sum(found.values()) - len(found) < KILLS * 3 * 8
    else:
        assert found == expected
    dead = Counter(map(number_of, written(tmp_path / "dead")))
    assert dead == Counter(range(7, feed.amount + 1, 7))
    assert not list((tmp_path / "store.stream" / "outbox").iterdir())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_the_job_after_the_batch_under_way(tmp_path: Path, number: signal.Signals) -> None:
    prepared(tmp_path)
    process = started(tmp_path, f"dir:{tmp_path}/out")
    wait_for(process, tmp_path / "out" / "_manifest.json", 0)
    process.send_signal(number)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 0 and "stopping after the batch under way" in said and "Traceback" not in said
    assert not list((tmp_path / "store.stream" / "outbox").iterdir())


def test_a_second_signal_ends_the_job_at_once(tmp_path: Path) -> None:
    prepared(tmp_path)
    script = ("import sys, time; import xpubsub.jobs.stream.directory_sink as sink\n"
              "deliver = sink.DirectorySink.deliver\n"
              "def slow(*given): deliver(*given); time.sleep(60)\n"
              "sink.DirectorySink.deliver = slow\n"
              "from xpubsub.cli import main; main()")
    process = subprocess.Popen(
        [sys.executable, "-c", script, "stream", str(tmp_path / "store"), "--source", f"dir:{tmp_path}/in", "--sink",
         f"dir:{tmp_path}/out"], stderr=subprocess.PIPE, text=True)
    wait_for(process, tmp_path / "out" / "_manifest.json", 0)
    for _ in range(2):
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
    said = process.communicate(timeout=30)[1]
    assert process.returncode == 130 and "interrupted" in said and "Traceback" not in said
    assert os.listdir(tmp_path / "store.stream" / "outbox"), "what is not known to be delivered is still there"
    assert started(tmp_path, f"dir:{tmp_path}/out", "--once").wait() == 0
    found = rows(tmp_path / "out")
    assert max(found.values()) == 1 and {name for _, name, _ in found} == {name for name, _ in SUBSCRIPTIONS}


def test_a_short_soak() -> None:
    """Messages, bad messages, changed subscriptions, a kill and a restart; lxml judges a sample."""
    command = [sys.executable, "-m", "benchmarks.soak", "--seconds", SOAK, "--rate", "60", "--restarts", "2"]
    done = subprocess.run(command, cwd=Path(__file__).parent.parent, capture_output=True, text=True, check=False)
    print(done.stdout)
    assert done.returncode == 0 and "nothing lost, nothing twice" in done.stdout, done.stderr
