"""Decides at which elements a document is cut: a tree of tag paths, each looked up once."""

from __future__ import annotations

from collections.abc import Iterable

from xpubsub.language.xpath.syntax import expanded_name
from xpubsub.match.path_automaton import PathAutomaton

MOST_UNIT_PATHS = 50_000
"""How many tag paths are cached at a time, so that a hostile document cannot fill the memory."""


class UnitNode:
    """One tag path of the envelope: whether its elements are units, and the tag paths one step further."""

    __slots__ = ("children", "selected", "tagpath")

    def __init__(self, tagpath: str, selected: bool) -> None:
        self.tagpath = tagpath
        self.selected = selected
        self.children: dict[str, UnitNode] = {}


class UnitPaths:
    """The paths of units, as linear paths."""

    def __init__(self, linear_paths: Iterable[str]) -> None:
        self._automaton = PathAutomaton(linear_paths)
        self.root = UnitNode("", False)
        self._size = 0

    def outermost(self, most: int) -> list[str]:
        """Return the tag paths of elements that were seen, the shortest first."""
        found, level = list[str](), [self.root]
        while level and len(found) < most:
            level = [child for node in level for child in node.children.values()]
            found += [node.tagpath for node in level]
        return found[:most]

    def child(self, parent: UnitNode, raw: str) -> UnitNode:
        """Return the tag path of a child element, given its name as expat writes it."""
        uri, _, local = raw.rpartition("\n")
        tagpath = f"{parent.tagpath}/{expanded_name(uri, local)}"
        node = UnitNode(tagpath, bool(self._automaton.matches(tagpath)))
        if self._size < MOST_UNIT_PATHS:
            self._size += 1
            parent.children[raw] = node
        return node
