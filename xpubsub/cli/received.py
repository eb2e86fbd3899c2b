"""A message as the command line reads it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

TimedMessage = tuple[str, Any, float | None]
"""(id, XML, time): text or bytes, or what a table has in place of these; no time if the message has none of its own."""
Refuse = Callable[[str, str, str], None]
"""A callback for a message that is rejected before it is read: takes its id, code and reason."""


def id_of(path: str) -> str:
    """The path as text; bytes that are not UTF-8 are escaped."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
