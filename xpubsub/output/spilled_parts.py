"""Turns the parts of a template into functions that write their part of an output in which something is missing.

The twin for messages that are whole is `parts`. The same functions run twice: on a message without its spilled
elements, to write an output with holes; and on the whole message, to write what belongs into these holes. They visit
the same nodes, those that are there both times, so that the holes have the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from xpubsub.output.attribute_prefixes import Bindings, bindings, settled
from xpubsub.output.parts import Bound, Node, Rows, Write, attribute_nodes, content
from xpubsub.output.spilled_message import Missing, Segments, SpilledElement, SpilledMessage


@dataclass(frozen=True)
class Affected:
    """The blocks of a transformation that spilling affects in a message."""

    blocked: frozenset[int]
    """Those with a condition that may be decided by what is missing."""
    fewer: Mapping[int, tuple[int, frozenset[int]]]
    """Those that may bind nodes that are missing: the place of their base, and the tag paths of spilled elements."""


@dataclass(frozen=True)
class SpilledOutput:
    """An output to be written: the message, the tuples bound in it, and the blocks that are affected."""

    message: SpilledMessage
    rows: Rows
    affected: Affected

    def missing(self, path: str, write: Write, bounds: Iterable[Bound]) -> Missing:
        """Return what is missing in place of a part for some tuples."""
        if not self.message.complete:
            return Missing(path, None)
        return Missing(path, "".join([write(self.message.whole, bound, self.rows) for bound in bounds]))

    def hiding(self, block: int, bound: Bound) -> list[SpilledElement]:
        """Return the spilled elements that may contain nodes which a block binds."""
        if block not in self.affected.fewer:
            return []
        base_at, tagpath_ids = self.affected.fewer[block]
        below = self.message.below(bound[base_at - 1] if base_at > 0 else 0)
        return [each for each in below if each.tagpath_id in tagpath_ids]


SpilledWrite = Callable[[SpilledOutput, Bound], Segments]
"""Writes a part, given the nodes bound to the variables around it."""


def spilled_content(nodes: list[Node], around: Bindings) -> SpilledWrite:
    """Return a function that writes some nodes one after the other."""
    parts = [_part(node, around) for node in nodes]
    return lambda output, bound: [segment for part in parts for segment in part(output, bound)]


def _part(node: Node, around: Bindings) -> SpilledWrite:
    match node:
        case ["t", text]:
            return lambda output, bound: [text]
        case ["v", place, has_default]:
            return lambda output, bound: output.message.copy(bound[place - 1], has_default)
        case ["r", path, base_position, place, has_default]:
            return _path(path, base_position, place, has_default)
        case ["p", block, has_default]:
            return _block(block, 1, lambda output, bound: output.message.copy(bound[-1], has_default),
                          lambda message, bound, rows: message.copy(bound[-1], has_default))
        case ["f", block, size, inner]:
            return _block(block, size, spilled_content(inner, around), content(inner, around))
    return _element(node, around)


def _path(path: str, base_position: int, place: int, has_default: bool) -> SpilledWrite:
    """Return a function that writes copies of the nodes of a path below a base."""
    def write(output: SpilledOutput, bound: Bound) -> Segments:
        message, base = output.message, bound[place - 1] if place else 0
        key = path, base_position, base, has_default
        if key not in message.written:
            nodes = [(node,) for node in message.returned(path, base_position, base)]
            message.written[key] = _between(
                output, nodes, message.hiding(path, base_position, base), path,
                lambda output, bound: output.message.copy(bound[-1], has_default),
                lambda message, bound, rows: message.copy(bound[-1], has_default))
        return message.written[key]
    return write


def _block(block: int, size: int, inner: SpilledWrite, whole: Write) -> SpilledWrite:
    """Return a function that writes the content of a `for`, or the copies of a path with predicates."""
    path = f"for {block}"

    def write(output: SpilledOutput, bound: Bound) -> Segments:
        tuples = output.rows.get((block, bound), ())
        if block in output.affected.blocked:
            return [output.missing(path, whole, tuples)]
        if size > 1 and block in output.affected.fewer:
            return _around(output, tuples, path, inner, whole)
        if size > 1:
            return [segment for each in tuples for segment in inner(output, each)]
        return _between(output, tuples, output.hiding(block, bound), path, inner, whole)
    return write


def _between(
    output: SpilledOutput, tuples: Sequence[Bound], hiding: Sequence[SpilledElement], path: str, inner: SpilledWrite,
    whole: Write,
) -> Segments:
    """Write tuples in document order of their last nodes; between them is a hole where spilled elements are."""
    places = sorted([(each.first, 0, ()) for each in hiding] + [(each[-1], 1, each) for each in tuples])
    segments: Segments = []
    waiting: list[Bound] | None = None
    for node, is_tuple, bound in places:
        if not is_tuple:
            waiting = waiting or []
        elif not output.message.present(node):
            assert waiting is not None, f"{path} binds a node in a spilled element that was not expected there"
            waiting.append(bound)
        else:
            if waiting is not None:
                segments.append(output.missing(path, whole, waiting))
                waiting = None
            segments += inner(output, bound)
    return segments if waiting is None else [*segments, output.missing(path, whole, waiting)]


def _around(
    output: SpilledOutput, tuples: Sequence[Bound], path: str, inner: SpilledWrite, whole: Write
) -> Segments:
    """Write tuples of several nodes, with a hole before each and after the last."""
    segments: Segments = []
    waiting: list[Bound] = []
    for bound in tuples:
        if all(map(output.message.present, bound)):
            segments += [output.missing(path, whole, waiting), *inner(output, bound)]
            waiting = []
        else:
            waiting.append(bound)
    return [*segments, output.missing(path, whole, waiting)]


def _element(node: Node, around: Bindings) -> SpilledWrite:
    """Return a function that writes an element; if its attributes are not known, all of it is missing."""
    _, opening, closing, attributes, nodes = node
    declared = {**around, **bindings(opening)}
    inside, whole = spilled_content(nodes, declared), content([node], around)
    copied = [(attribute_nodes(each), each) for each in attributes]

    def write(output: SpilledOutput, bound: Bound) -> Segments:
        if any(_uncertain(output, bound, each) for each in attributes):
            return [output.missing(opening.partition(" ")[0][1:], whole, [bound])]
        copies = output.message.cut_copies
        found = "".join(copies[node][0] for nodes, _ in copied for node in nodes(output.message, bound, output.rows))
        start = opening + (settled(found, declared) if "xmlns:" in found else found)
        segments = inside(output, bound)
        return [f"{start}>", *segments, closing] if any(segments) else [f"{start}/>"]
    return write


def _uncertain(output: SpilledOutput, bound: Bound, attribute: Node) -> bool:
    """Whether attributes that belong to an element may be missing."""
    match attribute:
        case ["va", *_]:
            return False
        case ["ra", path, base_position, place, *_]:
            return bool(output.message.hiding(path, base_position, bound[place - 1] if place else 0))
    block = attribute[1]
    return block in output.affected.blocked or bool(output.hiding(block, bound))
