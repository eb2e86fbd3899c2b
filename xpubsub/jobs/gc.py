"""Removes rows that no visible subscription needs, and rearranges predicates by the values seen since."""

from __future__ import annotations

from xpubsub.jobs.arranging import arrange
from xpubsub.plan.arrange import CHAIN_EDGE, KEPT_SUMMARY, LIVE_ALTERNATIVE, LIVE_BRANCH, NO_BUCKET, SUMMARISED
from xpubsub.step import whole
from xpubsub.store.gc import KEPT, LIVE, row_counts
from xpubsub.store.store import Store


def collect(store: Store) -> dict[str, int]:
    """Rewrite the store without unneeded rows; returns the number of rows removed from each table."""
    before = row_counts(store)
    with store.engine.pipeline(), store.engine.transaction():
        store.engine.shared.changes += 1
        store.engine.shared.rewrites += 1
        store.run(*store.visible(), *LIVE)
        arrange(store, NO_BUCKET)
        store.run(LIVE_ALTERNATIVE, LIVE_BRANCH)
        store.engine.replace({**KEPT, "query_predicate": whole(CHAIN_EDGE.name), "query_summary": KEPT_SUMMARY})
    store.engine.compact()
    after = row_counts(store)
    return {table: before[table] - after[table] for table in before if before[table] != after[table]}


def arrange_if_needed(store: Store) -> None:
    """Rearrange the queries of a store that an earlier version has arranged."""
    [counts] = store.rows(SUMMARISED)
    if counts["queries"] and not counts["summaries"]:
        collect(store)
