"""What is kept of messages for correlations: added after each batch, dropped as windows pass."""

from __future__ import annotations

import math

from xpubsub.jobs.publish.clocks import StreamReads, load_reads, move_clocks, read_clocks
from xpubsub.limits import Limits
from xpubsub.plan.clocks import BATCH_CLOCK, CLOCK
from xpubsub.plan.join_state import ADDED, COUNTS, KEPT, LONGEST_FINITE_REACH, LONGEST_REACH, WITHOUT_GONE
from xpubsub.step import Step, file_step
from xpubsub.store.gc import STATE
from xpubsub.store.store import Store

_SLACK = 0.2
"""The share of messages that may be gone before the others are written anew without them."""
_FOREVER = 1e308
_MOVES = 250
"""How often clocks may be moved before their table is written anew."""


def keep(store: Store, limits: Limits, reads: StreamReads, stream: str) -> None:
    """Keep what the batch has brought, and let go what no window reaches any more; the stream's clock is kept last."""
    store.engine.shared.batches += 1
    clocks = read_clocks(store)
    moved = _moved(store, clocks, reads, stream)
    store.engine.load("stream_least", reads.least({**clocks, **moved}))
    store.run(file_step("expired_message", reused=True, horizon=_horizon(store, LONGEST_REACH, limits)))
    store.append(*ADDED)
    if moved:
        move_clocks(store, moved.items())
    [counts] = store.rows(COUNTS)
    if counts["gone"] > _SLACK * counts["kept"]:
        store.engine.replace(WITHOUT_GONE)
    elif counts["clocks"] > _MOVES:
        store.engine.replace({"stream_clock": CLOCK})


def _moved(store: Store, clocks: dict[str, float], reads: StreamReads, stream: str) -> dict[str, float]:
    """The clock of the batch's stream if the batch moves it."""
    newest = store.rows(BATCH_CLOCK)[0]["time"] if stream in reads.streams else None
    return {} if newest is None or newest <= clocks.get(stream, -math.inf) else {stream: newest}


def _horizon(store: Store, reach: Step, limits: Limits) -> str:
    """How much older than the least clock a message may be to be kept, as a number in SQL."""
    longest = float(store.rows(reach)[0]["reach"] or 0.0)
    horizon = longest + (longest if limits.lateness is None else limits.lateness)
    return repr(horizon if math.isfinite(horizon) else _FOREVER)


def kept_stats(store: Store, limits: Limits) -> dict[str, int]:
    """What is kept, by name, and how much of it for windows without an end alone; nothing without correlations."""
    with store.engine.pipeline():
        store.run(*store.visible(), file_step("correlation_wanted", reused=True), *KEPT)
        store.engine.load("stream_least", load_reads(store).least(read_clocks(store)))
        horizon = _horizon(store, LONGEST_FINITE_REACH, limits)
        rows = store.rows(file_step("stats_kept", horizon=horizon))
    counts = {row["name"]: int(row["amount"]) for row in rows}
    return counts if counts["correlations"] else {}


def shrink(store: Store) -> None:
    """Let go what no visible correlation asks for."""
    with store.engine.pipeline(), store.engine.transaction():
        store.run(*store.visible(), file_step("live_correlation"), file_step("live_witness", reused=True))
        store.engine.replace(STATE)
