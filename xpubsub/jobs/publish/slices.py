"""The view cache (Hong 2007, algorithms 4 and 5): slices of R_L by value, in memory; losing them only costs time."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from xpubsub.plan.request import PlanRequest
from xpubsub.plan.slices import BATCH_VALUES, LAST_OF_BATCH, MESSAGE_TO_KEEP, SLICE_NEW, slice_left, with_slices
from xpubsub.rows import SLICE_ROW
from xpubsub.store.store import Store

_SPARED = 0.75
"""The share of the bound to shrink to when it is exceeded, so that not every batch exceeds it again."""
_CHUNKS = 64
"""The number of chunks from which on they are combined into one."""


class SliceCache:
    """For each value that has recurred, all its rows of R_L; at most `bound` rows in total.

    The cache is valid while nobody else changes the kept messages; it adds the rows of a batch once that is committed.
    Each use of a value adds rows of the batch's messages, so the last of them tells when the value was last used.
    """

    def __init__(self, store: Store, bound: int) -> None:
        self._store = store
        self._bound = bound
        self._rows = SLICE_ROW.empty_table()
        self._gained: tuple[pa.Table, int] | None = None
        self._as_of: tuple[int, int, int] | None = None

    @property
    def rows(self) -> pa.Table:
        """Return all slices; the rows of a value are complete, but may include messages that are no longer kept."""
        return self._rows

    def used_by(self, request: PlanRequest) -> bool:
        """Whether a plan uses slices."""
        return with_slices(request, self._bound)

    def look_up(self, docid: int) -> None:
        """Create the relation `slice_row`: the slices of the batch's values; `docid` is the last kept message's."""
        self._gained = None
        if self._as_of != self._stamp(docid):
            self._rows = SLICE_ROW.empty_table()
        values = self._store.engine.fetch(BATCH_VALUES)["value"].cast(pa.string()).combine_chunks()
        self._store.engine.load("slice_row", self._rows.filter(pc.is_in(self._rows["value"], value_set=values)))

    def gain(self, docid: int) -> None:
        """Read the rows that the kept batch adds to slices; evicts the least recently used slices to make room."""
        engine = self._store.engine
        held = pa.concat_tables([self._rows, _slices(engine.fetch(SLICE_NEW))])
        if held.num_rows > self._bound:
            engine.load("slice_held", held)
            engine.run(MESSAGE_TO_KEEP)
            held = _slices(engine.fetch(slice_left(int(_SPARED * self._bound))))
        self._gained = held, max(docid, int(self._store.rows(LAST_OF_BATCH)[0]["docid"]))

    def take_over(self) -> None:
        """Add the rows of the batch, after it is committed."""
        if self._gained is not None:
            [held, docid], self._gained = self._gained, None
            self._rows = held.combine_chunks() if held["value"].num_chunks > _CHUNKS else held
            self._as_of = self._stamp(docid)

    def _stamp(self, docid: int) -> tuple[int, int, int]:
        """Return a stamp that changes with the kept messages: subscriptions, batches of this process, last message."""
        return self._store.engine.shared.changes, self._store.engine.shared.batches, docid


def _slices(found: pa.Table) -> pa.Table:
    return found.select(SLICE_ROW.names).cast(SLICE_ROW)
