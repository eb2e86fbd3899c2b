"""Dead letters: rejected messages with the reason, their place in the source and their bytes; and failed queries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from xpubsub.jobs.publish.messages import DUPLICATE
from xpubsub.jobs.stream.messages import Polled, StreamMessage
from xpubsub.rows import LETTERS, table_of


def letters_of(polled: Polled, rejected: pa.Table, failed: pa.Table, stream: str) -> pa.Table:
    """Return the dead letters of a batch; a message that a correlation published has no bytes and no place.

    The letter of a failed query has neither: other subscriptions have had the message.
    """
    by_id: dict[str, list[StreamMessage]] = {}
    for message in polled.read(map(str, rejected["message_id"].to_pylist())):
        if message.refused is None:
            by_id.setdefault(message.message_id, []).append(message)
    rows = [*_refused(polled, stream), *(_letter(row, by_id, stream) for row in rejected.to_pylist())]
    failures = [(row["message_id"], row["code"], row["reason"], *(None,) * 6, row["subscription_id"])
                for row in failed.to_pylist()]
    return table_of([*((*row, None) for row in rows), *failures], LETTERS)


def _refused(polled: Polled, stream: str) -> Iterator[tuple[object, ...]]:
    """Yield the letters of messages that the source could not read."""
    for each in polled.messages:
        if each.refused is not None:
            line, column = each.unit.refusal[2:] if each.unit and each.unit.refusal else (None, None)
            yield each.message_id, *each.refused, line, column, stream, each.place, each.time, None


def _letter(row: dict[str, Any], by_id: dict[str, list[StreamMessage]], stream: str) -> tuple[object, ...]:
    said = tuple(row[name] for name in ("message_id", "code", "reason", "line", "column"))
    messages = by_id.get(str(row["message_id"]))
    if not messages:
        return *said, None, None, None, None
    message = messages.pop(1) if row["code"] == DUPLICATE[0] and len(messages) > 1 else messages[0]
    if message.unit is not None:
        said = *said[:3], *message.unit.place(row["line"], row["column"])
    return *said, stream, message.place, message.time, message.xml
