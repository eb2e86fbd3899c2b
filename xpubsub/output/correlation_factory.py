"""The message factory for correlations: writes outputs from nodes of several messages, their texts and templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa

from xpubsub.arrow import ArrowFunction
from xpubsub.collector import collector_paused
from xpubsub.match.nested import NestedColumn
from xpubsub.output.parts import OutputMessage
from xpubsub.output.templates import OutputTemplates, returned_id
from xpubsub.rows import CORRELATION_MADE

MessageNode = tuple[int, int]
"""A message and one of its nodes."""


def correlating(definitions: Mapping[int, str]) -> ArrowFunction:
    """Return a function from rows of nodes and texts to outputs."""
    def made(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        templates = OutputTemplates(definitions)
        for batch in batches:
            if batch.num_rows:
                with collector_paused():
                    outputs = _outputs(batch, templates)
                yield outputs
    return made


def _outputs(batch: pa.RecordBatch, templates: OutputTemplates) -> pa.RecordBatch:
    *keys, texts = batch.columns
    copied = NestedColumn(texts)
    outputs: list[str] = []
    rows = zip(*(column.to_pylist() for column in keys), strict=True)
    for row, (template_id, owners, nodes) in enumerate(rows):
        bound = tuple(zip(owners, nodes, strict=True))
        message = _message(*copied.of(row))
        outputs.append(templates[template_id].write(message, bound, {}))
    made = [*keys, pa.array(outputs, pa.string())]
    typed = [column.cast(field.type) for column, field in zip(made, CORRELATION_MADE, strict=True)]
    return pa.RecordBatch.from_arrays(typed, schema=CORRELATION_MADE)


def _message(
    docids: list[int], paths: list[int], bases: list[int], nodes: list[int], texts: list[str], bare: list[bool]
) -> OutputMessage:
    """Return the texts of an output as templates need them; a node is identified by its message and its id."""
    copies: dict[MessageNode, tuple[str, bool]] = {}
    below: dict[tuple[int, MessageNode], list[MessageNode]] = {}
    for docid, path, base, node, text, is_bare in sorted(zip(docids, paths, bases, nodes, texts, bare, strict=True)):
        copies[docid, node] = text, is_bare
        below.setdefault((path, (docid, base)), []).append((docid, node))

    def returned(path: str, base_position: int, base: MessageNode) -> list[MessageNode]:
        return below.get((returned_id(path, base_position), base), [])
    return OutputMessage(copies, returned)
