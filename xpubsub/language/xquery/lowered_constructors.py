"""Lowers constructors: each writes a start tag with the namespaces that it needs where it stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from xpubsub.language.flwr.syntax import Element, Name
from xpubsub.language.flwr.tags import Tags, escaped_attribute, escaped_text
from xpubsub.language.xquery.lowered_paths import PathLowering
from xpubsub.language.xquery.static import Code, Place, Static
from xpubsub.language.xquery.syntax import (
    AttributeParts,
    ComputedNode,
    ElementConstructor,
    Expression,
    FlworExpression,
    ItemSequence,
    LiteralText,
    PathExpression,
    Variable,
)

if TYPE_CHECKING:
    from xpubsub.language.xquery.lowering import Lowered

_MADE = Static(made=True)


class ConstructorLowering(PathLowering):
    """Lowers constructors of elements, attributes and texts."""

    def _other(self, expr: Expression, place: Place) -> Lowered:
        match expr:
            case LiteralText(value):
                return ["text", escaped_text(value)], _MADE
            case ElementConstructor():
                return self._element(expr, place), _MADE
            case ComputedNode("text", _, content):
                return ["textnode", self._values(content, place)], _MADE
            case ComputedNode("attribute", Name() as name, content):
                return ["attribute", name.written, name.uri, self._values(content, place)], _MADE
            case ComputedNode(kind, name, content, prefixes):
                assert name is not None and not isinstance(name, Name)
                return self._named(kind, name, content, dict(prefixes), place), _MADE
        return super()._other(expr, place)

    def made(self, expr: Expression, place: Place, *, outside: bool = False) -> Code:
        """Lower an expression whose nodes are copied into what is being made, `outside` of all elements."""
        code, static = self.lower(expr, place)
        for trail in static.trails:
            if not trail:
                raise self.refuse("the whole message as a result", _offset(expr))
            if outside and trail[-1].test.kind == "attribute":
                raise self.refuse("an attribute outside an element", _offset(expr))
        self._read(static.trails, self.needed.copied, expr)
        return code

    def _element(self, element: ElementConstructor, place: Place) -> Code:
        around = place.tags or Tags()
        prefixes = tuple((name.prefix, name.uri) for name, _ in element.attributes if name.prefix)
        opening, closing, tags = around.element(Element(element.name, (), (*element.declared, *prefixes)))
        attributes = [[name.written, name.uri, name.local, self._parts(parts, place)]
                      for name, parts in element.attributes]
        bare = place.tags is None and not tags.has_default
        inside = replace(place, tags=tags)
        self._check_order(element.content, place)
        content = [self.made(each, inside) for each in element.content]
        return ["element", opening, closing, tags.has_default, bare, attributes, content]

    def _check_order(self, content: tuple[Expression, ...], place: Place) -> None:
        """Refuse attributes that must come after content."""
        filled = False
        for each in _flat(content):
            if isinstance(each, LiteralText | ElementConstructor):
                filled = filled or not isinstance(each, LiteralText) or bool(each.value)
            elif filled and isinstance(each, PathExpression | Variable):
                trails = self.lower(each, place.value)[1].trails
                if trails and all(trail and trail[-1].test.kind == "attribute" for trail in trails):
                    raise self.refuse("an attribute after content", each.offset)

    def _parts(self, parts: AttributeParts, place: Place) -> Code:
        return [["text", escaped_attribute(each)] if isinstance(each, str) else self._values(each, place)
                for each in parts]

    def _named(
        self, kind: str, name: Expression, content: Expression, prefixes: dict[str, str], place: Place
    ) -> Code:
        """Lower a constructor with a computed name: in no place of its own, as its namespace is not known."""
        read = self._values(name, place)
        if kind == "attribute":
            return ["named", kind, read, prefixes, self._values(content, place)]
        if prefixes.get("") or (place.tags is not None and place.tags.has_default):
            raise self.refuse("a computed name of an element beside a default namespace", getattr(name, "offset", 0))
        return ["named", kind, read, prefixes, self.made(content, replace(place.inside, tags=Tags()))]


def _flat(content: tuple[Expression, ...]) -> Iterator[Expression]:
    for each in content:
        if isinstance(each, ItemSequence):
            yield from _flat(each.parts)
        else:
            yield each


def _offset(expr: Expression) -> int:
    """Return where the result of an expression is written."""
    if isinstance(expr, FlworExpression):
        return _offset(expr.result)
    if isinstance(expr, ItemSequence):
        return max(map(_offset, expr.parts), default=0)
    return int(getattr(expr, "offset", 0))
