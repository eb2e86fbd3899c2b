"""The messages of a source, in the portions in which the source gives them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from xpubsub.shred.unit import Unit

Json = Any
"""A value that JSON can express: None, a bool, a number, a str, or a list or a dict of such values."""


@dataclass(frozen=True)
class StreamMessage:
    """A message as it stands in a source."""

    message_id: str
    xml: bytes
    place: str
    """Where the message stands in the source, for dead letters: a path, a line number, a partition and an offset."""
    arrived: float
    """When the message reached the source or, if that is unknown, the job; in seconds since 1970."""
    time: float | None = None
    """The message's time for correlations; None: the time at which it is published."""
    refused: tuple[str, str] | None = None
    """A code and a reason, if the source could not read the message; it is rejected without being published."""
    unit: Unit | None = None
    """Where the message stands in its document, without the XML, if it is a unit of a document."""


@dataclass(frozen=True)
class Polled:
    """Messages that a source gives together, and the position after them."""

    messages: list[StreamMessage]
    position: Json = None
    """Where the source goes on after these messages; it replaces the position of earlier portions."""
    items: list[str] = field(default_factory=list)
    """Items, such as files, that end with these messages; they are added to the items of earlier portions."""

    @property
    def size(self) -> int:
        """The bytes of all messages."""
        return sum(len(message.xml) for message in self.messages)

    def given(self) -> Any:
        """Return the messages as `publish` takes them."""
        return [(each.message_id, each.xml, each.time) for each in self.messages if each.refused is None]

    def read(self, ids: Iterable[str]) -> list[StreamMessage]:
        """Return at least the messages with these ids, with their bytes."""
        return self.messages


def joined(portions: Iterable[Polled]) -> Polled:
    """Join portions, in their order, to one."""
    given = list(portions)
    if len(given) == 1:
        return given[0]
    messages, items, position = list[StreamMessage](), list[str](), None
    for portion in given:
        messages += portion.messages
        items += portion.items
        position = portion.position
    return Polled(messages, position, items)
