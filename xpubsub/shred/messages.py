"""Messages → rows: a batch of messages becomes nodes, events and rejections."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from xpubsub.limits import Limits
from xpubsub.shred.node_rows import NodeRows
from xpubsub.shred.reading import Reader, Refused
from xpubsub.shred.rows import EVENT, REJECTED
from xpubsub.shred.tables import table_of
from xpubsub.shred.tagpaths import TagPathCache

Message = tuple[int, str, object]
"""(event id, message id, XML as str or bytes; anything else is set aside)."""


class MessageShredder:
    """Collects the rows of a batch of messages; a message that fails leaves only its rejection."""

    def __init__(self, cache: TagPathCache, limits: Limits) -> None:
        self._cache = cache
        self._limits = limits
        self._nodes = NodeRows()
        self._events: list[tuple[int, str]] = []
        self._rejected: list[tuple[int, str, str, str, int | None, int | None]] = []

    def shred(self, messages: Iterable[Message]) -> None:
        """Read messages; each ends up either among the events or among the rejected."""
        reader = Reader(self._cache, self._limits, self._nodes)
        for event_id, message_id, xml in messages:
            before = len(self._nodes)
            self._cache.trim()
            try:
                if message_id is None:
                    raise Refused("no-id", "the message has no id")
                reader.read(event_id, xml)
                self._events.append((event_id, message_id))
                self._nodes.settle()
            except Refused as refused:
                self._nodes.truncate(before)
                self._rejected.append((event_id, message_id, *refused.details))

    def nodes(self) -> pa.Table:
        """The nodes that subscriptions ask for: `sax_parse_result`."""
        return self._nodes.table()

    def events(self) -> pa.Table:
        """The messages read."""
        return table_of(self._events, EVENT)

    def rejected(self) -> pa.Table:
        """The messages set aside, with their event ids."""
        return table_of(self._rejected, REJECTED)
