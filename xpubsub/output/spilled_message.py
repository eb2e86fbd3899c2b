"""A message of which elements are spilled, as templates see it: what is there, and where something is missing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from xpubsub.language.holes import pieces_of, uncut
from xpubsub.language.xpath.linear import components, linear_steps
from xpubsub.match.path_automaton import PathAutomaton
from xpubsub.output.default_namespace import without_default
from xpubsub.output.parts import Copies, OutputMessage, Returned


@dataclass(frozen=True)
class Missing:
    """A place in an output where something is missing."""

    path: str
    """What is missing, for the hole's `path`."""
    content: str | None
    """What belongs there; None if it is not known yet."""


Segment = str | Missing
Segments = list[Segment]
"""An output: texts, and what is missing between them."""


class SpilledElement(NamedTuple):
    """A spilled element: its tag path, the ids of its first and last node, and of the nodes around it."""

    tagpath: str
    tagpath_id: int
    first: int
    last: int
    above: tuple[int, ...]


@dataclass(frozen=True)
class SpilledUnit:
    """A message of which elements are spilled: its id, its number in the store, and the elements in document order.

    A worker that does not know the number has a mark instead.
    """

    message_id: str
    number: int | str
    elements: Sequence[SpilledElement]


@dataclass(frozen=True)
class SpilledMessage:
    """The nodes of a message and its spilled elements; `complete` if those have been read, too."""

    unit: SpilledUnit
    cut_copies: Copies
    """Copies of nodes, with cuts where elements are spilled."""
    returned: Returned
    complete: bool
    values: Mapping[int, str] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)
    written: dict[tuple[str, int, int, bool], Segments] = field(default_factory=dict)
    """The segments of returned paths below a base, which all templates share."""

    @cached_property
    def whole(self) -> OutputMessage:
        """The message without cuts, for outputs in which nothing is missing."""
        copies = {node: (uncut(text), bare) for node, (text, bare) in self.cut_copies.items()}
        return OutputMessage(copies, self.returned, values=self.values, names=self.names)

    @cached_property
    def _firsts(self) -> list[int]:
        return [each.first for each in self.unit.elements]

    @cached_property
    def _below(self) -> dict[int, list[SpilledElement]]:
        """The spilled elements below each node; node 0 is the document."""
        below: dict[int, list[SpilledElement]] = {0: list(self.unit.elements)}
        for each in self.unit.elements:
            for node in each.above:
                below.setdefault(node, []).append(each)
        return below

    def present(self, node: int) -> bool:
        """Whether a node lies in no spilled element."""
        place = bisect_right(self._firsts, node) - 1
        return place < 0 or node > self.unit.elements[place].last

    def below(self, base: int) -> Sequence[SpilledElement]:
        """Return the spilled elements below a node, in document order."""
        return self._below.get(base, ())

    def hiding(self, path: str, base_position: int, base: int) -> list[SpilledElement]:
        """Return the spilled elements below a base in which nodes of a path from that base may be."""
        return [each for each in self.below(base) if _may_hide(
            each.tagpath, each.above.index(base) + 1 if base else 0, path, base_position)]

    def copy(self, node: int, has_default: bool) -> Segments:
        """Return the copy of a node, with what is missing in it."""
        text, bare = self.cut_copies[node]
        segments: Segments = []
        for before, place, missing in pieces_of(without_default(text) if has_default and bare else text):
            segments.append(before)
            if place is not None:
                segments.append(Missing(self.unit.elements[place].tagpath, missing))
        return segments


@lru_cache(maxsize=65536)
def _may_hide(tagpath: str, depth: int, path: str, base_position: int) -> bool:
    """Whether elements at a tag path may contain nodes of a linear path, given where a base stands on both."""
    steps = linear_steps(path)[base_position:]
    onward = "".join(f"{'//' if descends else '/'}{name}" for descends, name in steps)
    return bool(PathAutomaton([onward]).within("/" + "/".join(components(tagpath)[depth:])))
