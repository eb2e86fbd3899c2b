"""Shredding where the messages are: one function over Arrow batches, its several kinds of rows in one wide table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa

from xpubsub.arrow import ArrowFunction
from xpubsub.limits import Limits
from xpubsub.match.path_matches import LinearUse
from xpubsub.rows import KEY_HELD, NODE_COPY, REJECTED, SAX_PARSE_RESULT, TAGPATH, TEXT
from xpubsub.shred.key_index import KeyIndex
from xpubsub.shred.messages import MessageShredder
from xpubsub.shred.tagpaths import TagPathCache

NODE, EVENT, REJECTION, FOUND, HELD, COPIED = "node", "event", "rejected", "tagpath", "held", "copy"
SHREDDED = pa.schema([
    pa.field("row_kind", TEXT), pa.field("message_id", TEXT), *SAX_PARSE_RESULT,
    *(field for field in REJECTED if field.name not in ("event_id", "message_id")),
    *(field for field in TAGPATH if field.name != "tagpath_id"),
    *(field for field in KEY_HELD if field.name != "event_id"),
    *(field for field in NODE_COPY if field.name not in ("event_id", "node_id")),
])
"""One node, one message read or set aside, one tag path seen for the first time, one key that holds, one copy."""
_CHUNK = 1000
"""Messages shredded before their rows are handed on: memory is bounded by them."""


def shredding(
    known: Mapping[str, int], linear: Mapping[str, LinearUse], limits: Limits, index: KeyIndex | None = None, *,
    keep_nodes: bool = True, copying: bool = False,
) -> ArrowFunction:
    """A function from rows of event id, message id and XML, in one of the columns after, to `SHREDDED` rows.

    With an index, nodes need not be kept if nothing but keys is asked for.
    """
    def shredded(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        cache = TagPathCache(known, lambda: linear, limits, copying=copying)
        for batch in batches:
            for start in range(0, batch.num_rows, _CHUNK):
                shredder = MessageShredder(cache, limits, index, keep_nodes=keep_nodes)
                yield from _shred(batch.slice(start, _CHUNK), cache, shredder)
    return shredded


def _shred(batch: pa.RecordBatch, cache: TagPathCache, shredder: MessageShredder) -> Iterator[pa.RecordBatch]:
    event_ids, message_ids, *payloads = (column.to_pylist() for column in batch.columns)
    messages = (next((each for each in forms if each is not None), None) for forms in zip(*payloads, strict=True))
    shredder.shred(zip(event_ids, message_ids, messages, strict=True))
    parts = {
        NODE: shredder.nodes(), EVENT: shredder.events(),
        REJECTION: shredder.rejected(), FOUND: cache.take_found().found(), HELD: shredder.held(),
        COPIED: shredder.copies(),
    }
    for kind, table in parts.items():
        yield from _widen(kind, table).to_batches()


def _widen(kind: str, table: pa.Table) -> pa.Table:
    """A table with all columns of `SHREDDED`, null where it has none."""
    columns = [
        pa.array([kind] * table.num_rows, TEXT) if field.name == "row_kind"
        else table[field.name] if field.name in table.column_names
        else pa.nulls(table.num_rows, field.type)
        for field in SHREDDED
    ]
    return pa.Table.from_arrays(columns, schema=SHREDDED)
