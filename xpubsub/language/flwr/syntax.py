"""The syntax tree of a transformation: small frozen classes without behaviour."""

from __future__ import annotations

from dataclasses import dataclass

from xpubsub.language.xpath.syntax import Expr, Path, dump


@dataclass(frozen=True)
class Name:
    """The name of a constructed element or attribute: as written, and the namespace it stands for."""

    written: str
    uri: str = ""

    @property
    def prefix(self) -> str:
        """The prefix, empty if there is none."""
        return self.written.rpartition(":")[0]

    @property
    def local(self) -> str:
        """The name without its prefix."""
        return self.written.rpartition(":")[2]


@dataclass(frozen=True)
class Text:
    """Literal text between tags."""

    value: str


@dataclass(frozen=True)
class Copy:
    """Copies of the nodes that a path selects, in document order."""

    path: Path


@dataclass(frozen=True)
class Element:
    """A constructed element with literal attributes and namespace declarations."""

    name: Name
    attributes: tuple[tuple[Name, str], ...] = ()
    declared: tuple[tuple[str, str], ...] = ()
    """(prefix, URI) pairs; the empty prefix is the default namespace."""
    content: tuple[Content, ...] = ()


@dataclass(frozen=True)
class Sequence:
    """Results one after the other."""

    parts: tuple[Content, ...] = ()


@dataclass(frozen=True)
class Binding:
    """A variable of a `for` and the path it runs over."""

    variable: str
    path: Path


@dataclass(frozen=True)
class Flwr:
    """`for` bindings, an optional `where`, and the result for each binding; `let` has been substituted."""

    bindings: tuple[Binding, ...]
    where: Expr | None
    result: Content


Content = Text | Copy | Element | Sequence | Flwr
"""The parts of a result."""


@dataclass(frozen=True)
class Transformation:
    """A whole transformation."""

    result: Content
    namespaces: tuple[tuple[str, str], ...] = ()
    """The namespaces that a prolog declares: (prefix, URI) pairs."""


def dump_content(content: Content) -> str:
    """Return the tree as one readable line, for tests."""
    match content:
        case Text(value):
            return repr(value)
        case Copy(path):
            return dump(path)
        case Element(name, attributes, declared, parts):
            declarations = [f" xmlns:{prefix}={uri!r}" for prefix, uri in declared]
            literals = [f" {each.written}={value!r}" for each, value in attributes]
            return f"<{name.written}{''.join((*declarations, *literals))}>({' '.join(map(dump_content, parts))})"
        case Sequence(parts):
            return f"({', '.join(map(dump_content, parts))})"
        case Flwr(bindings, where, result):
            bound = ", ".join(f"${each.variable} in {dump(each.path)}" for each in bindings)
            condition = f" where {dump(where)}" if where is not None else ""
            return f"(for {bound}{condition} return {dump_content(result)})"
