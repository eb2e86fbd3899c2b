"""Collects the rows of `sax_parse_result` and `node_copy` while a batch is shredded."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pyarrow as pa

from xpubsub.rows import SAX_PARSE_RESULT
from xpubsub.shred.numeric import numbers_of

NodeRow = tuple[int, int, int, tuple[int, ...], str | None, str | None]
"""(event, tag path, node, ids from the root to the node, value, value again if its number is needed)."""


CopyRow = tuple[int, int, str, bool]
"""(event, node, its text, whether no default namespace is in scope)."""
_MANY = 8_000
"""How many rows are converted to columns at a time."""


class NodeRows:
    """The growing rows of `sax_parse_result`, converted to columns in chunks."""

    def __init__(self) -> None:
        self.rows: list[NodeRow] = []
        self.add = self.rows.append
        self._tables: list[pa.Table] = []
        self.copies: list[CopyRow] = []
        """The copies of nodes."""

    def __len__(self) -> int:
        """Return the number of rows that are not in columns yet."""
        return len(self.rows)

    def truncate(self, length: int) -> None:
        """Drop the rows beyond a length."""
        del self.rows[length:]

    def settle(self) -> None:
        """Convert the rows to columns if there are many; they cannot be dropped after that."""
        if len(self.rows) >= _MANY:
            self.include(_table(self.rows))
            self.rows.clear()

    def include(self, table: pa.Table) -> None:
        """Add rows that are already in columns."""
        self._tables.append(table)

    def table(self) -> pa.Table:
        """Return all rows as an Arrow table."""
        return pa.concat_tables([*self._tables, _table(self.rows)])


def _table(rows: list[NodeRow]) -> pa.Table:
    events, tagpaths, nodes, idpaths, values, numeric = zip(*rows, strict=True) if rows else ((),) * 6
    ends = np.zeros(len(idpaths) + 1, np.int32)
    np.cumsum(np.fromiter(map(len, idpaths), np.int32, len(idpaths)), out=ends[1:])
    flat = np.fromiter(chain.from_iterable(idpaths), np.int32, ends[-1])
    ids = pa.ListArray.from_arrays(pa.array(ends), pa.array(flat))
    columns = [pa.array(events, pa.int64()), pa.array(tagpaths, pa.int64()), pa.array(nodes, pa.int32()), ids,
               pa.array(values, pa.string()), numbers_of(numeric)]
    return pa.Table.from_arrays(columns, schema=SAX_PARSE_RESULT)
