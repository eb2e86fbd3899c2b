"""Publishes the units of a document in batches: what is complete is one batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pyarrow as pa

from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.split.sources import Chunk, SourceFailed
from xpubsub.shred.units import Unit, UnitCutter

BATCH_BYTES = 16 * 1024 * 1024
"""A batch is matched when it has so many bytes, or when the source has nothing more to read for now."""
Publish = Callable[[list[tuple[str, bytes]]], Result]


def unit_batches(cutter: UnitCutter, chunks: Iterator[Chunk], most: int) -> Iterator[list[Unit]]:
    """Yield the units of a document in batches of at most so many."""
    waiting: list[Unit] = []
    size = 0
    for chunk in _until_failure(cutter, chunks):
        found = cutter.feed(chunk.data)
        waiting += found
        size += sum(unit.size for unit in found)
        if not chunk.more or size >= BATCH_BYTES or len(waiting) >= most:
            yield from _cut(waiting, most)
            waiting, size = [], 0
        if cutter.ended:
            break
    yield from _cut([*waiting, *cutter.close()], most)


def _until_failure(cutter: UnitCutter, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    """Yield chunks; if the source fails, the document ends with an error."""
    try:
        yield from chunks
    except SourceFailed as failed:
        cutter.fail("unreadable", str(failed))


def _cut(units: list[Unit], most: int) -> Iterator[list[Unit]]:
    for start in range(0, len(units), most):
        yield units[start : start + most]


def published(
    name: str, batches: Iterator[list[Unit]], publish: Publish, progress: Callable[[int], None] | None
) -> Iterator[Result]:
    """Publish each batch of a document and yield its result."""
    for units in batches:
        result = publish_units(name, units, publish)
        if progress is not None:
            progress(len(units))
        yield result


def publish_units(name: str, units: Sequence[Unit], publish: Publish) -> Result:
    """Publish a batch of units; rejections have the lines and columns of the document."""
    by_id = {f"{name}#{unit.number}": unit for unit in units}
    result = publish([(message_id, unit.xml) for message_id, unit in by_id.items() if unit.refusal is None])
    rows = result.rejected.to_pylist()
    for row in rows:
        if (unit := by_id.get(row["message_id"])) is not None:
            row["line"], row["column"] = unit.place(row["line"], row["column"])
    names = result.rejected.schema.names[1:]
    rows += [{"message_id": message_id, **dict(zip(names, unit.refusal, strict=True))}
             for message_id, unit in by_id.items() if unit.refusal is not None]
    order = {message_id: at for at, message_id in enumerate(by_id)}
    rows.sort(key=lambda row: order.get(row["message_id"], 0))
    return replace(result, rejected=pa.Table.from_pylist(rows, result.rejected.schema))
