"""Publishes a document: complete units in batches, and of the open unit what is certain already."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.split.in_order import InOrder
from xpubsub.jobs.split.sources import Chunk, SourceFailed
from xpubsub.shred.open_units import OpenUnit
from xpubsub.shred.units import Unit, UnitCutter

BATCH_BYTES = 16 * 1024 * 1024
"""A batch is matched when it has so many bytes, or when the source has nothing more to read for now."""


_SAYS = logging.getLogger("xpubsub.split")
_SHOWN = 5


class _UnitBatch(NamedTuple):
    """Units that are published together."""

    units: list[Unit]
    delivered: list[str]
    """The subscriptions that have been notified of the first of them while it was open."""


class Target(Protocol):
    """Where units are published to."""

    def publish(self, messages: list[tuple[str, bytes]]) -> Result:
        """Publish complete units as messages."""

    def certain(self, message_id: str, unit: OpenUnit) -> Result | None:
        """Return what is certain of the open unit; None if nothing has changed since the last call."""


@dataclass
class Document:
    """A document that is being published."""

    name: str
    cutter: UnitCutter
    target: Target
    open_unit: OpenUnit
    batch_size: int
    progress: Callable[[int], None] | None = None
    ahead: bool = False
    """Whether units are cut while the batch before them is published, by other processes."""
    _delivered: list[str] = field(default_factory=list)
    """The subscriptions that have been notified of the open unit."""

    def results(self, chunks: Iterator[Chunk]) -> Iterator[Result]:
        """Publish units as they are complete; yield the result of each batch."""
        with closing(InOrder(self._result, ahead=self.ahead)) as order:
            yield from self._cut(chunks, order)
            yield from order.rest()

    def _cut(self, chunks: Iterator[Chunk], order: InOrder[_UnitBatch]) -> Iterator[Result]:
        waiting: list[Unit] = []
        size = 0
        for chunk in self._until_failure(chunks):
            found = self.cutter.feed(chunk.data)
            waiting += found
            size += sum(unit.size for unit in found)
            if not chunk.more or size >= BATCH_BYTES or len(waiting) >= self.batch_size:
                yield from self._published(waiting, order)
                waiting, size = [], 0
            if not chunk.more:
                yield from order.rest()
                yield from self._early()
            if self.cutter.ended:
                break
        left = [*waiting, *self.cutter.close()]
        if not self.cutter.number and not left:
            seen = ", ".join(self.cutter.outermost(_SHOWN))
            _SAYS.warning("%s has no units: the path selects nothing. The outermost elements are %s", self.name, seen)
        yield from self._published(left, order)

    def _until_failure(self, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
        """Yield chunks; if the source fails, the document ends with an error."""
        try:
            yield from chunks
        except SourceFailed as failed:
            self.cutter.fail("unreadable", str(failed))

    def _published(self, units: list[Unit], order: InOrder[_UnitBatch]) -> Iterator[Result]:
        for start in range(0, len(units), self.batch_size):
            batch = units[start : start + self.batch_size]
            delivered, self._delivered = self._delivered, []
            yield from order.publish(_UnitBatch(batch, delivered))
            if self.progress is not None:
                self.progress(len(batch))

    def _result(self, batch: _UnitBatch) -> Result:
        """Publish a batch, and drop the notifications of the unit that was open which have been delivered."""
        result = publish_units(self.name, batch.units, self.target.publish)
        first = f"{self.name}#{batch.units[0].number}"
        return _dropped(result, first, batch.delivered) if batch.delivered else result

    def _early(self) -> Iterator[Result]:
        """Deliver what is certain of the open unit, and has not been delivered."""
        number = self.open_unit.number
        result = None if number is None else self.target.certain(f"{self.name}#{number}", self.open_unit)
        if result is not None:
            new = _dropped(result, None, self._delivered)
            if new.notifications.num_rows:
                self._delivered += new.notifications["subscription_id"].to_pylist()
                yield new


def _dropped(result: Result, message_id: str | None, subscriptions: Sequence[str]) -> Result:
    table = result.notifications
    dropped = pc.is_in(table["subscription_id"], pa.array(subscriptions, pa.string()))
    if message_id is not None:
        dropped = pc.and_(dropped, pc.equal(table["message_id"], message_id))
    return replace(result, notifications=table.filter(pc.invert(dropped)))


def publish_units(
    name: str, units: Sequence[Unit], publish: Callable[[list[tuple[str, bytes]]], Result]
) -> Result:
    """Publish a batch of units; rejections have the lines and columns of the document.

    After each token of a unit but the last, all its tokens so far are held: 1 + 2 + ... for its output.
    """
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
    held = sum(unit.tokens * (unit.tokens - 1) // 2 for unit in units)
    return replace(result, rejected=pa.Table.from_pylist(rows, result.rejected.schema),
                   tokens=sum(unit.tokens for unit in units), tokens_held=held)
