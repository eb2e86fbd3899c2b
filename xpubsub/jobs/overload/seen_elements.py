"""Counts the elements of some of the messages, by tag path: the statistics from which a choice is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from xml.parsers import expat

from defusedxml.common import DefusedXmlException

from xpubsub.language.xpath.syntax import expanded_name
from xpubsub.limits import Limits
from xpubsub.shred.reading import guard
from xpubsub.spill.statistics import Statistics

_MESSAGES, _BYTES, _MOST = 16, 128 * 1024, 512 * 1024
"""How much of a batch is looked at: so many messages, until they have so many bytes; and of one message at most."""
_UNITS = 256
"""Messages after which earlier ones count half."""
_TAGPATHS = 5_000
"""How many tag paths are counted at most."""


class SeenElements:
    """What messages have shown, the last ones counting most."""

    def __init__(self) -> None:
        self._units = 0.0
        self._totals: dict[str, tuple[float, float]] = {}

    def look(self, messages: Iterable[bytes]) -> None:
        """Count the elements of the first messages."""
        size = 0
        for xml, _ in zip(messages, range(_MESSAGES), strict=False):
            if size >= _BYTES:
                break
            counted = elements_of(xml[:_MOST])
            size += len(xml)
            self._units += 1
            for tagpath, (number, size) in counted.items():
                before = self._totals.get(tagpath, (0.0, 0.0))
                if before[0] or len(self._totals) < _TAGPATHS:
                    self._totals[tagpath] = before[0] + number, before[1] + size
        if self._units > _UNITS:
            self._units /= 2
            self._totals = {path: (number / 2, size / 2) for path, (number, size) in self._totals.items()}

    def statistics(self) -> Statistics:
        """Return the averages per message."""
        return Statistics.counted(self._units, self._totals)


def elements_of(xml: bytes) -> dict[str, tuple[int, int]]:
    """Return for each tag path of a message how many nodes it has, and their sizes in tokens; up to the first error."""
    root = _Counted("")
    current, tokens = root, 0
    around: list[tuple[_Counted, int]] = []

    def start(name: str, attributes: list[str]) -> None:
        nonlocal current, tokens
        around.append((current, tokens))
        current = current.children.get(name) or current.child(name)
        tokens += 1 + len(attributes) // 2
        for each in attributes[::2]:
            current.attributes[each] = current.attributes.get(each, 0) + 1

    def end(name: str) -> None:
        nonlocal current, tokens
        tokens += 1
        ended = current
        current, begun = around.pop()
        ended.number += 1
        ended.size += tokens - begun

    def text(data: str) -> None:
        nonlocal tokens
        if not data.isspace():
            tokens += 1
            current.texts += 1

    parser = expat.ParserCreate(None, "\n")
    parser.buffer_text = parser.ordered_attributes = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    guard(parser, Limits())
    with suppress(expat.ExpatError, DefusedXmlException, ValueError, LookupError):
        parser.Parse(xml, True)
    return dict(root.counted())


class _Counted:
    """The nodes with one tag path."""

    __slots__ = ("attributes", "children", "number", "size", "tagpath", "texts")

    def __init__(self, tagpath: str) -> None:
        self.tagpath = tagpath
        self.number = self.size = self.texts = 0
        self.children: dict[str, _Counted] = {}
        self.attributes: dict[str, int] = {}

    def child(self, name: str) -> _Counted:
        """Add a tag path one step further."""
        found = self.children[name] = _Counted(f"{self.tagpath}/{_expanded(name)}")
        return found

    def counted(self) -> Iterator[tuple[str, tuple[int, int]]]:
        """Yield all tag paths of which there are nodes, each with their number and their size."""
        if self.number:
            yield self.tagpath, (self.number, self.size)
        if self.texts:
            yield f"{self.tagpath}/text()", (self.texts, self.texts)
        for name, number in self.attributes.items():
            yield f"{self.tagpath}/@{_expanded(name)}", (number, number)
        for child in self.children.values():
            yield from child.counted()


def _expanded(name: str) -> str:
    uri, _, local = name.rpartition("\n")
    return expanded_name(uri, local)
