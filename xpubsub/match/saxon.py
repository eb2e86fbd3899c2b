"""Lets Saxon evaluate queries, in a process of its own that is ended when a query takes too long or too much memory.

One process serves all queries of this one. A crash of Saxon fails the query and message at hand, and nothing else.
"""

from __future__ import annotations

import json
import os
import pickle
import select
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from xpubsub.errors import EngineError
from xpubsub.limits import Limits
from xpubsub.match.saxon_child import EVALUATE, READY, STATIC, Answer
from xpubsub.processes import start

EXTRA = "pip install 'xpubsub[xquery]'"
TOO_LONG, TOO_LARGE, CRASH = "limit-time", "limit-memory", "crash"
"""Codes of errors beside those of XQuery."""
Asked = tuple[bytes, list[str]]
"""A message in UTF-8, and queries to evaluate in it."""
StaticError = tuple[str, str, int, int]
"""Code, reason, line and column."""
_TICK = 0.02
"""Seconds between looks at the clock and at the memory."""
_START = 60.0
_SLAB = 8_000_000
"""Bytes of messages that are sent at a time."""
_CHILD = "xpubsub.match.saxon_child"


def installed() -> bool:
    """Whether Saxon is installed."""
    return find_spec("saxonche") is not None


def static_error(query: str, limits: Limits) -> StaticError | None:
    """Return what is wrong with a query, or None."""
    [found] = _process().ask(STATIC, query, 1, limits)
    if found is not None and len(found) == len(_ended("", limits)):
        return found[1], found[2], 1, 1
    return found  # type: ignore[no-any-return]


def saxon_answers(asked: Sequence[Asked], limits: Limits) -> Iterator[list[Answer]]:
    """Yield the answers to the queries of each message."""
    slab, size = list[Asked](), 0
    for each in asked:
        slab.append(each)
        size += len(each[0])
        if size >= _SLAB:
            yield from _slab_answers(slab, limits)
            slab, size = [], 0
    yield from _slab_answers(slab, limits)


def _slab_answers(slab: list[Asked], limits: Limits) -> Iterator[list[Answer]]:
    """Evaluate some messages; where the process ends, the query at hand has failed, and a new one takes the rest."""
    found = list[Answer]()
    total = sum(len(queries) for _, queries in slab)
    while len(found) < total:
        found += _process().ask(EVALUATE, _rest(slab, len(found)), total - len(found), limits)
    answers = iter(found)
    yield from ([next(answers) for _ in queries] for _, queries in slab)


def _rest(slab: list[Asked], done: int) -> list[Asked]:
    """Return what is left of a slab, once so many queries are answered."""
    rest = []
    for source, queries in slab:
        if done < len(queries):
            rest.append((source, queries[done:]))
        done = max(0, done - len(queries))
    return rest


class SaxonProcess:
    """The process that evaluates queries."""

    def __init__(self) -> None:
        if not installed():
            reason = f"Saxon is not installed here, and some subscriptions need it: {EXTRA}"
            raise EngineError(reason, step="check_held")
        self._process: subprocess.Popen[bytes] = start(_CHILD, pipe=True)
        self._buffer = b""
        self._lock = Lock()
        if self._line(_START, None) != READY:
            self.stop()
            raise EngineError(f"Saxon does not start: see `python -c 'import saxonche'`, or {EXTRA} again",
                              step="check_held")

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def ask(self, kind: str, given: object, answers: int, limits: Limits) -> list[Any]:
        """Ask, and return the answers; fewer if the process ends, the last of them then says why."""
        assert self._process.stdin is not None
        with self._lock:
            with suppress(OSError):
                self._process.stdin.write(pickle.dumps((kind, given, limits.xquery_seconds)))
                self._process.stdin.flush()
            found = list[Answer]()
            while len(found) < answers:
                answer = self._line(limits.xquery_seconds, limits.xquery_memory)
                if isinstance(answer, str):
                    self.stop()
                    return [*found, _ended(answer, limits)]
                found.append(None if answer is None else tuple(answer))
            return found

    def stop(self) -> None:
        """Kill the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _line(self, seconds: float, memory: int | None) -> Any:
        """Return the next answer, or a code if there is none."""
        assert self._process.stdout is not None
        end, pipe = time.monotonic() + seconds, self._process.stdout.fileno()
        while b"\n" not in self._buffer:
            if select.select([pipe], [], [], _TICK)[0]:
                data = os.read(pipe, 1 << 20)
                if not data:
                    return CRASH
                self._buffer += data
            elif time.monotonic() > end:
                return TOO_LONG
            elif memory is not None and self._resident() > memory:
                return TOO_LARGE
        line, _, self._buffer = self._buffer.partition(b"\n")
        return json.loads(line)

    def _resident(self) -> int:
        """Return the memory that the process uses; 0 where that is not known."""
        with suppress(OSError, ValueError, IndexError):
            pages = int(Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii").split()[1])
            return pages * os.sysconf("SC_PAGE_SIZE")
        return 0


def _ended(code: str, limits: Limits) -> tuple[None, str, str]:
    reasons = {TOO_LONG: f"the query takes more than {limits.xquery_seconds:g} seconds (limit xquery_seconds)",
               TOO_LARGE: f"the query takes more than {limits.xquery_memory} bytes of memory (limit xquery_memory)"}
    return None, code, reasons.get(code, "Saxon has crashed")


_RUNNING: dict[int, SaxonProcess] = {}
"""By process, as a fork must not share it."""
_STARTING = Lock()


def _process() -> SaxonProcess:
    with _STARTING:
        found = _RUNNING.get(os.getpid())
        if found is None or not found.alive:
            found = _RUNNING[os.getpid()] = SaxonProcess()
        return found
