"""Shreds messages in Spark's executors: one function over Arrow batches that returns all kinds of rows in one table."""

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
"""The kinds of rows: a node, a message read, a message rejected, a new tag path, a key that holds, a copy."""
_CHUNK = 1000
"""How many messages are shredded before their rows are yielded; this bounds memory."""


def shredding(
    known: Mapping[str, int], linear: Mapping[str, LinearUse], limits: Limits, index: KeyIndex | None = None, *,
    keep_nodes: bool = True, copying: bool = False,
) -> ArrowFunction:
    """Return a function from rows (event id, message id, then XML as text or bytes) to `SHREDDED` rows.

    With an index, nodes need not be kept if subscriptions need only keys.
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
    """Add the columns of `SHREDDED` that a table lacks, as nulls."""
    columns = [
        pa.array([kind] * table.num_rows, TEXT) if field.name == "row_kind"
        else table[field.name] if field.name in table.column_names
        else pa.nulls(table.num_rows, field.type)
        for field in SHREDDED
    ]
    return pa.Table.from_arrays(columns, schema=SHREDDED)
