"""The judge of XPath: lxml. A relative path at the top starts at the document node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lxml import etree

_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)


def parse(xml: str | bytes) -> etree._ElementTree:
    """A message as lxml sees it."""
    root = etree.fromstring(xml.encode() if isinstance(xml, str) else xml, _PARSER)
    return root.getroottree()


def compiled(expression: str, namespaces: Mapping[str, str] | None = None) -> etree.XPath:
    """`boolean(expression)` with the document node as context."""
    return etree.XPath(f"boolean(/self::node()[boolean({expression})])", namespaces=dict(namespaces or {}))


def judge(expression: str, xml: str | bytes, namespaces: Mapping[str, str] | None = None) -> bool:
    """Whether one message matches one expression."""
    return bool(compiled(expression, namespaces)(parse(xml)))


def verdicts(
    messages: Mapping[str, str | bytes], expressions: Mapping[str, str], namespaces: Mapping[str, str]
) -> set[tuple[str, str]]:
    """All (message id, subscription id) pairs that match."""
    trees = {message_id: parse(xml) for message_id, xml in messages.items()}
    matches: set[tuple[str, str]] = set()
    for subscription_id, expression in expressions.items():
        xpath = compiled(expression, namespaces)
        matches.update((message_id, subscription_id) for message_id, tree in trees.items() if xpath(tree))
    return matches


def pairs(rows: Iterable[Mapping[str, str]]) -> set[tuple[str, str]]:
    """Notifications as pairs, each at most once."""
    found = [(row["message_id"], row["subscription_id"]) for row in rows]
    assert len(found) == len(set(found)), "a notification came twice"
    return set(found)
