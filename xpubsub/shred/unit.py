"""A unit: an element cut out of a document, as a message of its own."""

from __future__ import annotations

from typing import NamedTuple

Refusal = tuple[str, str, int | None, int | None]
"""Code, reason, line and column of a rejection."""


class Unit(NamedTuple):
    """One unit, or the reason why it cannot be published; lines and columns are those of the document."""

    number: int
    """Its number in the document, from 1."""
    xml: bytes = b""
    """The message, in UTF-8."""
    line: int = 1
    column: int = 1
    """Where its start tag is in the document."""
    size: int = 0
    """Its size in the document, in bytes of UTF-8."""
    refusal: Refusal | None = None
    before: bytes = b""
    """What the message has in front of the unit: a document type, start tags of the envelope."""
    name: int = 0
    """The length of `<name`, after which the message has further declarations."""
    added: int = 0
    """The length of these declarations in characters."""
    tokens: int = 0
    """How many tags and texts it has, if they are counted."""

    def place(self, line: int | None, column: int | None) -> tuple[int | None, int | None]:
        """Return the place in the document of a place in the message."""
        if line is None or column is None:
            return line, column
        line -= self.before.count(b"\n")
        if line == 1:
            column -= len(self.before[self.before.rfind(b"\n") + 1 :].decode("utf-8"))
            column -= min(self.added, max(0, column - self.name - 1))
        if line < 1 or column < 1:
            return self.line, self.column
        return (self.line, self.column + column - 1) if line == 1 else (self.line + line - 1, column)
