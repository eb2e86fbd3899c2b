"""The syntax tree of XQuery's expressions: small frozen classes without behaviour; variables are numbered slots."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from xpubsub.language.flwr.syntax import Name
from xpubsub.language.xpath.syntax import NodeTest


@dataclass(frozen=True)
class QueryConstant:
    """A literal."""

    value: str | int | Decimal | float


@dataclass(frozen=True)
class Variable:
    """The value of a variable."""

    slot: int
    name: str
    offset: int = 0


@dataclass(frozen=True)
class Context:
    """The context item."""

    offset: int = 0


@dataclass(frozen=True)
class MessageRoot:
    """The message, as a document."""

    offset: int = 0


@dataclass(frozen=True)
class QueryStep:
    """A step along an axis: child (also to attributes), or descendant."""

    axis: str
    test: NodeTest
    predicates: tuple[Expression, ...] = ()
    offset: int = 0


@dataclass(frozen=True)
class PathExpression:
    """Steps from the nodes of an expression; a step may be any expression, evaluated at each node."""

    start: Expression
    steps: tuple[Expression, ...]
    offset: int = 0


@dataclass(frozen=True)
class FilteredItems:
    """The items of an expression that pass predicates."""

    base: Expression
    predicates: tuple[Expression, ...]
    offset: int = 0


@dataclass(frozen=True)
class FunctionCall:
    """A call of a built-in function."""

    name: str
    arguments: tuple[Expression, ...]
    offset: int = 0


@dataclass(frozen=True)
class OwnCall:
    """A call of a function that the prolog declares."""

    name: str
    arguments: tuple[Expression, ...]
    offset: int = 0


@dataclass(frozen=True)
class BinaryOperation:
    """An operator with two operands: `and`, `or`, comparisons, arithmetic, sets of nodes, `to`, `||`."""

    op: str
    left: Expression
    right: Expression
    offset: int = 0


@dataclass(frozen=True)
class NegativeNumber:
    """A number with the other sign."""

    operand: Expression
    offset: int = 0


@dataclass(frozen=True)
class Cast:
    """`cast as`, `castable as`, and the conversion of an argument to a declared type."""

    operand: Expression
    type_name: str
    occurrence: str
    kind: str
    """`cast`, `castable` or `convert`."""
    offset: int = 0


@dataclass(frozen=True)
class Conditional:
    """`if (…) then … else …`."""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True)
class Quantified:
    """`some` or `every`."""

    every: bool
    bindings: tuple[tuple[int, Expression], ...]
    condition: Expression


@dataclass(frozen=True)
class ItemSequence:
    """Expressions one after the other."""

    parts: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class ForClause:
    """`for $x at $i in …`."""

    slot: int
    position: int | None
    source: Expression
    offset: int = 0


@dataclass(frozen=True)
class LetClause:
    """`let $x := …`."""

    slot: int
    value: Expression


@dataclass(frozen=True)
class WhereClause:
    """`where …`."""

    condition: Expression


@dataclass(frozen=True)
class OrderKey:
    """One key of `order by`."""

    key: Expression
    descending: bool
    empty_greatest: bool


@dataclass(frozen=True)
class OrderClause:
    """`order by …, …`; it is always stable."""

    keys: tuple[OrderKey, ...]


QueryClause = ForClause | LetClause | WhereClause | OrderClause


@dataclass(frozen=True)
class FlworExpression:
    """Clauses, and the result for each tuple that comes out of them."""

    clauses: tuple[QueryClause, ...]
    result: Expression


@dataclass(frozen=True)
class LiteralText:
    """Text between the tags of a direct constructor."""

    value: str


AttributeParts = tuple["str | Expression", ...]
"""The value of an attribute: text, and expressions in braces."""


@dataclass(frozen=True)
class ElementConstructor:
    """A direct constructor, or a computed one with a name that is known."""

    name: Name
    attributes: tuple[tuple[Name, AttributeParts], ...] = ()
    declared: tuple[tuple[str, str], ...] = ()
    content: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class ComputedNode:
    """A computed constructor: of an element or attribute whose name is known or (str) computed, or of a text."""

    kind: str
    name: Name | Expression | None
    content: Expression
    prefixes: tuple[tuple[str, str], ...] = ()
    """The namespaces in scope, for a computed name."""


Expression = (
    QueryConstant | Variable | Context | MessageRoot | QueryStep | PathExpression | FilteredItems | FunctionCall
    | OwnCall | BinaryOperation | NegativeNumber | Cast | Conditional | Quantified | ItemSequence | FlworExpression
    | LiteralText | ElementConstructor | ComputedNode
)


@dataclass(frozen=True)
class SequenceType:
    """A declared type: of atomic values by name, or of nodes (an empty name)."""

    atomic: str
    occurrence: str


@dataclass(frozen=True)
class OwnFunction:
    """A function that the prolog declares."""

    name: str
    parameters: tuple[tuple[int, SequenceType | None], ...]
    result: SequenceType | None
    body: Expression


@dataclass(frozen=True)
class XQuery:
    """A whole transformation."""

    body: Expression
    functions: dict[str, OwnFunction]
    slots: int
    """How many slots there are."""
    namespaces: tuple[tuple[str, str], ...] = ()
