"""The rows of `sax_parse_result` while a batch is being shredded."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pyarrow as pa

from xpubsub.rows import SAX_PARSE_RESULT
from xpubsub.shred.numeric import numbers_of

NodeRow = tuple[int, int, int, tuple[int, ...], str | None, str | None]
"""(event, tag path, node, ids from the root to the node, value, value once more if its number is asked for)."""


CopyRow = tuple[int, int, str, bool]
"""(event, node, its text, whether no default namespace is in scope)."""
_MANY = 8_000
"""Rows that become columns at a time."""


class NodeRows:
    """The rows of `sax_parse_result`, growing; many of them become columns at a time, while they are at hand."""

    def __init__(self) -> None:
        self.rows: list[NodeRow] = []
        self.add = self.rows.append
        self._tables: list[pa.Table] = []
        self.copies: list[CopyRow] = []
        """Nodes as they are copied."""

    def __len__(self) -> int:
        """The rows that are not columns yet."""
        return len(self.rows)

    def truncate(self, length: int) -> None:
        """Forget all rows beyond a length."""
        del self.rows[length:]

    def settle(self) -> None:
        """Make columns of the rows if there are many: they will not be forgotten any more."""
        if len(self.rows) >= _MANY:
            self.include(_table(self.rows))
            self.rows.clear()

    def include(self, table: pa.Table) -> None:
        """Add rows that are columns already."""
        self._tables.append(table)

    def table(self) -> pa.Table:
        """All rows as Arrow."""
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
