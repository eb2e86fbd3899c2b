"""Counts the elements of some of the messages, by tag path: the statistics from which a choice is made."""

from __future__ import annotations

from collections.abc import Iterable

from lxml import etree

from xpubsub.spill.statistics import Statistics

_MESSAGES, _BYTES = 16, 256 * 1024
"""How much of a batch is looked at: so many messages, and so many bytes."""
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
        left = _BYTES
        for xml, _ in zip(messages, range(_MESSAGES), strict=False):
            if left <= 0:
                break
            counted = elements_of(xml[:left])
            left -= len(xml)
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
    counted: dict[str, tuple[int, int]] = {}
    parser = etree.XMLPullParser(("start", "end"), resolve_entities=False, no_network=True, load_dtd=False)
    around: list[tuple[str, int]] = [("", 0)]

    def add(tagpath: str, number: int, size: int) -> None:
        before = counted.get(tagpath, (0, 0))
        counted[tagpath] = before[0] + number, before[1] + size

    try:
        parser.feed(xml)
        for event, element in parser.read_events():
            if event == "start":
                tagpath = f"{around[-1][0]}/{element.tag}"
                for name in element.attrib:
                    add(f"{tagpath}/@{name}", 1, 1)
                around.append((tagpath, 2 + len(element.attrib)))
                continue
            tagpath, size = around.pop()
            texts = sum(bool(text and text.strip()) for text in (element.text, *(child.tail for child in element)))
            if texts:
                add(f"{tagpath}/text()", texts, texts)
            add(tagpath, 1, size + texts)
            around[-1] = around[-1][0], around[-1][1] + size + texts
    except etree.XMLSyntaxError:
        return counted
    return counted
