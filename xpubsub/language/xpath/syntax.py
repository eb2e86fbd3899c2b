"""The syntax tree of an XPath filter: small frozen classes without behaviour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf

from xpubsub.hashed import hashed_once

Axis = OneOf["child", "descendant", "self"]
NodeKind = OneOf["element", "attribute", "text", "node", "computed"]


@hashed_once
@dataclass(frozen=True)
class NodeTest:
    """What a step selects; `uri` or `local` of None means any. The `local` of a computed value is its expression."""

    kind: NodeKind
    uri: str | None = None
    local: str | None = None


@hashed_once
@dataclass(frozen=True)
class PathStep:
    """One step of a path: an axis, a test and the predicates on the node."""

    axis: Axis
    test: NodeTest
    predicates: tuple[Expr, ...] = ()


@hashed_once
@dataclass(frozen=True)
class Path:
    """A location path; an absolute one starts at the document node, one with a variable at the variable's node."""

    absolute: bool
    steps: tuple[PathStep, ...]
    offset: int = 0
    variable: str | None = None


@dataclass(frozen=True)
class Literal:
    """A string constant."""

    value: str


@dataclass(frozen=True)
class Number:
    """A number constant."""

    value: float


@hashed_once
@dataclass(frozen=True)
class Compare:
    """A comparison of a path or constant with a path or constant."""

    op: str
    left: Expr
    right: Expr
    offset: int = 0


@hashed_once
@dataclass(frozen=True)
class Call:
    """`contains`, `starts-with`; a comparison of the first node alone, as of `string(path)`; or `at-least` so many."""

    name: str
    left: Expr
    right: Expr
    offset: int = 0


@hashed_once
@dataclass(frozen=True)
class And:
    """All of the parts."""

    parts: tuple[Expr, ...]


@hashed_once
@dataclass(frozen=True)
class Or:
    """Any of the parts."""

    parts: tuple[Expr, ...]


@hashed_once
@dataclass(frozen=True)
class Not:
    """The opposite of the part."""

    part: Expr


Expr = Path | Literal | Number | Compare | Call | And | Or | Not
"""Any expression."""


def dump(expr: Expr) -> str:
    """Return the tree as one readable line, for tests."""
    match expr:
        case Path(absolute, steps, _, variable):
            start = f"${variable} " if variable is not None else "/" if absolute else ""
            return (start + " ".join(_dump_step(step) for step in steps)).rstrip()
        case Literal(value):
            return repr(value)
        case Number(value):
            return f"{value:g}"
        case Compare(op, left, right) | Call(op, left, right):
            return f"({op} {dump(left)} {dump(right)})"
        case And(parts):
            return f"(and {' '.join(map(dump, parts))})"
        case Or(parts):
            return f"(or {' '.join(map(dump, parts))})"
        case Not(part):
            return f"(not {dump(part)})"


def _dump_step(step: PathStep) -> str:
    predicates = "".join(f"[{dump(predicate)}]" for predicate in step.predicates)
    return f"{step.axis}::{name_of(step.test)}{predicates}"


def name_of(test: NodeTest) -> str:
    """Return a test as a step of a linear path: `name`, `{uri}name`, `*`, `{uri}*`, `*:name`, `@name`, `text()`.

    A computed value is written as `={expression}`, a comparison of two paths as `=join{a = b}`.
    """
    if test.kind in ("text", "node"):
        return f"{test.kind}()"
    if test.kind == "computed":
        return f"={test.uri or ''}{{{_escaped(test.local or '')}}}"
    local = "*" if test.local is None else test.local
    name = ("*" if test.local is None else f"*:{local}") if test.uri is None else expanded_name(test.uri, local)
    return f"@{name}" if test.kind == "attribute" else name


def expanded_name(uri: str, local: str) -> str:
    """Return an expanded name as unambiguous text: braces and percent signs of the URI are escaped."""
    if not uri:
        return local
    return f"{{{_escaped(uri)}}}{local}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("{", "%7B").replace("}", "%7D")


def unescaped(text: str) -> str:
    """Return a URI or an expression that stands in braces as it was."""
    return text.replace("%7B", "{").replace("%7D", "}").replace("%25", "%")
