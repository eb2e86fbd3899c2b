"""Turns the parts of a template into functions that each write their part of an output."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from xpubsub.output.attribute_prefixes import Bindings, bindings, settled
from xpubsub.output.default_namespace import without_default

Node = list[Any]
"""Text `t`, element `e`, variable `v`, returned path `r`, block of copies `p`, `for` block `f`; `va`, `ra` and `a` are
the attributes among variables, paths and blocks."""
NodeKey = Any
"""Identifies a node: its id, with its message's id where there are several messages."""
Bound = tuple[NodeKey, ...]
Rows = dict[tuple[int, Bound], list[Bound]]
"""The tuples of a block that extend a tuple of the block around it, in the order of bindings."""
Copies = Mapping[NodeKey, tuple[str, bool]]
"""The text of each copied node, and whether no default namespace is in scope there."""
Returned = Callable[[str, int, NodeKey], list[NodeKey]]
"""The nodes of a returned path (with its base's step) below a base, in document order."""


class Nodes(Protocol):
    """A message in which the nodes of returned paths can be found."""

    @property
    def returned(self) -> Returned:
        """Finds them."""


@dataclass(frozen=True)
class OutputMessage:
    """The message that outputs are made from; text that depends only on its nodes is written once for all templates."""

    copies: Copies
    returned: Returned
    texts: dict[tuple[str, int, NodeKey, bool], str] = field(default_factory=dict)
    """The texts of returned paths below a base."""
    written: dict[tuple[int, Bound], str] = field(default_factory=dict)
    """The texts of contents that depend only on their own tuple."""
    values: Mapping[NodeKey, str] = field(default_factory=dict)
    """The values of nodes, for programs."""
    names: Mapping[NodeKey, str] = field(default_factory=dict)
    """The names of nodes as in tag paths, for programs."""
    found: dict[tuple[str, int, NodeKey], list[Any]] = field(default_factory=dict)
    """The nodes that programs have followed paths to."""

    def copy(self, node: NodeKey, has_default: bool) -> str:
        """Return the copy of a node; `has_default` says whether a default namespace is in scope where it goes."""
        text, bare = self.copies[node]
        return without_default(text) if has_default and bare else text


Write = Callable[[OutputMessage, Bound, Rows], str]
"""Writes a part, given the nodes bound to the variables around it, and the tuples of blocks."""
AttributeNodes = Callable[[Nodes, Bound, Rows], list[NodeKey]]
"""Finds the attributes that belong to a constructed element."""


def content(nodes: list[Node], around: Bindings) -> Write:
    """Return a function that writes some nodes one after the other."""
    parts = [_part(node, around) for node in nodes]
    if len(parts) == 1:
        return parts[0]
    return lambda message, bound, rows: "".join([part(message, bound, rows) for part in parts])


def _part(node: Node, around: Bindings) -> Write:
    match node:
        case ["t", text]:
            return lambda message, bound, rows: text
        case ["v", place, has_default]:
            return lambda message, bound, rows: message.copy(bound[place - 1], has_default)
        case ["r", path, base_position, place, has_default]:
            return _path(path, base_position, place, has_default)
        case ["p", block, has_default]:
            return lambda message, bound, rows: "".join(
                [message.copy(each[-1], has_default) for each in rows.get((block, bound), ())])
        case ["f", block, _, inner]:
            return _block(block, content(inner, around), alone=_alone(inner))
    return _element(node, around)


def _path(path: str, base_position: int, place: int, has_default: bool) -> Write:
    def write(message: OutputMessage, bound: Bound, rows: Rows) -> str:
        base = bound[place - 1] if place else 0
        key = path, base_position, base, has_default
        text = message.texts.get(key)
        if text is None:
            nodes = message.returned(path, base_position, base)
            text = message.texts[key] = "".join([message.copy(each, has_default) for each in nodes])
        return text
    return write


def _block(block: int, inner: Write, *, alone: bool) -> Write:
    """Return a function that writes the content of a `for` for each tuple; cached if it depends on the tuple alone."""
    def write(message: OutputMessage, bound: Bound, rows: Rows) -> str:
        return "".join([inner(message, each, rows) for each in rows.get((block, bound), ())])

    def write_alone(message: OutputMessage, bound: Bound, rows: Rows) -> str:
        written, parts = message.written, []
        for each in rows.get((block, bound), ()):
            key = number, each
            text = written.get(key)
            if text is None:
                text = written[key] = inner(message, each, rows)
            parts.append(text)
        return "".join(parts)
    number = id(inner)
    return write_alone if alone else write


def _element(node: Node, around: Bindings) -> Write:
    """Return a function that writes an element; one without content becomes `<a/>`."""
    _, opening, closing, attributes, nodes = node
    declared = {**around, **bindings(opening)}
    inside = content(nodes, declared)
    copied = [attribute_nodes(each) for each in attributes]

    def write(message: OutputMessage, bound: Bound, rows: Rows) -> str:
        text = inside(message, bound, rows)
        return f"{opening}>{text}{closing}" if text else f"{opening}/>"

    def write_attributes(message: OutputMessage, bound: Bound, rows: Rows) -> str:
        found = "".join(message.copies[each][0] for nodes in copied for each in nodes(message, bound, rows))
        start = opening + (settled(found, declared) if "xmlns:" in found else found)
        text = inside(message, bound, rows)
        return f"{start}>{text}{closing}" if text else f"{start}/>"
    return write_attributes if attributes else write


def attribute_nodes(node: Node) -> AttributeNodes:
    """Return the node of a variable, or the nodes of a path or a block."""
    match node:
        case ["va", place, *_]:
            return lambda message, bound, rows: [bound[place - 1]]
        case ["ra", path, base_position, place, *_]:
            return lambda message, bound, rows: message.returned(
                path, base_position, bound[place - 1] if place else 0)
    return lambda message, bound, rows: [each[-1] for each in rows.get((node[1], bound), ())]


def _alone(nodes: list[Node]) -> bool:
    """Whether the text of some nodes depends only on the variables around them, and not on a block among them."""
    return all(node[0] not in ("p", "a", "f") and (node[0] != "e" or _alone([*node[3], *node[4]])) for node in nodes)
