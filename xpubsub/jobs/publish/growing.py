"""Reads tables that are only appended to: each time the rows that came since the last time.

A table is rewritten by garbage collection alone; after that everything is read again.
"""

from __future__ import annotations

import pyarrow as pa

from xpubsub.plan.single import from_row
from xpubsub.step import Step
from xpubsub.store.store import Store


class Growing:
    """How many rows of each step were read already. Each step must read one table, without a condition."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._rewrites = store.engine.shared.rewrites
        self._read: dict[str, int] = {}

    @property
    def valid(self) -> bool:
        """Whether what was read is still in the tables, at the same places."""
        return self._rewrites == self._store.engine.shared.rewrites

    def new(self, step: Step, rows: int | None = None) -> pa.Table:
        """Return the rows that were not read yet.

        - `rows`: how many the table has, if that is known; it is not read if no row is new.
        """
        read = self._read.get(step.name, 0)
        if rows == read:
            return _NOTHING
        table = self._store.engine.fetch(from_row(step), [read])
        self._read[step.name] = read + table.num_rows
        return table


_NOTHING = pa.table({})
