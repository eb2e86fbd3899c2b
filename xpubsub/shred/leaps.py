"""Finds by a search of the bytes where spilled elements may begin and end, so that Python is called there only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from xpubsub.language.xpath.linear import linear_steps

_LEAST = 96
"""The bytes from which on it pays to leap over an element: a leap costs about as much as ten tokens."""
_FAR = 150
"""The bytes between start tags, on average, from which on it pays to stop the parser before each of them."""
_EMPTY = re.compile(rb"<[^<>'\"]*(?:(?:'[^'<]*'|\"[^\"<]*\")[^<>'\"]*)*/>")
_NOT_PLAIN = (b"<!", b"<?")
"""Comments, CDATA sections and processing instructions may contain what looks like a tag."""


class TagPlaces(NamedTuple):
    """The offsets in a message of tags with the name of a spilled element."""

    starts: Sequence[int] | None
    """Those of start tags; None if they are too many to be worth it, or if any name may be spilled."""
    ends: Mapping[int, int]
    """Those of the end tags of plain elements, by those of their start tags."""


class Leaps:
    """Finds the elements that have the name of a spilled element, and where they end.

    An element is leapt over if it is plain: no other element of its name is in it, and no markup but tags. Then each
    `<` in it begins a tag, as XML allows none elsewhere, and the next end tag of its name is its own.
    """

    def __init__(self, spilled: Iterable[str]) -> None:
        names = {_written(linear_steps(path)[-1][1]) for path in spilled}
        self._tag = None if None in names else re.compile(
            b"<(/?)(" + b"|".join(sorted(filter(None, names))) + rb")(?=[\s/>])")

    def of(self, data: bytes) -> TagPlaces:
        """Return where a message, in UTF-8, has such tags."""
        if self._tag is None:
            return NO_PLACES
        starts, ends = list[int](), dict[int, int]()
        begun: dict[bytes, re.Match[bytes] | None] = {}
        for tag in self._tag.finditer(data):
            before, begun[tag[2]] = begun.get(tag[2]), None if tag[1] else tag
            if not tag[1]:
                starts.append(tag.start())
            elif before is not None and _is_plain(data, before, tag.start()):
                ends[before.start()] = tag.start()
        return TagPlaces(starts if len(starts) * _FAR < len(data) else None, ends)


NO_PLACES = TagPlaces(None, {})


def _is_plain(data: bytes, tag: re.Match[bytes], end: int) -> bool:
    start = tag.start()
    if end - start < _LEAST or any(data.find(each, start, end) >= 0 for each in _NOT_PLAIN):
        return False
    return data[tag.end()] == ord(">") or _EMPTY.match(data, start) is None


def _written(name: str) -> bytes | None:
    """Return a pattern of how a name test is written in a tag; None if any name passes it."""
    local = name.rpartition("}")[2].removeprefix("*:")
    prefix = rb"(?:[^\s<>/:]+:)?" if local != name else b""
    return None if local == "*" else prefix + re.escape(local.encode())
