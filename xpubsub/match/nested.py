"""Reads columns of lists of structs field by field, without a Python object per struct."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc


class NestedColumn:
    """A column of lists of structs, field by field."""

    def __init__(self, column: pa.ListArray) -> None:
        self.parents = pc.list_parent_indices(column)
        flat = pc.list_flatten(column)
        self.fields = [flat.field(number) for number in range(flat.type.num_fields)]
        self._values = [_values(field) for field in self.fields]
        self._starts = _starts(column)

    def of(self, row: int) -> list[list[Any]]:
        """Return the fields of one row's list."""
        start, end = self._starts[row], self._starts[row + 1]
        return [values[start:end] for values in self._values]


def _values(column: pa.Array) -> list[Any]:
    """Convert a column to Python values; lists of numbers are slices of one list."""
    if not pa.types.is_list(column.type):
        return list(column.to_pylist())
    flat, starts = pc.list_flatten(column).to_pylist(), _starts(column)
    return [flat[start:end] for start, end in pairwise(starts)]


def _starts(column: pa.ListArray) -> list[int]:
    """Return where the list of each row starts among all values, and where the last one ends."""
    return [0, *accumulate(pc.fill_null(pc.list_value_length(column), 0).to_pylist())]
