"""What is kept of messages for correlations: added after each batch, dropped as windows pass."""

from __future__ import annotations

import math

from xpubsub.limits import Limits
from xpubsub.plan.join_state import ADDED, COUNTS, WITHOUT_GONE
from xpubsub.plan.reads import LONGEST_REACH
from xpubsub.step import file_step
from xpubsub.store.gc import STATE
from xpubsub.store.store import Store

_SLACK = 0.2
"""The share of messages that may be gone before the others are written anew without them."""
_FOREVER = 1e308


def keep(store: Store, limits: Limits) -> None:
    """Keep what the batch has brought, and let go what no window reaches any more."""
    longest = float(store.rows(LONGEST_REACH)[0]["reach"] or 0.0)
    horizon = longest + (longest if limits.lateness is None else limits.lateness)
    reach = repr(horizon if math.isfinite(horizon) else _FOREVER)
    store.run(file_step("rdoc_expired", reused=True, horizon=reach))
    store.append(*ADDED)
    [counts] = store.rows(COUNTS)
    if counts["gone"] > _SLACK * counts["kept"]:
        store.engine.replace(WITHOUT_GONE)


def shrink(store: Store) -> None:
    """Let go what no visible correlation asks for."""
    with store.engine.pipeline(), store.engine.transaction():
        store.run(*store.visible(), file_step("live_correlation"), file_step("live_witness", reused=True))
        store.engine.replace(STATE)
