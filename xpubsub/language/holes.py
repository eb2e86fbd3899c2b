"""The text of holes, fillers and cuts: how outputs and copies show what was spilled (Wei 2010, Appendix E.1)."""

from __future__ import annotations

import re
from typing import NamedTuple

from xpubsub.language.flwr.tags import escaped_attribute

SPILL_NAMESPACE = "urn:xpubsub:spill"
"""The namespace of holes and fillers; messages that mention it are not spilled."""
CUT, CUT_TEXT, CUT_END = "\x01", "\x03", "\x02"
"""Around a spilled element in a copy: its place among those of the message, and its text if it is known. XML allows
none of these characters."""
_CUT = re.compile(f"{CUT}([0-9]+)(?:{CUT_TEXT}([^{CUT_END}]*))?{CUT_END}")
_IDS = r'xmlns:xps="urn:xpubsub:spill" bpu="([^"]*)" result="([^"]*)" path="([^"]*)"'
HOLE = re.compile(f"<xps:hole {_IDS}/>")
"""A hole in an output; its groups are its three ids, as they are written."""
_FILLER = re.compile(f"<xps:filler {_IDS}>")
_END = "</xps:filler>"


class HoleIds(NamedTuple):
    """The three ids by which a filler finds its hole, escaped as in a tag."""

    bpu: str
    """The message."""
    result: str
    """The number of the hole: that of the spilled message in the store, and a running number in the output."""
    path: str
    """What is missing: a tag path of the message, a path of the transformation, or a constructed element."""

    @classmethod
    def of(cls, bpu: str, result: str, path: str) -> HoleIds:
        """Return the ids for given texts."""
        return cls(*map(escaped_attribute, (bpu, result, path)))

    def hole(self) -> str:
        """Return the hole."""
        return f"<xps:hole {self._attributes()}/>"

    def filler(self, content: str) -> str:
        """Return the filler with the given content."""
        return f"<xps:filler {self._attributes()}>{content}{_END}"

    def _attributes(self) -> str:
        return f'xmlns:xps="{SPILL_NAMESPACE}" bpu="{self.bpu}" result="{self.result}" path="{self.path}"'


def filler_of(text: str) -> tuple[HoleIds, str] | None:
    """Return the ids and the content of a filler; None if the text is none."""
    start = _FILLER.match(text)
    if start is None or not text.endswith(_END):
        return None
    return HoleIds(*start.groups()), text[start.end() : -len(_END)]


def pieces_of(copy: str) -> list[tuple[str, int | None, str | None]]:
    """Split a copy at its cuts into (text, place of the spilled element that follows, its text if known)."""
    pieces: list[tuple[str, int | None, str | None]] = []
    end = 0
    for cut in _CUT.finditer(copy):
        pieces.append((copy[end : cut.start()], int(cut[1]), cut[2]))
        end = cut.end()
    return [*pieces, (copy[end:], None, None)]


def uncut(copy: str) -> str:
    """Return a complete copy without the marks around spilled elements."""
    return _CUT.sub(lambda cut: cut[2] or "", copy) if CUT in copy else copy
