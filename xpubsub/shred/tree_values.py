"""Asks lxml for values of nodes that need the tree around them, once per message, value and node.

The message is parsed when it has been read, and only if such a value is needed. The nodes at a tag path are the same
for our reader and for lxml, in document order.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter

from lxml import etree

from xpubsub.errors import EngineError
from xpubsub.language.xpath.linear import components
from xpubsub.language.xpath.syntax import unescaped
from xpubsub.language.xpath1.libxml import compiled_xpath
from xpubsub.language.xpath1.tree_values import TreeValue
from xpubsub.match.filter_checks import parsed_source
from xpubsub.match.uses import NUMBER
from xpubsub.shred.encodings import in_utf_8
from xpubsub.shred.node_rows import NodeRow
from xpubsub.shred.value_rows import ValueColumns, value_rows, written_value

_STRING = etree.XPath("string()")
_NODE_ID = itemgetter(2)


class TreeStep:
    """The step from nodes at a tag path to values that lxml computes at these nodes."""

    def __init__(self, name: str, tagpath_id: int, use: int) -> None:
        value = TreeValue.named(name)
        self._xpath = compiled_xpath(value.expression, value.namespaces)
        self._numeric = bool(use & NUMBER)
        self.tagpath_id = tagpath_id
        self.needs = value.needs

    def values(self, node: etree._Element | etree._ElementTree) -> list[ValueColumns]:
        """Return the values at a node: one, or for a node-set those of its nodes."""
        try:
            found = self._xpath(node)
        except etree.XPathError as error:
            raise EngineError(f"lxml cannot evaluate {self._xpath.path}: {error}", step="shred") from None
        texts = dict.fromkeys(map(_string_value, found)) if isinstance(found, list) else [written_value(found)]
        return [(self.tagpath_id, text, text if self._numeric else None) for text in texts]


class TreeSteps:
    """All such steps from the nodes at one tag path."""

    def __init__(self, tagpath: str, steps: list[TreeStep]) -> None:
        self._steps = steps
        self._nodes = _nodes_at(tagpath) if tagpath != "/" else None
        self.always = any(not step.needs for step in steps)
        """Whether some value is needed wherever there is such a node."""

    def rows(self, contexts: list[NodeRow], tree: etree._ElementTree, reached: set[str]) -> Iterable[NodeRow]:
        """Yield the rows of the values at some nodes, given the linear paths that lead to nodes of the message."""
        steps = [step for step in self._steps if not step.needs or not reached.isdisjoint(step.needs)]
        nodes = [tree] if self._nodes is None else self._nodes(tree)
        for row, node in zip(sorted(contexts, key=_NODE_ID), nodes, strict=False):
            for step in steps:
                yield from value_rows(row, step.values(node))


class TreeRows:
    """The nodes of one message at which values are asked for."""

    def __init__(self) -> None:
        self._contexts: dict[int, tuple[TreeSteps, list[NodeRow]]] = {}
        self._reached: set[str] = set()

    def clear(self) -> None:
        """Forget the message."""
        self._contexts.clear()
        self._reached.clear()

    def reach(self, linear_paths: Iterable[str]) -> None:
        """Note that some linear paths lead to a node."""
        self._reached.update(linear_paths)

    def add(self, row: NodeRow, steps: TreeSteps) -> None:
        """Note a node at which values are asked for."""
        self._contexts.setdefault(row[1], (steps, []))[1].append(row)

    def rows(self, xml: object) -> Iterable[NodeRow]:
        """Yield the rows of all values, given the message."""
        asked = [each for each in self._contexts.values() if each[0].always or self._reached]
        tree = parsed_source(in_utf_8(xml)) if asked else None
        for steps, contexts in asked if tree is not None else ():
            yield from steps.rows(contexts, tree, self._reached)


def _nodes_at(tagpath: str) -> etree.XPath:
    """Return the path to the elements at a tag path, for lxml."""
    prefixes: dict[str, str] = {}
    steps = []
    for name in components(tagpath):
        uri, _, local = name.rpartition("}")
        prefix = prefixes.setdefault(unescaped(uri[1:]), f"n{len(prefixes)}") if uri else ""
        steps.append(f"{prefix}:{local}" if prefix else local)
    return compiled_xpath("/" + "/".join(steps), {prefix: uri for uri, prefix in prefixes.items()})


def _string_value(node: object) -> str:
    """Return the string value of a node as lxml returns it: also of attributes, texts, namespaces and comments."""
    if isinstance(node, str):
        return node
    if isinstance(node, tuple):
        return str(node[1])
    assert isinstance(node, etree._Element)
    return str(_STRING(node)) if isinstance(node.tag, str) else node.text or ""
