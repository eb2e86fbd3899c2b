"""Parses start tags as they are written in a message."""

from __future__ import annotations

import re
from typing import NamedTuple

_START_TAG = re.compile(rb"""<([^\s/>]+)(?:[^>"']|"[^"]*"|'[^']*')*>""")
_ATTRIBUTE = re.compile(rb"""\s([^\s=]+)\s*=\s*(?:"[^"]*"|'[^']*')""")


class StartTag(NamedTuple):
    """A start tag: its text, in UTF-8, and the name of the element."""

    text: bytes
    name: bytes

    @property
    def empty(self) -> bool:
        """Whether the tag also ends its element (`<a/>`)."""
        return self.text.endswith(b"/>")

    def attributes(self) -> list[str]:
        """The names of the attributes as written, without namespace declarations."""
        return [name for name in self._written() if not _declares(name)]

    def declarations(self) -> dict[str, str]:
        """The namespace declarations: name and text."""
        return {name: text for name, text in self._written().items() if _declares(name)}

    def _written(self) -> dict[str, str]:
        return {each[1].decode("utf-8"): each[0].decode("utf-8") for each in _ATTRIBUTE.finditer(self.text)}


def start_tag(data: bytes, start: int) -> StartTag:
    """Return the start tag at a byte offset of a message."""
    tag = _START_TAG.match(data, start)
    assert tag is not None
    return StartTag(tag[0], tag[1])


def _declares(name: str) -> bool:
    return name == "xmlns" or name.startswith("xmlns:")
