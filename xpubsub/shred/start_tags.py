"""Start tags as a message has them."""

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
        """Whether it is the end of its element as well."""
        return self.text.endswith(b"/>")

    def attributes(self) -> list[str]:
        """The names of the attributes as they are written, but for declarations of namespaces."""
        names = [name.decode("utf-8") for name in _ATTRIBUTE.findall(self.text)]
        return [name for name in names if name != "xmlns" and not name.startswith("xmlns:")]


def start_tag(data: bytes, start: int) -> StartTag:
    """The start tag at a place of a message."""
    tag = _START_TAG.match(data, start)
    assert tag is not None
    return StartTag(tag[0], tag[1])
