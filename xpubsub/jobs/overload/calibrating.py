"""Measures what reading, joining and writing cost on this machine: the constants of the cost model.

It takes some milliseconds, once for each job that is overloaded. A job then measures how long its batches take, and
scales all costs by one factor; so what counts here is how the constants compare.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable

import pyarrow as pa

from xpubsub.engines.base import Engine
from xpubsub.jobs.overload.spool import write_messages
from xpubsub.limits import Limits
from xpubsub.match.path_matches import LinearUse
from xpubsub.match.uses import COPY, EXISTS
from xpubsub.plan.spilling import CALIBRATING_JOIN
from xpubsub.shred.messages import MessageShredder
from xpubsub.shred.tagpaths import TagPathCache
from xpubsub.spill.cost import CostConstants

_PARTS, _INSIDE = 60, 10
"""The elements of the message that is read, and of each of these."""
_ELEMENTS = 1 + _PARTS * (1 + _INSIDE)
_TOKENS = 2 * _ELEMENTS + _PARTS * _INSIDE
"""Start tags, end tags and texts."""
_MESSAGE = b"<r>" + (b"<p>" + b"<x>text</x>" * _INSIDE + b"</p>") * _PARTS + b"</r>"
_ROWS = 4_000
"""The rows of either side of the join."""
_WRITTEN = 50
"""How often the message is written."""
_RUNS = 3
_LEAST = 1e-10
"""No operation is free."""


def measured_constants(engine: Engine) -> CostConstants:
    """Return the seconds that operations take; of some runs the shortest counts."""
    unused, copied = _shredding({"/r": EXISTS}), _shredding({"/r": COPY})
    skipped, roots = _shredding({"/r": EXISTS}, "/r"), _shredding({"/r": EXISTS}, "/r/p")
    found = _shredding({"/r": EXISTS, "/r/p": EXISTS, "/r/p/x": EXISTS})
    join = max(_joining(engine, _ROWS) - _joining(engine, 1), 0.0) / (4 * _ROWS)
    messages = [(1, "m", _MESSAGE)] * _WRITTEN
    return CostConstants(
        c_transit=max(_LEAST, (found - unused) / _ELEMENTS), c_join=max(_LEAST, join), c_stack=max(_LEAST, join),
        c_io=0.0, c_token=max(_LEAST, copied / _TOKENS), c_skip=max(_LEAST, skipped / _TOKENS),
        c_root=max(_LEAST, (roots - skipped) / _PARTS),
        c_keep=max(_LEAST, _shortest(lambda: write_messages(messages, io.BytesIO())) / (_WRITTEN * _TOKENS)))


def _shredding(uses: dict[str, int], *spilled: str) -> float:
    """Return how long reading the message takes if paths are used in some ways."""
    limits = Limits()
    cache = TagPathCache(
        {}, lambda: {path: LinearUse(use) for path, use in uses.items()}, limits, copying=COPY in uses.values())
    cache.spill(spilled)

    def shred() -> None:
        shredder = MessageShredder(cache, limits)
        shredder.shred([(1, "m", _MESSAGE)])
        shredder.nodes()

    return _shortest(shred)


def _joining(engine: Engine, rows: int) -> float:
    """Return how long it takes to join as many bindings with as many branches, from Arrow to rows in Python."""
    bindings = pa.table({"event_id": pa.array([1] * rows, pa.int64()), "node_id": pa.array(range(rows), pa.int32())})

    def join() -> None:
        with engine.pipeline():
            engine.load("calibrating_base", bindings)
            engine.load("calibrating_branch", bindings)
            engine.fetch(CALIBRATING_JOIN).to_pylist()

    return _shortest(join)


def _shortest(action: Callable[[], object]) -> float:
    seconds = []
    for _ in range(_RUNS):
        started = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - started)
    return min(seconds)
