"""The delays that subscriptions accept, read again when subscriptions have changed."""

from __future__ import annotations

import pyarrow as pa

from xpubsub.language.durations import seconds_of
from xpubsub.plan.stream import ACCEPTED_DELAYS
from xpubsub.rows import ACCEPTED_DELAY, table_of
from xpubsub.store.store import Store


class AcceptedDelays:
    """Visible subscriptions that state the longest delay they accept."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._changes: int | None = None
        self._table = ACCEPTED_DELAY.empty_table()

    def table(self) -> pa.Table:
        """Return the subscriptions, each with a delay in seconds."""
        changes = self._store.engine.shared.changes
        if self._changes != changes:
            with self._store.engine.pipeline():
                self._store.run(*self._store.visible())
                rows = self._store.rows(ACCEPTED_DELAYS)
            pairs = [(row["subscription_id"], seconds_of(row["max_delay"])) for row in rows]
            self._table, self._changes = table_of(pairs, ACCEPTED_DELAY), changes
        return self._table

    def shortest(self) -> float | None:
        """Return the shortest delay in seconds; None if no subscription states one."""
        table = self.table()
        return min(table["max_delay"].to_pylist()) if table.num_rows else None
