"""Turns messages of this process into rows for Spark, and judges the ids and times of a frame's rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

import pyarrow as pa

from xpubsub.arrow import joined
from xpubsub.checks import is_text
from xpubsub.errors import Error
from xpubsub.jobs.publish.messages import DUPLICATE, Duplicate, Given, Times, numbered
from xpubsub.jobs.publish.times import TIME_KINDS
from xpubsub.plan.frames import BAD_TIMES, FRAME_TIME
from xpubsub.rows import EVENT, EVENT_TIME, REJECTED, table_of
from xpubsub.shred.messages import Message
from xpubsub.store.store import Store

_MESSAGES = pa.schema([
    ("event_id", pa.int64()), ("message_id", pa.string()), ("text", pa.string()), ("data", pa.binary()),
])


def batch_rows(
    messages: Iterable[Given], progress: Callable[[int], None] | None, times: Times
) -> tuple[pa.Table, list[Duplicate]]:
    """Return the messages as rows, and the rejected ones: those whose id came before in the batch."""
    duplicates: list[Duplicate] = []
    return message_rows(numbered(messages, duplicates, progress, times)), duplicates


def message_rows(messages: Iterable[Message]) -> pa.Table:
    """Return numbered messages as rows."""
    rows = [(event_id, message_id, *_payload(xml)) for event_id, message_id, xml in messages]
    return table_of(rows, _MESSAGES)


def later_duplicates(read: Sequence[pa.Table]) -> pa.Table:
    """Return the messages whose id came before in another worker's part, as rejected messages."""
    events = joined([table.select(EVENT.names) for table in read], EVENT)
    first: dict[str, int] = {}
    again = []
    for event_id, message_id in sorted(zip(*(column.to_pylist() for column in events.columns), strict=True)):
        if message_id is not None and first.setdefault(message_id, event_id) != event_id:
            again.append((event_id, message_id, *DUPLICATE))
    return table_of(again, REJECTED)


def frame_times(store: Store, given: pa.Table | None) -> pa.Table:
    """Return the times of a frame's messages; a message without a time gets that of its arrival."""
    if given is None:
        return EVENT_TIME.empty_table()
    store.engine.load("given", given.select(["event_id", "message_id", "time", "said"]))
    store.engine.load("frame_start", pa.table({"now": [time.time()]}))
    if bad := store.rows(BAD_TIMES):
        raise Error(f"message {bad[0]['message_id']!r}: a message's time is {TIME_KINDS}, not {bad[0]['said']}")
    return store.engine.fetch(FRAME_TIME)


def _payload(xml: object) -> tuple[str | None, bytes | None]:
    """Return a message as text or bytes; text that cannot be encoded goes as bytes, to be rejected with its place."""
    if isinstance(xml, str):
        return (xml, None) if is_text(xml) else (None, xml.encode("utf-8", "surrogatepass"))
    return None, xml if isinstance(xml, bytes) else None
