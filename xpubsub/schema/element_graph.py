"""Schemas as element graphs: which element may contain which (Diao & Franklin, section 4.1).

A schema describes only tag paths that *conform*: each name is declared and each step is an edge of the graph. What ANY
content allows is not an edge, and so does not conform.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import pairwise

from xpubsub.language.xpath.linear import accepted_names
from xpubsub.schema.graph import loops, reachable, reverse

FORMAT = 1
"""The version of the format that `dumps` writes."""


@dataclass(frozen=True)
class Schema:
    """An element graph; names are written as in linear paths: `local` or `{uri}local`."""

    elements: Mapping[str, frozenset[str]] = field(hash=False)
    """Each declared element with the names of its possible children."""
    roots: frozenset[str]
    """The elements with which a document may start."""
    anything: frozenset[str] = frozenset()
    """Elements with ANY content, which may have children that the schema does not name."""

    @cached_property
    def _below(self) -> dict[str, frozenset[str]]:
        return {}

    @cached_property
    def _loops(self) -> dict[str, int]:
        return loops(self.elements)

    @cached_property
    def _parents(self) -> dict[str, set[str]]:
        return reverse(self.elements)

    @cached_property
    def _matching(self) -> dict[str, frozenset[str]]:
        return {}

    def below(self, name: str) -> frozenset[str]:
        """Return the elements that may be descendants of an element."""
        if name not in self._below:
            self._below[name] = frozenset(reachable(self._children(name), self.elements))
        return self._below[name]

    def on_loop(self, name: str) -> bool:
        """Whether an element may contain itself."""
        return name in self._loops

    def on_same_loop(self, one: str, other: str) -> bool:
        """Whether each of two elements may contain the other."""
        return one in self._loops and self._loops[one] == self._loops.get(other)

    def recursive(self) -> frozenset[str]:
        """Return all elements on a loop."""
        return frozenset(self._loops)

    def matching(self, step: str) -> frozenset[str]:
        """Return the elements that a step of a linear path selects: `name`, `*`, `{uri}*` or `*:name`."""
        if step not in self._matching:
            every = step == "node()"
            names = (name for name in self.elements if every or step in accepted_names(name))
            self._matching[step] = frozenset(names)
        return self._matching[step]

    def repeats(self, step: str) -> bool:
        """Whether one element that a step selects may contain another; for a name, whether it is on a loop."""
        wanted = self.matching(step)
        return any(not wanted.isdisjoint(self.below(name)) for name in wanted)

    def conforms(self, tagpath: tuple[str, ...]) -> bool:
        """Whether a tag path is one of the graph; the attribute or the text at its end does not matter."""
        names = tagpath[:-1] if tagpath and is_leaf(tagpath[-1]) else tagpath
        if not all(name in self.elements for name in names):
            return False
        steps = pairwise(names)
        return (not names or names[0] in self.roots) and all(child in self.elements[name] for name, child in steps)

    def only_path(self, before: str | None, after: str) -> tuple[str, ...] | None:
        """Return the names from below an element, or the document (None), to another, if there is only one way.

        Returns None if there are several ways or none, or if ANY content may hide some.
        """
        within = reachable(self.roots if before is None else [before], self.elements)
        above: set[str] = reachable([after], self._parents)
        leading = within & above
        if within & self.anything or any(map(self.on_loop, leading)):
            return None
        chain: list[str] = []
        ahead = self._children(before) & leading
        while len(ahead) == 1:
            chain.extend(ahead)
            [last] = ahead
            if last == after:
                return tuple(chain)
            ahead = self._children(last) & leading
        return None

    def _children(self, name: str | None) -> frozenset[str]:
        return self.roots if name is None else self.elements.get(name, frozenset())

    def dumps(self) -> str:
        """Return canonical JSON: equal schemas have equal texts."""
        elements = {name: sorted(children) for name, children in self.elements.items()}
        parts = {"anything": sorted(self.anything), "elements": elements, "format": FORMAT, "roots": sorted(self.roots)}
        return json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def is_leaf(name: str) -> bool:
    """Whether a name is that of an attribute or of text, below which there is nothing."""
    return name.startswith("@") or name == "text()"


def loads(text: str) -> Schema:
    """Read the text that `dumps` returns."""
    parts = json.loads(text)
    elements = {name: frozenset(children) for name, children in parts["elements"].items()}
    return Schema(elements, frozenset(parts["roots"]), frozenset(parts["anything"]))


def merge_schemas(schemas: Iterable[Schema]) -> Schema:
    """Return the union of graphs: a tag path that conforms to one of them conforms to it."""
    return reduce(_union, schemas, Schema({}, frozenset()))


def _union(one: Schema, other: Schema) -> Schema:
    nothing: frozenset[str] = frozenset()
    names = [*one.elements, *(name for name in other.elements if name not in one.elements)]
    elements = {name: one.elements.get(name, nothing) | other.elements.get(name, nothing) for name in names}
    return Schema(elements, one.roots | other.roots, one.anything | other.anything)
