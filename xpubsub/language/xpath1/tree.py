"""The syntax tree of any XPath 1.0 expression: small frozen classes without behaviour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneWord

ValueType = OneWord["nodes", "string", "number", "boolean"]
TestKind = OneWord["name", "node", "text", "comment", "processing-instruction"]


@dataclass(frozen=True)
class AnyTest:
    """What a step selects on its axis; `uri` or `local` of None means any, `local` may be the target of a PI."""

    kind: TestKind
    uri: str | None = None
    local: str | None = None


@dataclass(frozen=True)
class AxisStep:
    """One step: an axis, a test and predicates."""

    axis: str
    test: AnyTest
    predicates: tuple[XPathTree, ...] = ()


@dataclass(frozen=True)
class Root:
    """The document node."""


@dataclass(frozen=True)
class Location:
    """Steps from a start: nodes of another expression, the document, or (None) the context node."""

    start: XPathTree | None
    steps: tuple[AxisStep, ...]


@dataclass(frozen=True)
class Filtered:
    """Nodes of an expression that pass predicates, which count positions over all of them."""

    base: XPathTree
    predicates: tuple[XPathTree, ...]


@dataclass(frozen=True)
class Operation:
    """Two operands, or for `and`, `or` and `|` several, and the operator between them."""

    op: str
    parts: tuple[XPathTree, ...]


@dataclass(frozen=True)
class Negative:
    """Unary minus."""

    part: XPathTree


@dataclass(frozen=True)
class Calling:
    """A call of a function of the core library."""

    name: str
    arguments: tuple[XPathTree, ...] = ()


@dataclass(frozen=True)
class Chars:
    """A string constant."""

    value: str


@dataclass(frozen=True)
class Numeral:
    """A number constant, as it is written."""

    written: str

    @property
    def value(self) -> float:
        """The number."""
        return float(self.written)


XPathTree = Root | Location | Filtered | Operation | Negative | Calling | Chars | Numeral
"""Any expression of XPath 1.0."""

COMPARING = ("=", "!=", "<", "<=", ">", ">=")
_BOOLEAN = ("and", "or", *COMPARING)
_RESULTS: dict[ValueType, tuple[str, ...]] = {
    "nodes": ("id",),
    "boolean": ("boolean", "not", "true", "false", "lang", "contains", "starts-with"),
    "number": ("count", "sum", "last", "position", "number", "floor", "ceiling", "round", "string-length"),
    "string": ("string", "concat", "substring", "substring-before", "substring-after", "normalize-space", "translate",
               "name", "local-name", "namespace-uri"),
}
_BY_NAME = {name: kind for kind, names in _RESULTS.items() for name in names}


def type_of(tree: XPathTree) -> ValueType:
    """Return the type of an expression's value, which XPath 1.0 always knows beforehand."""
    match tree:
        case Chars():
            return "string"
        case Numeral() | Negative():
            return "number"
        case Calling(name, _):
            return _BY_NAME[name]
        case Operation(op, _):
            return "boolean" if op in _BOOLEAN else "nodes" if op == "|" else "number"
        case _:
            return "nodes"


def children(tree: XPathTree) -> tuple[XPathTree, ...]:
    """Return the expressions directly inside an expression, predicates of its steps included."""
    match tree:
        case Location(start, steps):
            inside = tuple(each for step in steps for each in step.predicates)
            return inside if start is None else (start, *inside)
        case Filtered(base, predicates):
            return (base, *predicates)
        case Operation(_, parts) | Calling(_, parts):
            return parts
        case Negative(part):
            return (part,)
        case _:
            return ()


def dump_tree(tree: XPathTree) -> str:
    """Return the tree as one readable line, for tests."""
    match tree:
        case Root():
            return "/"
        case Location(start, steps):
            before = "" if start is None else f"{dump_tree(start)} "
            return (before + " ".join(map(_dump_axis_step, steps))).rstrip() or "."
        case Filtered(base, predicates):
            return f"({dump_tree(base)}){_dump_predicates(predicates)}"
        case Operation(op, parts):
            return f"({op} {' '.join(map(dump_tree, parts))})"
        case Negative(part):
            return f"(- {dump_tree(part)})"
        case Calling(name, arguments):
            return f"({' '.join([f'{name}()', *map(dump_tree, arguments)])})"
        case Chars(value):
            return repr(value)
        case Numeral(written):
            return written


def _dump_axis_step(step: AxisStep) -> str:
    return f"{step.axis}::{_dump_test(step.test)}{_dump_predicates(step.predicates)}"


def _dump_predicates(predicates: tuple[XPathTree, ...]) -> str:
    return "".join(f"[{dump_tree(each)}]" for each in predicates)


def _dump_test(test: AnyTest) -> str:
    if test.kind != "name":
        return f"{test.kind}({test.local or ''})"
    local = test.local or "*"
    if test.uri is None:
        return "*" if test.local is None else f"*:{local}"
    return f"{{{test.uri}}}{local}" if test.uri else local
