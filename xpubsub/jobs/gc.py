"""Reclaiming what no visible subscription needs, and arranging the rest by the values seen since."""

from __future__ import annotations

from xpubsub.jobs.arranging import arrange
from xpubsub.plan.arrange import NO_BUCKET
from xpubsub.store.gc import KEPT, LIVE, row_counts
from xpubsub.store.store import Store


def collect(store: Store) -> dict[str, int]:
    """Rewrite the store without what is not needed; returns the rows removed, by table."""
    before = row_counts(store)
    with store.engine.pipeline(), store.engine.transaction():
        store.engine.shared.changes += 1
        store.run(*store.visible(), *LIVE)
        arrange(store, NO_BUCKET)
        store.engine.replace(KEPT)
    after = row_counts(store)
    return {table: before[table] - after[table] for table in KEPT if before[table] != after[table]}
