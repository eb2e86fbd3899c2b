"""The state that correlations keep of messages: added after each batch, dropped once no window reaches it."""

from __future__ import annotations

import math

from xpubsub.jobs.publish.clocks import StreamReads, load_reads, move_clocks, read_clocks
from xpubsub.limits import Limits
from xpubsub.plan.clocks import BATCH_CLOCK, CLOCK
from xpubsub.plan.join_state import COUNTS, LONGEST_FINITE_REACH, LONGEST_REACH, STATE_ADDED, STILL_KEPT, WITHOUT_GONE
from xpubsub.step import Step, file_step
from xpubsub.store.gc import STATE
from xpubsub.store.store import Store

_SLACK = 0.2
"""The share of dropped messages at which the tables are rewritten without them."""
_FOREVER = 1e308
_MOVES = 250
"""How many clock rows may be appended before their table is rewritten."""


def keep(store: Store, limits: Limits, reads: StreamReads, stream: str) -> None:
    """Keep the batch's messages, drop those that no window reaches any more, and store the stream's clock last."""
    store.engine.shared.batches += 1
    clocks = read_clocks(store)
    moved = _moved(store, clocks, reads, stream)
    store.engine.load("stream_least", reads.least({**clocks, **moved}))
    store.run(file_step("expired_message", reused=True, horizon=_horizon(store, LONGEST_REACH, limits)))
    store.append(*STATE_ADDED)
    if moved:
        move_clocks(store, moved.items())
    _tidy(store)


def pass_by(store: Store, reads: StreamReads, stream: str, at: float) -> None:
    """Move a stream's clock for a message of which correlations bind no node, so that nothing of it is kept."""
    if stream in reads.streams and at > read_clocks(store).get(stream, -math.inf):
        store.engine.shared.batches += 1
        with store.engine.transaction():
            move_clocks(store, [(stream, at)])
            _tidy(store)


def _tidy(store: Store) -> None:
    """Rewrite tables of which much is dropped."""
    [counts] = store.rows(COUNTS)
    if counts["gone"] > _SLACK * counts["kept"]:
        store.engine.replace(WITHOUT_GONE)
    elif counts["clocks"] > _MOVES:
        store.engine.replace({"stream_clock": CLOCK})


def _moved(store: Store, clocks: dict[str, float], reads: StreamReads, stream: str) -> dict[str, float]:
    """Return the new clock of the batch's stream, or nothing if the batch does not move it."""
    newest = store.rows(BATCH_CLOCK)[0]["time"] if stream in reads.streams else None
    return {} if newest is None or newest <= clocks.get(stream, -math.inf) else {stream: newest}


def _horizon(store: Store, reach: Step, limits: Limits) -> str:
    """Return how much older than the earliest clock a kept message may be, as a number in SQL."""
    longest = float(store.rows(reach)[0]["reach"] or 0.0)
    horizon = longest + (longest if limits.lateness is None else limits.lateness)
    return repr(horizon if math.isfinite(horizon) else _FOREVER)


def kept_stats(store: Store, limits: Limits) -> dict[str, int]:
    """Return counts of kept rows, and how many only INF windows need; empty without correlations."""
    with store.engine.pipeline():
        store.run(*store.visible(), file_step("correlation_wanted", reused=True), *STILL_KEPT)
        store.engine.load("stream_least", load_reads(store).least(read_clocks(store)))
        horizon = _horizon(store, LONGEST_FINITE_REACH, limits)
        rows = store.rows(file_step("stats_kept", horizon=horizon))
    counts = {row["name"]: int(row["amount"]) for row in rows}
    return counts if counts["correlations"] else {}


def shrink(store: Store) -> None:
    """Drop kept rows that no visible correlation needs."""
    with store.engine.pipeline(), store.engine.transaction():
        store.run(*store.visible(), file_step("live_correlation"), file_step("live_witness", reused=True))
        store.engine.replace(STATE)
