"""Conditions on a node that are only about its parent."""

from __future__ import annotations

from dataclasses import replace

from xpubsub.language.xpath1.constants import looks_at_context
from xpubsub.language.xpath1.inexact import Inexact
from xpubsub.language.xpath1.steps import PARENT_STEP
from xpubsub.language.xpath1.tree import Calling, Filtered, Location, Negative, Operation, Root, XPathTree


def conjuncts(predicates: tuple[XPathTree, ...]) -> list[XPathTree]:
    """Return the conditions that predicates without positions join by `and`."""
    return [part for each in predicates for part in _conjuncts(each)]


def _conjuncts(tree: XPathTree) -> list[XPathTree]:
    match tree:
        case Operation("and", parts):
            return conjuncts(parts)
        case Calling("not", (Operation("or", parts),)):
            return conjuncts(tuple(Calling("not", (part,)) for part in parts))
        case Calling("not", (Calling("not", (part,)),)):
            return _conjuncts(Calling("boolean", (part,)))
    return [tree]


def above_only(tree: XPathTree) -> XPathTree | None:
    """Return a condition as seen from the parent; None if it is not only about the parent."""
    if looks_at_context(tree):
        return None
    try:
        moved = _moved(tree)
    except Inexact:
        return None
    return None if moved == tree else moved


def _moved(tree: XPathTree) -> XPathTree:
    """Take the first `..` off each path; raises `Inexact` if a path does not begin with it."""
    match tree:
        case Location(None, steps):
            if not steps or steps[0] != PARENT_STEP:
                raise Inexact
            return Location(None, steps[1:])
        case Location(Root(), _) | Root():
            return tree
        case Location(start, _) if start is not None:
            return replace(tree, start=_moved(start))
        case Filtered(base, _):
            return replace(tree, base=_moved(base))
        case Operation(_, parts):
            return replace(tree, parts=tuple(map(_moved, parts)))
        case Calling(_, arguments):
            return replace(tree, arguments=tuple(map(_moved, arguments)))
        case Negative(part):
            return Negative(_moved(part))
    return tree
