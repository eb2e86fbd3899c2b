"""XML Schema 1.0 → element graph: the children of an element are those of its types and of the types derived from them.

A type is a set of references to elements and of other contents that belong to it: its base, groups. What an element
may contain is found by following them. Where a schema says less than it could, the graph has more edges, not fewer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from xpubsub.language.xpath.syntax import expanded_name
from xpubsub.schema.element_graph import Schema
from xpubsub.schema.graph import reachable
from xpubsub.schema.source import Source
from xpubsub.schema.xsd_content import ANYTHING, Contents, Key
from xpubsub.schema.xsd_documents import Name, read_tree
from xpubsub.schema.xsd_files import global_definitions


def read_xsd(sources: Sequence[Source]) -> Schema:
    """The graph of the files of an XML schema, given together."""
    return _Graph(Contents(global_definitions([read_tree(source) for source in sources]))).schema()


class _Graph:
    """From contents, by name, to the children of elements."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents

    def schema(self) -> Schema:
        elements: dict[str, frozenset[str]] = {}
        anything: set[str] = set()
        for name, types in self._contents.declared.items():
            keys = self._all(self._possible(types))
            elements[name] = frozenset(child for key in keys for child in self._children(key))
            if ANYTHING in keys:
                anything.add(name)
        roots = (expanded_name(*name) for name in self._contents.globals if name not in self._contents.abstract)
        return Schema(elements, frozenset(roots), frozenset(anything))

    def _possible(self, types: Iterable[Key]) -> set[Key]:
        """Some types and whatever is derived from them: xsi:type may name it in a message."""
        return reachable(types, self._contents.derived)

    def _all(self, types: Iterable[Key]) -> set[Key]:
        """Some types and groups, and those that belong to them."""
        return reachable(types, self._contents.parts)

    def _children(self, key: Key) -> set[str]:
        names = set(self._contents.local.get(key, ()))
        for name in self._contents.references.get(key, ()):
            names.update(expanded_name(*each) for each in self._standing_for[name])
        return names

    @cached_property
    def _standing_for(self) -> dict[Name, set[Name]]:
        """For a global element those that may stand in its place: itself and its substitution group, not abstract."""
        contents = self._contents
        return {name: reachable([name], contents.members) - contents.abstract for name in contents.globals}
