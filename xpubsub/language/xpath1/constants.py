"""Constants inside expressions: what does not depend on a message is computed once."""

from __future__ import annotations

import math

from xpubsub.language.xpath.syntax import Literal, Number
from xpubsub.language.xpath1.extensions import NoValue
from xpubsub.language.xpath1.libxml import evaluated
from xpubsub.language.xpath1.tree import (
    AnyTest,
    AxisStep,
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
)

OF_CONTEXT = frozenset({"string", "number", "string-length", "normalize-space", "name", "local-name", "namespace-uri"})
"""Functions that look at the context node if they have no argument."""


NO_NODE = Location(Root(), (AxisStep("parent", AnyTest("node")),))
"""A path that selects nothing in any message."""


def looks_at_context(tree: XPathTree) -> bool:
    """Whether an expression uses the context node, position or size other than by a path."""
    if isinstance(tree, Calling) and _is_of_context(tree):
        return True
    return any(map(looks_at_context, _same_context(tree)))


def _is_of_context(call: Calling) -> bool:
    return call.name in ("position", "last", "lang") or (call.name in OF_CONTEXT and not call.arguments)


def looks_at_position(tree: XPathTree) -> bool:
    """Whether an expression uses the context position or size."""
    if isinstance(tree, Calling) and tree.name in ("position", "last"):
        return True
    return any(map(looks_at_position, _same_context(tree)))


def is_constant(tree: XPathTree) -> bool:
    """Whether an expression has the same value for every message."""
    return not looks_at_context(tree) and not node_sets(tree)


def node_sets(tree: XPathTree) -> list[XPathTree]:
    """Return the outermost node-sets in an expression."""
    if isinstance(tree, Root | Location | Filtered) or (isinstance(tree, Calling) and tree.name == "id"):
        return [tree]
    return [found for each in _same_context(tree) for found in node_sets(each)]


def _same_context(tree: XPathTree) -> tuple[XPathTree, ...]:
    """Return the parts of an expression that have its context: not the predicates of its paths."""
    match tree:
        case Location(start, _):
            return () if start is None else (start,)
        case Filtered(base, _):
            return (base,)
        case _:
            return children(tree)


def constant_value(tree: XPathTree) -> str | float | bool | None:
    """Return the value of a constant; None if an expression is none, or has no ordinary value."""
    match tree:
        case Chars():
            return tree.value
        case Numeral():
            return tree.value
        case Negative(Numeral() as part):
            return -part.value
    if not is_constant(tree):
        return None
    try:
        value = evaluated(tree)
    except NoValue:
        return None
    return None if isinstance(value, float) and not math.isfinite(value) else value


def core_constant(value: str | float) -> Literal | Number:
    """Return a constant of the core language."""
    return Literal(value) if isinstance(value, str) else Number(float(value))


def emptied(tree: XPathTree) -> XPathTree:
    """Replace each outermost node-set by one that is empty."""
    match tree:
        case Root() | Location() | Filtered() | Calling("id", _):
            return NO_NODE
        case Operation("|", _):
            return NO_NODE
        case Operation(op, parts):
            return Operation(op, tuple(map(emptied, parts)))
        case Calling(name, arguments):
            return Calling(name, tuple(map(emptied, arguments)))
        case Negative(part):
            return Negative(emptied(part))
    return tree
