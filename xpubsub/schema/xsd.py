"""Reads XML Schema 1.0 into an element graph: an element has the children of its types and of types derived from them.

A type refers to elements, and to other contents that belong to it: its base and groups. Following these references
gives what an element may contain. Where the schema is imprecise, the graph has more edges, not fewer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from xpubsub.language.xpath.syntax import expanded_name
from xpubsub.schema.element_graph import Schema
from xpubsub.schema.graph import reachable
from xpubsub.schema.source import SchemaFile
from xpubsub.schema.xsd_content import ANYTHING, Contents, Key
from xpubsub.schema.xsd_documents import XsdName, read_tree
from xpubsub.schema.xsd_files import global_definitions


def read_xsd(sources: Sequence[SchemaFile]) -> Schema:
    """Return the graph of the files of an XML schema, given together."""
    return _Graph(Contents(global_definitions([read_tree(source) for source in sources]))).schema()


class _Graph:
    """Builds the children of elements from contents by name."""

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
        """Return some types and all types derived from them, which xsi:type may name in a message."""
        return reachable(types, self._contents.derived)

    def _all(self, types: Iterable[Key]) -> set[Key]:
        """Return some types and groups, and those that belong to them."""
        return reachable(types, self._contents.parts)

    def _children(self, key: Key) -> set[str]:
        names = set(self._contents.local.get(key, ()))
        for name in self._contents.references.get(key, ()):
            names.update(expanded_name(*each) for each in self._standing_for[name])
        return names

    @cached_property
    def _standing_for(self) -> dict[XsdName, set[XsdName]]:
        """Return for each global element the non-abstract ones that may replace it: itself, its substitution group."""
        contents = self._contents
        return {name: reachable([name], contents.members) - contents.abstract for name in contents.globals}
