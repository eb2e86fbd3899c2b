"""Subscribing and unsubscribing: one call, all of it or nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter

import pyarrow as pa

from xpubsub.errors import RowErrors
from xpubsub.jobs.arranging import arrange
from xpubsub.jobs.compiling import compiling, compiling_in_parallel
from xpubsub.jobs.join_state import shrink
from xpubsub.jobs.paths import match_new_linear_paths
from xpubsub.limits import Limits
from xpubsub.plan.flows import STREAM_FLOW, cycles
from xpubsub.plan.subscribe import ADDED, KINDS, REMOVED, REMOVED_KINDS, Kinds
from xpubsub.shred.compiled import OUTPUTS
from xpubsub.shred.subscriptions import Compiler
from xpubsub.step import file_step
from xpubsub.store.store import Store


@dataclass(frozen=True)
class SubscribeForm:
    """What all subscriptions of a call have in common."""

    namespaces: dict[str, str]
    dialect: str
    stream: str

    def row(self) -> dict[str, str]:
        """As the store keeps it."""
        namespaces = json.dumps(self.namespaces, sort_keys=True)
        return {"dialect": self.dialect, "namespaces": namespaces, "stream": self.stream}


def subscribe(
    store: Store, incoming: pa.Table, form: SubscribeForm, limits: Limits,
    progress: Callable[[int], None] | None = None,
) -> int:
    """Add the rows (row_no, subscription_id, text); returns how many were not there before."""
    compiler = Compiler(form.namespaces, form.dialect, limits)
    with store.call("subscribe", subscriptions=incoming.num_rows, **form.row()):
        store.engine.load("incoming", incoming)
        store.engine.load("asked", incoming.select(["subscription_id"]))
        compiled = compiling(compiler, None) if store.engine.DISTRIBUTED else compiling_in_parallel(compiler, progress)
        store.engine.split_arrow(incoming, compiled, OUTPUTS)
        store.run(*store.visible_asked())
        kinds = Kinds(**store.rows(KINDS)[0])
        _refuse(store, kinds)
        store.run(*kinds.new)
        for step in kinds.collisions:
            store.refuse_collisions(step)
        match_new_linear_paths(store, limits)
        arrange(store)
        store.append(*kinds.appends)
        return int(store.rows(ADDED)[0]["added"])


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


def _refuse(store: Store, kinds: Kinds) -> None:
    conflicts = store.rows(file_step("subscribe_conflict"))
    if kinds.correlations and not conflicts:
        conflicts = cycles(store.rows(STREAM_FLOW))
    if conflicts:
        raise RowErrors(sorted(conflicts, key=itemgetter("row_no")))
