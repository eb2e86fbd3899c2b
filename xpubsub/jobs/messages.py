"""Messages as users bring them."""

from __future__ import annotations

import re
from typing import Any

from xpubsub.errors import Error

Given = Any
"""(id, xml) or (id, xml, timestamp)."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def is_text(text: str) -> bool:
    """Whether a str is text that can be encoded: it has no half of a surrogate pair."""
    return text.isascii() or not _SURROGATE.search(text)


def message_of(given: Given) -> tuple[str, Any]:
    """The id and the XML of what was given."""
    if not isinstance(given, tuple | list) or not 2 <= len(given) <= 3:
        raise Error(f"a message is (id, xml) or (id, xml, timestamp), not {type(given).__name__}")
    if not isinstance(given[0], str):
        raise Error(f"the id of a message is a str, not {type(given[0]).__name__}")
    if not is_text(given[0]):
        raise Error(f"the id {given[0]!r} of a message has half of a surrogate pair")
    return given[0], given[1]
