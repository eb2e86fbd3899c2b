"""Reclaiming what no visible subscription needs, and arranging the rest by the values seen since."""

from __future__ import annotations

from xpubsub.jobs.arranging import arrange
from xpubsub.plan.arrange import KEPT_PREDICATE, KEPT_SUMMARY, NO_BUCKET
from xpubsub.plan.reads import SUMMARIES
from xpubsub.store.gc import KEPT, LIVE, row_counts
from xpubsub.store.store import Store


def collect(store: Store) -> dict[str, int]:
    """Rewrite the store without what is not needed; returns the rows removed, by table."""
    before = row_counts(store)
    with store.engine.pipeline(), store.engine.transaction():
        store.engine.shared.changes += 1
        store.run(*store.visible(), *LIVE)
        arrange(store, NO_BUCKET)
        store.engine.replace({**KEPT, "query_predicate": KEPT_PREDICATE, "query_summary": KEPT_SUMMARY})
    store.engine.compact()
    after = row_counts(store)
    return {table: before[table] - after[table] for table in before if before[table] != after[table]}


def arrange_if_needed(store: Store) -> None:
    """A store whose queries were arranged by an earlier version is arranged anew, once."""
    [counts] = store.rows(SUMMARIES)
    if counts["queries"] and not counts["summaries"]:
        collect(store)
