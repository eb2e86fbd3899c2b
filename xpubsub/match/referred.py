"""Sets the columns of reference tables as attributes on the tree of a message, for lxml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lxml import etree

from xpubsub.language.xpath.linear import REFERENCE_NAMESPACE
from xpubsub.match.keys import KeyPath


@dataclass(frozen=True)
class ReferredValues:
    """The columns of reference tables for the keys of a batch."""

    paths: tuple[KeyPath, ...]
    values: Mapping[int, Mapping[str, Mapping[str, str]]]
    """By table, key and column."""

    def enrich(self, tree: etree._ElementTree) -> None:
        """Set the attributes in a message; its own attributes of this namespace are removed first."""
        for name in list(tree.xpath(f"//@*[namespace-uri() = '{REFERENCE_NAMESPACE}']")):
            name.getparent().attrib.pop(name.attrname, None)
        taken: set[tuple[etree._Element, str]] = set()
        for path in self.paths:
            self._set(path, tree, taken)

    def _set(self, path: KeyPath, tree: etree._ElementTree, taken: set[tuple[etree._Element, str]]) -> None:
        """Set the columns of one table; of two columns with a name the first counts, whether it has a value or not."""
        rows = self.values.get(path.call_no, {})
        for element, key in _keys(path, tree):
            row = rows.get(key, {})
            for column in path.columns:
                if (element, column) not in taken:
                    taken.add((element, column))
                    if column in row:
                        element.set(f"{{{REFERENCE_NAMESPACE}}}{column}", row[column])


def key_values(path: KeyPath, tree: etree._ElementTree) -> list[str]:
    """Return the keys in a message, each once."""
    return list(dict.fromkeys(key for _, key in _keys(path, tree)))


def _keys(path: KeyPath, tree: etree._ElementTree) -> list[tuple[etree._Element, str]]:
    """Return the elements that have columns, each with its key."""
    nodes = tree.xpath(path.xpath)
    if path.of_attributes:
        return [(node.getparent(), str(node)) for node in nodes]
    return [(node, _string(node)) for node in nodes]


_STRING = etree.XPath("string()")


def _string(element: etree._Element) -> str:
    return str(_STRING(element))
