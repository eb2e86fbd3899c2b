"""Messages as users bring them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from xpubsub.checks import check_text
from xpubsub.errors import Error
from xpubsub.shred.messages import Message

Given = Any
"""(id, xml) or (id, xml, timestamp)."""
Duplicate = tuple[int, str, str, str, None, None]
"""A message with an id that came before, as a row of those set aside."""


def message_of(given: Given) -> tuple[str, Any]:
    """The id and the XML of what was given."""
    if not isinstance(given, tuple | list) or not 2 <= len(given) <= 3:
        raise Error(f"a message is (id, xml) or (id, xml, timestamp), not {type(given).__name__}")
    return check_text("the id of a message", given[0], empty=True), given[1]


def numbered(
    messages: Iterable[Given], duplicates: list[Duplicate], progress: Callable[[int], None] | None
) -> Iterator[Message]:
    """Messages with event ids; a second one with the same id is set aside."""
    seen: set[str] = set()
    for event_id, given in enumerate(messages, start=1):
        message_id, xml = message_of(given)
        if message_id in seen:
            reason = "an earlier message of the batch has the same id"
            duplicates.append((event_id, message_id, "duplicate-id", reason, None, None))
            continue
        seen.add(message_id)
        yield event_id, message_id, xml
        if progress is not None:
            progress(1)
