"""Collects the rows of `sax_parse_result` and `node_copy` while a batch is shredded."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xpubsub.language.xpath.numbers import to_number
from xpubsub.rows import SAX_PARSE_RESULT
from xpubsub.shred.spilled_roots import SpilledRoot

NodeRow = tuple[int, int, int, tuple[int, ...], str | None, str | None]
"""(event, tag path, node, ids from the root to the node, value, value again if its number is needed)."""
CopyRow = tuple[int, int, str, bool]
"""(event, node, its text, whether no default namespace is in scope)."""
_MANY = 8_000
"""How many rows are converted to columns at a time."""
_FEW = 100
"""Fewer texts than this are converted one by one."""
_PLAIN = r"^-?[0-9]{1,15}(\.[0-9]{1,15})?$"
"""Matches numbers that Arrow and XPath read alike."""


class NodeRows:
    """The growing rows of `sax_parse_result`, converted to columns in chunks."""

    def __init__(self) -> None:
        self.rows: list[NodeRow] = []
        self.add = self.rows.append
        self._tables: list[pa.Table] = []
        self.copies: list[CopyRow] = []
        """The copies of nodes."""
        self.spilled: list[SpilledRoot] = []
        """The elements that were skipped."""

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
               pa.array(values, pa.string()), number_column(numeric)]
    return pa.Table.from_arrays(columns, schema=SAX_PARSE_RESULT)


def number_column(texts: Sequence[str | None]) -> pa.Array:
    """Convert each text as XPath's `number()` does; null where the text is not a number or is missing."""
    if len(texts) < _FEW:
        return pa.array([None if text is None else to_number(text) for text in texts], pa.float64())
    column = pa.array(texts, pa.string())
    plain = pc.match_substring_regex(column, _PLAIN)
    numbers = pc.cast(pc.if_else(plain, column, None), pa.float64())
    others = pc.and_(pc.is_valid(column), pc.invert(pc.fill_null(plain, True)))
    if pc.any(others).as_py():
        exact = [to_number(text) for text in column.filter(others).to_pylist()]
        numbers = pc.replace_with_mask(numbers, others, pa.array(exact, pa.float64()))
    return pc.add(numbers, 0.0)
