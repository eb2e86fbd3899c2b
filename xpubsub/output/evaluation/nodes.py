"""The functions of nodes: their names, and whether two are deeply equal."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lxml import etree

from xpubsub.errors import DynamicError
from xpubsub.output.evaluation.comparing import distinct_key
from xpubsub.output.evaluation.functions import local_name, namespace_of, one_or_none
from xpubsub.output.evaluation.items import AttributeNode, TextNode, XItem, XItems, XNode, value_text
from xpubsub.output.evaluation.run import Run

_ELEMENT = re.compile(r"<([^\s/>]+)")
_ATTRIBUTE = re.compile(r' ([^\s=]+)="([^"]*)"')
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)


def _node(items: XItems, name: str) -> XNode | None:
    node = one_or_none(items, name)
    if node is not None and not isinstance(node, XNode):
        raise DynamicError("XPTY0004", f"{name}() is given {value_text(node)} instead of a node")
    return node


def _local_name(run: Run, items: XItems) -> XItems:
    node = _node(items, "local-name")
    return [local_name(run.message.names[node]) if node else ""]


def _namespace_uri(run: Run, items: XItems) -> XItems:
    node = _node(items, "namespace-uri")
    return [namespace_of(run.message.names[node]) if node else ""]


def _name(run: Run, items: XItems) -> XItems:
    node = _node(items, "name")
    if not node or isinstance(node, TextNode):
        return [""]
    text = run.message.copies[int(node)][0]
    if isinstance(node, AttributeNode):
        return [_attribute(text)[0]]
    match = _ELEMENT.match(text)
    return [match[1] if match else ""]


def _attribute(text: str) -> tuple[str, str, str]:
    """Return the name of a copied attribute, its namespace and its value."""
    namespace = ""
    for name, value in _ATTRIBUTE.findall(text):
        if not name.startswith("xmlns:"):
            return name, namespace, value
        namespace = value
    return "", "", ""


def deep_equal(run: Run, left: XItems, right: XItems) -> XItems:
    """Whether two sequences are equal item by item, elements with all that is in them."""
    return [len(left) == len(right) and all(_equal(run, *pair) for pair in zip(left, right, strict=True))]


def _equal(run: Run, left: XItem, right: XItem) -> bool:
    if type(left) is not type(right) and (isinstance(left, XNode) or isinstance(right, XNode)):
        return False
    if not isinstance(left, XNode):
        return distinct_key(left) == distinct_key(right)
    one, other = (run.message.copies[int(each)][0] for each in (left, right))
    if left == right or isinstance(left, TextNode):
        return one == other
    if isinstance(left, AttributeNode):
        (name, *rest), (name_2, *rest_2) = _attribute(one), _attribute(other)
        return name.rpartition(":")[2] == name_2.rpartition(":")[2] and rest == rest_2
    return _same(etree.fromstring(one.encode(), _PARSER), etree.fromstring(other.encode(), _PARSER))


def _same(left: Any, right: Any) -> bool:
    return bool(
        left.tag == right.tag and dict(left.attrib) == dict(right.attrib) and (left.text or "") == (right.text or "")
        and len(left) == len(right)
        and all((a.tail or "") == (b.tail or "") and _same(a, b) for a, b in zip(left, right, strict=True)))


OF_NODES: dict[str, Callable[[Run, XItems], XItems]] = {
    "local-name": _local_name, "name": _name, "namespace-uri": _namespace_uri,
}
