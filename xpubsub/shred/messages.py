"""Shreds a batch of messages into nodes, events and rejections."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

from xpubsub.limits import Limits
from xpubsub.rows import EVENT, NODE_COPY, REJECTED, table_of
from xpubsub.shred.copies import copied_texts
from xpubsub.shred.encodings import in_utf_8
from xpubsub.shred.node_rows import CopyRow, NodeRow, NodeRows
from xpubsub.shred.reading import Reader, Refused
from xpubsub.shred.spilled_roots import SpilledRoot
from xpubsub.shred.tagpaths import TagPathCache

Message = tuple[int, str, object]
"""(event id, message id, XML as str or bytes; anything else is rejected)."""
RejectedRow = tuple[int, str, str, str, int | None, int | None]
"""(event id, message id, code, reason, line, column)."""


@dataclass(frozen=True)
class Shredded:
    """The rows of some shredded messages."""

    nodes: pa.Table
    copies: list[CopyRow]
    messages: list[tuple[int, str]]
    rejected: list[RejectedRow]
    tagpaths: list[str]
    """The new tag paths found in the messages."""
    sources: dict[int, bytes]
    """The messages themselves in UTF-8, if they are needed."""
    spilled: list[SpilledRoot]
    units: list[Message]


class MessageShredder:
    """Collects the rows of a batch of messages; a message that fails leaves only its rejection."""

    def __init__(self, cache: TagPathCache, limits: Limits) -> None:
        self._cache = cache
        self._limits = limits
        self._nodes = NodeRows()
        self.included = False
        """Whether other processes have read some of the messages, so that `rows` lacks their nodes."""
        self.messages: list[tuple[int, str]] = []
        """The messages read: event ids and message ids."""
        self._units: list[Message] = []
        self._rejected: list[RejectedRow] = []
        self.sources: dict[int, bytes] = {}
        """The messages themselves in UTF-8 by event id, if they are needed."""

    def shred(self, messages: Iterable[Message]) -> None:
        """Shred messages; each becomes either an event or a rejection."""
        reader = Reader(self._cache, self._limits, self._nodes)
        for event_id, message_id, xml in messages:
            self._nodes.settle()
            before, copies, spilled = len(self._nodes), len(self._nodes.copies), len(self._nodes.spilled)
            self._cache.trim()
            try:
                if message_id is None:
                    raise Refused("no-id", "the message has no id")
                reader.read(event_id, xml)
                self.messages.append((event_id, message_id))
                if self._cache.keeping:
                    self.sources[event_id] = in_utf_8(xml)
                if self._cache.copied_texts:
                    self._nodes.copies.extend(copied_texts(self._nodes.rows[before:], self._cache.copied_texts))
                if len(self._nodes.spilled) > spilled:
                    self._units.append((event_id, message_id, xml))
            except Refused as refused:
                self._nodes.truncate(before)
                del self._nodes.copies[copies:]
                del self._nodes.spilled[spilled:]
                self._rejected.append((event_id, message_id, *refused.details))

    def reject(self, rows: Iterable[RejectedRow]) -> None:
        """Reject messages that were read; their nodes stay, but without an event they match nothing."""
        self._rejected.extend(rows)
        rejected = {row[0] for row in self._rejected}
        self.messages = [message for message in self.messages if message[0] not in rejected]

    def drop(self, event_ids: Iterable[int]) -> None:
        """Forget messages, as duplicates of others; their nodes stay, but without an event they match nothing."""
        dropped = set(event_ids)
        self.messages = [message for message in self.messages if message[0] not in dropped]
        self._rejected = [row for row in self._rejected if row[0] not in dropped]

    def shredded(self) -> Shredded:
        """Return the rows of the messages, for `include` in another process."""
        found = list(self._cache.take_found().tagpaths)
        return Shredded(self.nodes(), self._nodes.copies, self.messages, self._rejected, found, self.sources,
                        self._nodes.spilled, self._units)

    def include(self, shredded: Shredded) -> None:
        """Add messages that another process has shredded."""
        self.included = True
        self._nodes.include(shredded.nodes)
        self._nodes.copies.extend(shredded.copies)
        self.messages.extend(shredded.messages)
        self._rejected.extend(shredded.rejected)
        self.sources.update(shredded.sources)
        self._nodes.spilled.extend(shredded.spilled)
        self._units.extend(shredded.units)

    def nodes(self) -> pa.Table:
        """The nodes that subscriptions need: `sax_parse_result`."""
        return self._nodes.table()

    @property
    def rows(self) -> list[NodeRow]:
        """The nodes read last, not yet in columns; for a single message, all its nodes."""
        return self._nodes.rows

    @property
    def spilled(self) -> list[SpilledRoot]:
        """The elements that were skipped, in messages that are not rejected."""
        accepted = {event_id for event_id, _ in self.messages}
        return [root for root in self._nodes.spilled if root.event_id in accepted]

    @property
    def units(self) -> list[Message]:
        """The messages in which elements were skipped and that are not rejected."""
        accepted = {event_id for event_id, _ in self.messages}
        return [message for message in self._units if message[0] in accepted]

    def copies(self) -> pa.Table:
        """The copies of nodes: `node_copy`."""
        return table_of(self._nodes.copies, NODE_COPY)

    def events(self) -> pa.Table:
        """The messages read."""
        return table_of(self.messages, EVENT)

    def rejected(self) -> pa.Table:
        """The rejected messages, with their event ids."""
        return table_of(self._rejected, REJECTED)
