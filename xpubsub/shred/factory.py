"""The message factory: bound nodes, copies of nodes and templates → outputs, message by message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate, pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from xpubsub.arrow import ArrowFunction
from xpubsub.collector import collector_paused
from xpubsub.shred.output_templates import OutputTemplates, returned_id
from xpubsub.shred.output_writer import OutputWriter, Returned
from xpubsub.shred.rows import OUTPUT

Groups = dict[tuple[int, int], list[int]]
"""By returned path and base: the nodes, in document order."""


def making(definitions: Mapping[int, str]) -> ArrowFunction:
    """A function from messages with what was bound in them to the outputs of templates."""
    def made(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        templates = OutputTemplates(definitions)
        for batch in batches:
            if batch.num_rows:
                with collector_paused():
                    outputs = _outputs(batch, templates)
                yield outputs
    return made


def _outputs(batch: pa.RecordBatch, templates: OutputTemplates) -> pa.RecordBatch:
    event_ids, made, returned, copies = batch.columns
    asked = _Nested(made)
    outputs: list[str] = []
    groups, texts = _Nested(returned), _Nested(copies)
    for row in range(batch.num_rows):
        found = _groups(*groups.of(row))
        nodes, written, bare = texts.of(row)
        copied = dict(zip(nodes, zip(written, bare, strict=True), strict=True))
        writer = OutputWriter(copied, _grouped(found))
        outputs += [writer.output(templates[each], bound) for each, bound in zip(*asked.of(row), strict=True)]
    columns = [pc.take(event_ids, asked.parents), *asked.fields, pa.array(outputs, pa.string())]
    return pa.RecordBatch.from_arrays(
        [column.cast(field.type) for column, field in zip(columns, OUTPUT, strict=True)], schema=OUTPUT)


def _groups(paths: list[int], bases: list[int], nodes: list[list[int]]) -> Groups:
    return dict(zip(zip(paths, bases, strict=True), nodes, strict=True))


def _grouped(groups: Groups) -> Returned:
    ids: dict[tuple[str, int], int] = {}

    def nodes(path: str, base_position: int, base: int) -> list[int]:
        key = path, base_position
        if key not in ids:
            ids[key] = returned_id(path, base_position)
        return groups.get((ids[key], base), [])
    return nodes


class _Nested:
    """A column of lists of structs, field by field."""

    def __init__(self, column: pa.ListArray) -> None:
        self.parents = pc.list_parent_indices(column)
        flat = pc.list_flatten(column)
        self.fields = [flat.field(number) for number in range(flat.type.num_fields)]
        self._values = [_values(field) for field in self.fields]
        self._starts = _starts(column)

    def of(self, row: int) -> list[list[Any]]:
        """The fields of one row's list."""
        start, end = self._starts[row], self._starts[row + 1]
        return [values[start:end] for values in self._values]


def _values(column: pa.Array) -> list[Any]:
    """A column as Python has it; lists of numbers are cut out of one."""
    if not pa.types.is_list(column.type):
        return list(column.to_pylist())
    flat, starts = pc.list_flatten(column).to_pylist(), _starts(column)
    return [flat[start:end] for start, end in pairwise(starts)]


def _starts(column: pa.ListArray) -> list[int]:
    """Where the list of each row starts among all values, and the end of the last."""
    return [0, *accumulate(pc.fill_null(pc.list_value_length(column), 0).to_pylist())]
