"""Processes for tests, forked from a server that has imported what they need, which takes a new one a second."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["__main__", "tests.killed_job", "tests.kafka_child"])


def _run(script: str, path: str, output: Connection) -> None:
    """Run a script like `python -c`, with the path as its argument."""
    sys.argv = ["-c", path]
    os.dup2(output.fileno(), 1)
    exec(script, {"__name__": "__main__"})


def killed(script: str, path: Path, after: float) -> int:
    """Run a script, kill it some time after it opened the store; returns how many calls it finished for sure."""
    here, there = FORKS.Pipe(duplex=False)
    process = FORKS.Process(target=_run, args=(script, str(path), there))
    process.start()
    there.close()
    with open(here.fileno(), closefd=False, encoding="utf-8") as said:
        assert said.readline() == "open\n"
        time.sleep(after)
        os.kill(process.pid or 0, signal.SIGKILL)
        finished = said.read().split()
    process.join()
    return len(finished)
