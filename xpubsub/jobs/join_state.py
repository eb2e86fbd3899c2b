"""What is kept of messages for correlations: added after each batch, dropped as windows pass."""

from __future__ import annotations

import math

from xpubsub.limits import Limits
from xpubsub.plan.join_state import ADDED, COUNTS, KEPT, LONGEST_FINITE_REACH, LONGEST_REACH, WITHOUT_GONE
from xpubsub.step import Step, file_step
from xpubsub.store.gc import STATE
from xpubsub.store.store import Store

_SLACK = 0.2
"""The share of messages that may be gone before the others are written anew without them."""
_FOREVER = 1e308


def keep(store: Store, limits: Limits) -> None:
    """Keep what the batch has brought, and let go what no window reaches any more."""
    store.engine.shared.batches += 1
    store.run(file_step("rdoc_expired", reused=True, horizon=_horizon(store, LONGEST_REACH, limits)))
    store.append(*ADDED)
    [counts] = store.rows(COUNTS)
    if counts["gone"] > _SLACK * counts["kept"]:
        store.engine.replace(WITHOUT_GONE)


def _horizon(store: Store, reach: Step, limits: Limits) -> str:
    """How much older than the newest message one may be to be kept, as a number in SQL."""
    longest = float(store.rows(reach)[0]["reach"] or 0.0)
    horizon = longest + (longest if limits.lateness is None else limits.lateness)
    return repr(horizon if math.isfinite(horizon) else _FOREVER)


def kept_stats(store: Store, limits: Limits) -> dict[str, int]:
    """What is kept, by name, and how much of it for windows without an end alone; nothing without correlations."""
    with store.engine.pipeline():
        store.run(*store.visible(), file_step("correlation_wanted", reused=True), *KEPT)
        horizon = _horizon(store, LONGEST_FINITE_REACH, limits)
        rows = store.rows(file_step("stats_kept", horizon=horizon))
    counts = {row["name"]: int(row["amount"]) for row in rows}
    return counts if counts["correlations"] else {}


def shrink(store: Store) -> None:
    """Let go what no visible correlation asks for."""
    with store.engine.pipeline(), store.engine.transaction():
        store.run(*store.visible(), file_step("live_correlation"), file_step("live_witness", reused=True))
        store.engine.replace(STATE)
