"""Subscribes and unsubscribes; each call is atomic."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter

import pyarrow as pa

from xpubsub.compile.compiled_rows import COMPILED_TABLES, MOST_WARNINGS
from xpubsub.errors import RowErrors
from xpubsub.jobs.arranging import arrange
from xpubsub.jobs.paths import match_new_linear_paths
from xpubsub.jobs.publish.join_state import shrink
from xpubsub.jobs.subscribe.call_options import CallOptions, formed
from xpubsub.jobs.subscribe.compiling import compiling_in_parallel
from xpubsub.jobs.subscribe.incoming import Incoming
from xpubsub.jobs.subscribe.subscribed import Subscribed
from xpubsub.limits import Limits
from xpubsub.plan.flows import STREAM_FLOW, cycles
from xpubsub.plan.subscribe import ADDED, KINDS, REMOVED, REMOVED_KINDS, WARNINGS, Kinds
from xpubsub.step import file_step
from xpubsub.store.store import Store


def subscribe(
    store: Store, incoming: Incoming, form: CallOptions, limits: Limits,
    progress: Callable[[int], None] | None = None,
) -> Subscribed:
    """Add subscriptions; `form` holds for what a row does not give. Returns how many are new, with warnings."""
    given = formed(incoming.rows, form)
    compilers, rows = given.compilers(limits)
    with store.call("subscribe", subscriptions=given.rows.num_rows):
        store.engine.load("incoming", given.rows)
        store.engine.load("incoming_form", given.forms)
        store.engine.load("asked", given.rows.select(["subscription_id"]))
        store.engine.split_arrow(rows, compiling_in_parallel(compilers, progress), COMPILED_TABLES)
        store.run(*store.visible_asked())
        kinds = Kinds(**store.rows(KINDS)[0])
        _refuse(store, kinds, incoming.refused)
        store.run(*kinds.new)
        for step in kinds.collisions:
            store.refuse_collisions(step)
        match_new_linear_paths(store, limits)
        arrange(store)
        store.append(*kinds.appends)
        return _subscribed(store, kinds)


def _subscribed(store: Store, kinds: Kinds) -> Subscribed:
    rows = store.rows(WARNINGS) if kinds.warnings else []
    told = [f"{row['subscription_id']}: {row['warning']}" for row in rows if row["warning"] is not None]
    more = sum(row["count"] for row in rows) - len(told[:MOST_WARNINGS])
    return Subscribed(store.rows(ADDED)[0]["added"], told[:MOST_WARNINGS], more)


def unsubscribe(store: Store, ids: list[str]) -> list[str]:
    """Remove visible subscriptions; returns the ids that were removed."""
    with store.call("unsubscribe", subscriptions=len(ids)):
        store.engine.load("asked", pa.table({"subscription_id": pa.array(ids, pa.string())}))
        store.run(*store.visible_asked(), file_step("new_unsubscription"))
        store.engine.append("unsubscription", REMOVED)
        removed = store.rows(REMOVED_KINDS)
    if any(row["kind"] == "correlation" for row in removed):
        shrink(store)
    return [row["subscription_id"] for row in removed]


def _refuse(store: Store, kinds: Kinds, refused: list[dict[str, object]]) -> None:
    """Raise `RowErrors` if there are wrong rows, those in `refused` included."""
    conflicts = [*refused, *store.rows(file_step("subscribe_conflict"))]
    if kinds.correlations and not conflicts:
        conflicts = cycles(store.rows(STREAM_FLOW))
    if conflicts:
        raise RowErrors(sorted(conflicts, key=itemgetter("row_no")))
