"""Shreds large batches in this process and in helper processes, as many as there are spare cores.

Helpers stay alive between batches. They know the paths of the store, receive messages and return rows; this process
looks up new tag paths that they find. If a helper fails, this process does its work.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate, pairwise
from threading import Thread
from typing import IO, Any

import numpy as np

from xpubsub.collector import collector_paused
from xpubsub.limits import Limits
from xpubsub.match.keys import KeyPaths
from xpubsub.processes import cores, leave_pandas_out, start
from xpubsub.shred.messages import Message, MessageShredder, Shredded
from xpubsub.shred.tagpaths import TagPathCache

BYTES_WORTH_A_PROCESS = 1_000_000
"""Bytes of messages from which on helpers are started, and used once they are ready."""
_SLAB = 4_000_000
"""Bytes of messages sent to each process at a time; they bound memory."""


@dataclass(frozen=True)
class Paths:
    """What another process needs to shred messages: the paths of the store."""

    known: dict[str, int]
    linear: dict[str, Any]
    limits: Limits
    copying: bool = False
    keeping: bool = False
    spilled: tuple[str, ...] = ()
    marking: bool = False
    computed: tuple[str, ...] = ()
    keys: KeyPaths | None = None

    @classmethod
    def of(cls, cache: TagPathCache, limits: Limits) -> Paths:
        """Return the paths that a cache knows."""
        computed = cache.computing.linear_paths if cache.computing is not None else ()
        return cls(dict(cache.known), dict(cache.linear), limits, cache.copying, cache.keeping, cache.spilled,
                   cache.marking, computed, cache.keys)

    def cache(self) -> TagPathCache:
        """Return a cache that knows the paths."""
        cache = TagPathCache(
            self.known, lambda: self.linear, self.limits, copying=self.copying, keeping=self.keeping,
            computed=self.computed, keys=self.keys)
        cache.spill(self.spilled, marking=self.marking)
        return cache


class Shredding:
    """Shreds batches, with helper processes where that is faster."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._helpers: list[_Helper] = []

    def close(self) -> None:
        """Stop the helpers."""
        for helper in self._helpers:
            helper.stop()
        self._helpers.clear()

    def shred(self, shredder: MessageShredder, cache: TagPathCache, messages: Iterable[Message]) -> None:
        """Shred messages into a shredder that uses the cache."""
        most = min(self._limits.max_processes, cores())
        if most <= 1:
            shredder.shred(messages)
            return
        try:
            for slab in _slabs(messages, _SLAB * most):
                self._start(most - 1, slab)
                self._shred(shredder, cache, slab)
        except BaseException:
            self.close()
            raise

    def _start(self, wanted: int, slab: _Slab) -> None:
        self._helpers = [helper for helper in self._helpers if helper.alive]
        if slab.bytes >= BYTES_WORTH_A_PROCESS:
            with suppress(OSError):
                while len(self._helpers) < wanted:
                    self._helpers.append(_Helper())

    def _shred(self, shredder: MessageShredder, cache: TagPathCache, slab: _Slab) -> None:
        """Shred one slab: one part in this process, and one in each helper that is ready."""
        worth = slab.bytes >= BYTES_WORTH_A_PROCESS and slab.plain
        helpers = [helper for helper in self._helpers if helper.ready] if worth else []
        own, *others = slab.parts(len(helpers) + 1)
        for helper, part in zip(helpers, others, strict=True):
            helper.ask(cache, self._limits, part)
        shredder.shred(own)
        for helper, part in zip(helpers, others, strict=True):
            shredded = helper.answer()
            if shredded is None:
                shredder.shred(part)
            else:
                shredder.include(shredded)
                cache.learn(shredded.tagpaths)


@dataclass
class _Slab:
    """The messages that are shredded at a time."""

    messages: list[Message]
    sizes: list[int]

    @property
    def bytes(self) -> int:
        return sum(self.sizes)

    @property
    def plain(self) -> bool:
        """Whether all messages are str or bytes; only such slabs are sent to helpers."""
        return all(type(xml) in (str, bytes) for _, _, xml in self.messages)

    def parts(self, number: int) -> list[list[Message]]:
        """Split the messages into this many parts of about the same size."""
        ends = np.fromiter(accumulate(self.sizes), np.int64, len(self.sizes))
        limits = [ends[-1] * part // number for part in range(1, number)] if len(ends) else []
        places = [0, *np.searchsorted(ends, limits).tolist(), len(self.messages)]
        return [self.messages[low:high] for low, high in pairwise(places)]


def _slabs(messages: Iterable[Message], limit: int) -> Iterator[_Slab]:
    slab, size = _Slab([], []), 0
    for message in messages:
        xml = message[2]
        slab.messages.append(message)
        slab.sizes.append(len(xml) if isinstance(xml, str | bytes) else 0)
        size += slab.sizes[-1]
        if size >= limit:
            yield slab
            slab, size = _Slab([], []), 0
    yield slab


class _Helper:
    """A process that shreds parts of a batch."""

    def __init__(self) -> None:
        self._process = start(__name__, pipe=True)
        self._greeting = Thread(target=self._receive, daemon=True)
        self._greeting.start()
        self._cache: TagPathCache | None = None
        self._spilling: tuple[tuple[str, ...], bool] = (), False

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def ready(self) -> bool:
        """Whether the process has started up."""
        return not self._greeting.is_alive() and self.alive

    def ask(self, cache: TagPathCache, limits: Limits, messages: list[Message]) -> None:
        """Send messages, preceded by the known paths if the process does not have them."""
        spilling = cache.spilled, cache.marking
        if self._cache is not cache or self._spilling != spilling:
            self._cache, self._spilling = cache, spilling
            self._send(Paths.of(cache, limits))
        self._send(messages)

    def answer(self) -> Shredded | None:
        """Return the shredded messages; None if the process failed."""
        answer = self._receive()
        return answer if isinstance(answer, Shredded) else None

    def stop(self) -> None:
        """Kill the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        self._greeting.join()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _send(self, request: object) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):
            _send(self._process.stdin, request)

    def _receive(self) -> object:
        assert self._process.stdout is not None
        with suppress(OSError, EOFError, pickle.PickleError):
            return pickle.load(self._process.stdout)
        self._process.kill()
        return None


def main() -> None:
    """Shred messages from standard input until it ends."""
    leave_pandas_out()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    _send(answers, "ready")
    paths, cache = Paths({}, {}, Limits()), None
    while True:
        try:
            request = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        if isinstance(request, Paths):
            paths, cache = request, request.cache()
        else:
            _send(answers, shredded_by(cache or paths.cache(), paths.limits, request))


def _send(pipe: IO[bytes], thing: object) -> None:
    pipe.write(pickle.dumps(thing, pickle.HIGHEST_PROTOCOL))
    pipe.flush()


def shredded_by(cache: TagPathCache, limits: Limits, messages: list[Message]) -> Shredded:
    """Shred messages in a process that has no store."""
    shredder = MessageShredder(cache, limits)
    with collector_paused():
        shredder.shred(messages)
        return shredder.shredded()
