"""Messages as users bring them."""

from __future__ import annotations

from typing import Any

from xpubsub.checks import check_text
from xpubsub.errors import Error

Given = Any
"""(id, xml) or (id, xml, timestamp)."""

def message_of(given: Given) -> tuple[str, Any]:
    """The id and the XML of what was given."""
    if not isinstance(given, tuple | list) or not 2 <= len(given) <= 3:
        raise Error(f"a message is (id, xml) or (id, xml, timestamp), not {type(given).__name__}")
    return check_text("the id of a message", given[0], empty=True), given[1]
