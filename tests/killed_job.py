"""A process that runs a streaming job, and kills itself at a call of some function.

What such a process needs is imported here, once: each is forked from a server that has done it.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import pandas  # noqa: F401

import xpubsub
import xpubsub.connecting
from xpubsub.engines.duckdb import DuckDBEngine
from xpubsub.jobs.stream import gathering
from xpubsub.jobs.stream.commits import Commits
from xpubsub.jobs.stream.deliveries import Deliveries
from xpubsub.jobs.stream.numbered_files import NumberedFiles
from xpubsub.jobs.stream.relief import Relief

POINTS: list[tuple[Any, str, int]] = [
    (DuckDBEngine, "_execute", 250), (DuckDBEngine, "_before_commit", 4), (Commits, "add", 4), (os, "fsync", 25),
    (os, "replace", 12), (os, "write", 10), (NumberedFiles, "write", 4), (NumberedFiles, "remove", 4),
    (Deliveries, "prepare", 3), (Deliveries, "deliver", 3), (gathering, "joined_portions", 3),
]
"""Functions, and about how often the first few batches call them."""


class Moment(NamedTuple):
    """When a process ends: at a call of a function, before or after it."""

    point: int
    call: int
    after: bool


def drawn(random: Random) -> Moment:
    """Return any moment of the first few batches."""
    point = random.randrange(len(POINTS))
    return Moment(point, random.randint(1, POINTS[point][2]), random.random() < 0.5)


def dying(function: Callable[..., Any], moment: Moment) -> Callable[..., Any]:
    """Wrap a function so that one of its calls kills the process."""
    calls = 0

    def called(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == moment.call and not moment.after:
            os.kill(os.getpid(), signal.SIGKILL)
        result = function(*arguments, **options)
        if calls >= moment.call:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return called


def main(store: str, given: tuple[str, str], options: dict[str, Any], files: tuple[str, str], moment: Moment) -> None:
    """Run the job until it is killed or has read everything; standard input and output are files."""
    with open(files[0], encoding="utf-8") as sys.stdin, open(files[1], "a", encoding="utf-8") as sys.stdout:
        _run(store, given, options, moment)


def spilling_main(*given: Any) -> None:
    """As `main`; each batch is spilled, whatever the load."""
    Relief.paths = lambda *_: ("/order/note",)  # type: ignore[method-assign]
    main(*given)


def _run(store: str, given: tuple[str, str], options: dict[str, Any], moment: Moment) -> None:
    owner, name, _ = POINTS[moment.point]
    setattr(owner, name, dying(getattr(owner, name), moment))
    with xpubsub.connect(store) as broker:
        broker.stream(*given, once=True, max_messages=3, resume=True, control=False, **options)
