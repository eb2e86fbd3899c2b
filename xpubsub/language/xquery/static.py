"""What is known of an expression's value before any message: from which paths its nodes are, or what kind of value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

from xpubsub.language.flwr.tags import Tags
from xpubsub.language.xpath.normal import Hop
from xpubsub.language.xpath.syntax import Path
from xpubsub.language.xquery.functions import SIGNATURES
from xpubsub.language.xquery.syntax import (
    BinaryOperation,
    Cast,
    Conditional,
    Expression,
    FilteredItems,
    FlworExpression,
    FunctionCall,
    ItemSequence,
    NegativeNumber,
    OwnCall,
    PathExpression,
    QueryConstant,
    Variable,
)

NodeTrail = tuple[Hop, ...]
"""The way from the document to a node."""
Code = list[Any]
"""An expression as the message factory reads it: an operation with its operands, as JSON."""
_ARITHMETIC = ("+", "-", "*", "div", "mod", "idiv", "to")


@dataclass(frozen=True)
class Static:
    """The trails of the nodes that a value may contain, the kind of its atomic values, whether it has made nodes."""

    trails: frozenset[NodeTrail] = frozenset()
    kind: str = ""
    """Empty without atomic values, `any` if they may be of several kinds."""
    made: bool = False

    def joined(self, other: Static) -> Static:
        """Return what is known of a value that is of either."""
        kind = self.kind if self.kind == other.kind or not other.kind else other.kind if not self.kind else "any"
        return Static(self.trails | other.trails, kind, self.made or other.made)


NO_ITEMS, NUMBERS, STRINGS, TRUTHS = Static(), Static(kind="number"), Static(kind="string"), Static(kind="boolean")
WHOLE_MESSAGE = Static(frozenset({()}))


@dataclass(frozen=True)
class Place:
    """A place in a query: what is known of the variables and of the context item there."""

    slots: Mapping[int, Static] = field(default_factory=dict)
    focus: Static = WHOLE_MESSAGE
    tags: Tags | None = None
    """The namespaces around, where a result goes into what is being made; None where it becomes a value."""
    plain: Mapping[int, Path] = field(default_factory=dict)
    """The variables of `let` that stand for a path which joins can follow."""
    outermost: bool = False
    """Whether a `for` here decides if there is an output."""
    calls: tuple[str, ...] = ()
    """The functions around."""

    @property
    def value(self) -> Place:
        """The same place for an expression whose result becomes a value."""
        return replace(self, tags=None, outermost=False)

    @property
    def inside(self) -> Place:
        """The same place for a part whose result is made into the same node, but decides nothing."""
        return replace(self, outermost=False)

    def with_slot(self, slot: int, static: Static) -> Place:
        """Return the place after a variable is bound."""
        return replace(self, slots={**self.slots, slot: static})

    def at(self, focus: Static) -> Place:
        """Return the place of an expression that is evaluated at each of some items."""
        return replace(self.value, focus=focus)


def may_be_position(expr: Expression, slots: Mapping[int, Static]) -> bool:
    """Whether a predicate may be a number, or may ask for the position."""
    return _may_be_number(expr, slots) or any(
        isinstance(each, FunctionCall) and each.name in ("position", "last") for each in walked(expr))


def _may_be_number(expr: Expression, slots: Mapping[int, Static]) -> bool:
    match expr:
        case QueryConstant(value):
            return not isinstance(value, str)
        case NegativeNumber() | OwnCall() | FlworExpression() | ItemSequence():
            return True
        case Cast(kind=kind):
            return kind != "castable"
        case Variable(slot):
            return slots[slot].kind in ("number", "any")
        case FunctionCall(name):
            return SIGNATURES[name].gives in ("number", "any", "same")
        case BinaryOperation(op):
            return op in _ARITHMETIC
        case Conditional(_, then, otherwise):
            return _may_be_number(then, slots) or _may_be_number(otherwise, slots)
        case PathExpression(_, steps):
            return bool(steps) and _may_be_number(steps[-1], slots)
        case FilteredItems(base):
            return _may_be_number(base, slots)
    return False


def walked(node: object) -> Iterable[object]:
    """Yield an expression and all that is in it."""
    yield node
    if is_dataclass(node):
        for each in fields(node):
            yield from walked(getattr(node, each.name))
    elif isinstance(node, tuple):
        for part in node:
            yield from walked(part)
