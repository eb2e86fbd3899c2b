"""Refuses results that fail in XQuery, or might: misplaced attributes, the whole document."""

from __future__ import annotations

from collections.abc import Iterator

from xpubsub.language.flwr.syntax import Content, Copy, Element, Flwr, Sequence, Text
from xpubsub.language.xpath.cursor import Cursor
from xpubsub.language.xpath.syntax import NodeKind, Path, expanded_name, name_of


def check_transformation(cursor: Cursor, result: Content, start: int) -> None:
    """Refuse a transformation that would fail on some messages."""
    if not any(True for _ in _outermost(result)):
        raise cursor.unsupported("a transformation without a for", start)
    _Checks(cursor).content(result, inside=False)


def _outermost(content: Content) -> Iterator[Flwr]:
    match content:
        case Flwr():
            yield content
        case Element(content=parts) | Sequence(parts=parts):
            for part in parts:
                yield from _outermost(part)


class _Checks:
    """Walks through a result; knows what kind of nodes each variable is bound to."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._kinds: dict[str, NodeKind] = {}

    def content(self, content: Content, *, inside: bool) -> None:
        """Check results that may not contain attributes."""
        match content:
            case Copy(path):
                self._copy(path, inside=inside)
            case Element():
                self._element(content)
            case Sequence(parts):
                for part in parts:
                    self.content(part, inside=inside)
            case Flwr(bindings, _, result):
                for binding in bindings:
                    self._kinds[binding.variable] = self._kind(binding.path)
                self.content(result, inside=inside)

    def _copy(self, path: Path, *, inside: bool) -> None:
        kind = self._kind(path)
        if kind == "attribute":
            where = "from a for inside an element" if inside else "outside an element"
            raise self._cursor.unsupported(f"an attribute {where}", path.offset)
        if kind == "node":
            raise self._cursor.unsupported("the whole message as a result", path.offset)

    def _element(self, element: Element) -> None:
        """Check that attributes come first, each name once."""
        names = {_attribute(name.uri, name.local) for name, _ in element.attributes}
        filled = False
        for part in _flat(element.content):
            if isinstance(part, Copy) and self._kind(part.path) == "attribute":
                self._attribute(part.path, names, filled)
            else:
                filled = True
                self.content(part, inside=True)

    def _attribute(self, path: Path, names: set[str], filled: bool) -> None:
        if filled:
            raise self._cursor.unsupported("an attribute after content", path.offset)
        if path.variable is None or len(path.steps) > 1 or any(step.axis == "descendant" for step in path.steps):
            raise self._cursor.unsupported("an attribute of perhaps several elements", path.offset)
        name = name_of(path.steps[-1].test) if path.steps else "@*"
        if name in names or (names and ("*" in name or any("*" in each for each in names))):
            raise self._cursor.unsupported("an attribute that the element may have already", path.offset)
        names.add(name)

    def _kind(self, path: Path) -> NodeKind:
        if path.steps:
            return path.steps[-1].test.kind
        return self._kinds.get(path.variable, "node") if path.variable is not None else "node"


def _flat(parts: tuple[Content, ...]) -> Iterator[Content]:
    for part in parts:
        if isinstance(part, Sequence):
            yield from _flat(part.parts)
        elif not isinstance(part, Text) or part.value:
            yield part


def _attribute(uri: str, local: str) -> str:
    return f"@{expanded_name(uri, local)}"
