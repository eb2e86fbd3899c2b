"""The job as a process: `kill -9` at random moments, and signals that ask it to stop."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

import xpubsub
from tests.test_stream_job import letters, rows
from xpubsub.jobs.stream.subscriber_sink import subscriber_file

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


def in_each(directory: Path) -> Counter[tuple[Any, ...]]:
    found: Counter[tuple[Any, ...]] = Counter()
    for name, _ in SUBSCRIPTIONS:
        for line in (directory / subscriber_file(name)).read_text().splitlines():
            row = json.loads(line)
            found[row["message_id"], row["subscription_id"], row["output"]] += 1
    return found


@pytest.mark.parametrize("kind", ["dir", "each"])
def test_killed_at_random_moments(tmp_path: Path, kind: str) -> None:
    for place in (tmp_path / "killed", tmp_path / "calm"):
        prepared(place)
    random, sink, killed = Random(kind), f"{kind}:{tmp_path}/killed/out", 0
    for _ in range(4):
        begun = time.time()
        process = started(tmp_path / "killed", sink)
        wait_for(process, tmp_path / "killed" / "out" / "_manifest.json", begun)
        time.sleep(random.uniform(0, 0.3))
        process.kill()
        killed += process.wait() == -signal.SIGKILL
        if len(list((tmp_path / "killed" / "dead").glob("batch-*"))) == 4:
            break
    assert killed
    for place in ("killed", "calm"):
        ended = started(tmp_path / place, f"{kind}:{tmp_path}/{place}/out", "--once")
        assert ended.wait() in (0, 1), ended.communicate()
    read = rows if kind == "dir" else in_each
    expected = read(tmp_path / "calm" / "out")
    assert len(expected) > 30 and max(expected.values()) == 1
    assert read(tmp_path / "killed" / "out") == expected
    assert letters(tmp_path / "killed" / "dead") == letters(tmp_path / "calm" / "dead")


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
    command = [sys.executable, "-m", "benchmarks.soak", "--seconds", "10", "--rate", "100", "--restarts", "1"]
    done = subprocess.run(command, cwd=Path(__file__).parent.parent, capture_output=True, text=True, check=False)
    print(done.stdout)
    assert done.returncode == 0 and "nothing lost, nothing twice" in done.stdout, done.stderr
