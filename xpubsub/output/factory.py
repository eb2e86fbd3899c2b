"""The message factory: writes outputs from bound nodes, copies of nodes and templates, message by message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from xpubsub.arrow import ArrowFunction
from xpubsub.collector import collector_paused
from xpubsub.errors import DynamicError
from xpubsub.language.xpath.linear import components, linear_steps
from xpubsub.match.nested import NestedColumn
from xpubsub.match.tree_search import Tree
from xpubsub.output.parts import OutputMessage, Returned
from xpubsub.output.templates import OutputTemplate, OutputTemplates, returned_id
from xpubsub.rows import OUTPUT

Finder = Callable[[NestedColumn, int], Returned]
"""Finds the nodes of returned paths in a message, given a column and the number of its row."""
Made = tuple[str | None, str | None, str | None]
"""An output, or the code and the reason of the error that the query raised."""
Foreseen = Callable[[str, int], tuple[bool, bool]]
"""For a returned path: whether a search finds each node once, and whether in document order."""


def making(definitions: Mapping[int, str], finder: Finder) -> ArrowFunction:
    """Return a function from messages and the tuples bound in them to the outputs of templates."""
    def made(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        templates = OutputTemplates(definitions)
        for batch in batches:
            if batch.num_rows:
                with collector_paused():
                    outputs = _outputs(batch, templates, finder)
                yield outputs
    return made


def _outputs(batch: pa.RecordBatch, templates: OutputTemplates, finder: Finder) -> pa.RecordBatch:
    event_ids, *columns = batch.columns
    asked, returned, copies, *valued = map(NestedColumn, columns)
    made: list[Made] = []
    for row in range(batch.num_rows):
        nodes, texts, bare = copies.of(row)
        copied = dict(zip(nodes, zip(texts, bare, strict=True), strict=True))
        values, names = read_values(valued[0], row) if valued else ({}, {})
        message = OutputMessage(copied, finder(returned, row), values=values, names=names)
        made += [made_by(templates[each], message, bound) for each, bound in zip(*asked.of(row), strict=True)]
    columns = [pc.take(event_ids, asked.parents), *asked.fields, *made_columns(made)]
    return pa.RecordBatch.from_arrays(
        [column.cast(field.type) for column, field in zip(columns, OUTPUT, strict=True)], schema=OUTPUT)


def made_by(template: OutputTemplate, message: OutputMessage, bound: list[int]) -> Made:
    """Return an output, or why it failed; neither if a program has bound nothing."""
    try:
        return template.output(message, bound), None, None
    except DynamicError as error:
        return None, error.code, error.reason


def made_columns(made: list[Made]) -> list[pa.Array]:
    """Return outputs, error codes and reasons as columns."""
    return [pa.array([each[place] for each in made], pa.string()) for place in range(3)]


def read_values(column: NestedColumn, row: int) -> tuple[dict[int, str], dict[int, str]]:
    """Return the values and the names of a message's nodes."""
    nodes, values, tagpaths = column.of(row)
    named = {node: components(tagpath)[-1] for node, tagpath in zip(nodes, tagpaths, strict=True) if tagpath}
    return dict(zip(nodes, values, strict=True)), named


def grouped(representatives: Mapping[int, int], column: NestedColumn, row: int) -> Returned:
    """Look up nodes in groups by path and base (PathSharing-FWR)."""
    paths, bases, nodes = column.of(row)
    groups: dict[tuple[int, int], list[int]] = dict(zip(zip(paths, bases, strict=True), nodes, strict=True))

    def found(path: str, base_position: int, base: int) -> list[int]:
        return groups.get((representatives[returned_id(path, base_position)], base), [])
    return found


def searched(foreseen: Foreseen, column: NestedColumn, row: int) -> Returned:
    """Search the whole message for each path below its base (PathSharing-F and -FW)."""
    tree = Tree(*column.of(row)[:2])

    def found(path: str, base_position: int, base: int) -> list[int]:
        unique, ordered = foreseen(path, base_position)
        nodes: Iterable[int] = tree.leaves(base, linear_steps(path)[base_position:])
        nodes = nodes if unique else dict.fromkeys(nodes)
        return list(nodes) if ordered else sorted(nodes)
    return found
