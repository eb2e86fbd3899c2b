"""Which expressions many filters are likely to share: those that compare no value of a node with a constant."""

from __future__ import annotations

from dataclasses import replace

from xpubsub.language.xpath1.constants import OF_CONTEXT, is_constant, looks_at_context, node_sets
from xpubsub.language.xpath1.extensions import EXTENSIONS, NAMESPACE
from xpubsub.language.xpath1.tree import (
    COMPARING,
    Calling,
    Chars,
    Filtered,
    Location,
    Negative,
    Numeral,
    Operation,
    Root,
    XPathTree,
    children,
    type_of,
)

_OF_STRUCTURE = frozenset({"position", "last", "count", "name", "local-name", "namespace-uri", "lang"})
"""Functions that do not look at the values of nodes."""
_OF_TEXTS = frozenset({
    "contains", "starts-with", "substring", "substring-before", "substring-after", "translate", "concat"})
_DOWN = frozenset({
    "child", "descendant", "attribute", "following-sibling", "preceding-sibling", "following", "preceding",
    "namespace"})
"""Axes that never lead to the document."""
_INSIDE = frozenset({"child", "descendant", "descendant-or-self", "self", "attribute"})
_ABOVE = frozenset({"parent", "ancestor", "ancestor-or-self", "self"})


def is_shared(tree: XPathTree) -> bool:
    """Whether an expression has no functions but lxml's own, and no constants that only few filters would have."""
    match tree:
        case Calling(name, _) if (NAMESPACE, name) in EXTENSIONS or name == "id":
            return False
    return all(map(is_shared, children(tree))) and all(map(_without_values, _predicates(tree)))


def _predicates(tree: XPathTree) -> tuple[XPathTree, ...]:
    match tree:
        case Location(_, steps):
            return tuple(each for step in steps for each in step.predicates)
        case Filtered(_, predicates):
            return predicates
    return ()


def _without_values(tree: XPathTree) -> bool:
    """Whether a predicate compares no value of a node with a constant."""
    if isinstance(tree, Operation) and tree.op in COMPARING and any(map(is_constant, tree.parts)):
        return all(is_constant(part) or _is_structure(part) for part in tree.parts)
    if isinstance(tree, Calling) and tree.name in _OF_TEXTS and any(map(is_constant, tree.arguments)):
        return all(is_constant(part) or _is_structure(part) for part in tree.arguments)
    inside = children(tree) if not isinstance(tree, Location | Filtered) else ()
    return all(map(_without_values, inside))


def _is_structure(tree: XPathTree) -> bool:
    """Whether an expression does not look at the values of nodes."""
    match tree:
        case Calling(name, _) if name in _OF_STRUCTURE:
            return True
        case Calling(name, ()) if name in OF_CONTEXT:
            return False
        case Root() | Location() | Filtered():
            return False
    return all(map(_is_structure, children(tree)))


def is_small(tree: XPathTree) -> bool:
    """Whether the values of an expression, at all nodes of a message, take about as much room as the message at most.

    The values of siblings, or of what is above, would be repeated at each of many nodes.
    """
    match tree:
        case Calling("name" | "local-name" | "namespace-uri", _):
            return True
        case Calling() if type_of(tree) == "string":
            return all(map(is_small, tree.arguments))
        case Operation("|", parts):
            return all(map(is_small, parts))
        case Filtered(base, _):
            return is_small(base)
        case Location(None, steps):
            axes = [step.axis for step in steps]
            return _INSIDE.issuperset(axes) or (axes[-1] == "attribute" and _ABOVE.issuperset(axes[:-1]))
    return type_of(tree) != "nodes"


def is_absolute(tree: XPathTree) -> bool:
    """Whether an expression is the same wherever it stands in a message."""
    return not looks_at_context(tree) and all(map(_from_root, node_sets(tree)))


def _from_root(nodes: XPathTree) -> bool:
    return isinstance(nodes, Root) or (isinstance(nodes, Location) and isinstance(nodes.start, Root))


def at_document(tree: XPathTree) -> XPathTree:
    """Return an expression of the document node as one of any node."""
    match tree:
        case Location(None, steps):
            return Location(Root(), steps) if steps else Root()
        case Location(start, _) if start is not None:
            return replace(tree, start=at_document(start))
        case Filtered(base, _):
            return replace(tree, base=at_document(base))
        case Operation(_, parts):
            return replace(tree, parts=tuple(map(at_document, parts)))
        case Negative(part):
            return Negative(at_document(part))
        case Calling("position" | "last"):
            return Numeral("1")
        case Calling("lang", _):
            return Calling("false")
        case Calling("name" | "local-name" | "namespace-uri", (() | (Root() | Location(None, ()),))):
            return Chars("")
        case Calling(name, ()) if name in OF_CONTEXT:
            return Calling(name, (Root(),))
        case Calling(name, arguments):
            return Calling(name, tuple(map(at_document, arguments)))
    return tree


def may_select_document(tree: XPathTree) -> bool:
    """Whether a node-set may contain the document node, of which lxml does not return the value."""
    match tree:
        case Operation("|", parts):
            return any(map(may_select_document, parts))
        case Filtered(base, _):
            return may_select_document(base)
        case Location(_, (*_, last)):
            return last.axis not in _DOWN and last.test.kind == "node"
    return True


