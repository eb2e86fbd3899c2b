"""The parser of direct element constructors, with expressions in attributes and in content."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from xpubsub.language.flwr.constructors import Constructors, declares_namespace
from xpubsub.language.flwr.syntax import Text
from xpubsub.language.xquery.scope import QueryScope
from xpubsub.language.xquery.syntax import ElementConstructor, Expression, LiteralText

_PLAIN = {mark: re.compile(rf"(?:[^<&{{}}{mark}]|&[^;<{{}}&{mark}]*;|\{{\{{|\}}\}}|{mark}{mark})+") for mark in "\"'"}


class QueryConstructors(Constructors):
    """Parses elements at a cursor; expressions in braces are read by the parser it is given."""

    def __init__(self, cursor: Any, enclosed: Callable[[QueryScope], Expression]) -> None:
        super().__init__(cursor, enclosed)  # type: ignore[arg-type]

    def _element(self, scope: Any) -> Any:
        start = self._at
        self._refuse_others()
        self._at += 1
        written = self._name("the name of an element")
        attributes_at, self._scope = self._at, scope
        attributes: list[tuple[str, Any, int]] = self._attributes()
        declared = {name.partition(":")[2]: self._constant(value, place)
                    for name, value, place in attributes if declares_namespace(name)}
        inner = scope.declaring(declared)
        if declared:
            self._at, self._scope = attributes_at, inner
            attributes = self._attributes()
        name = self._resolve(written, inner, start + 1, default=True)
        valued = self._literals(attributes, inner)
        content: tuple[Any, ...] = ()
        if not self._take("/>"):
            self._expect(">")
            content = self._content(inner)
            self._close(written)
        parts = tuple(LiteralText(each.value) if isinstance(each, Text) else each for each in content)
        return ElementConstructor(name, valued, tuple(declared.items()), parts)  # type: ignore[arg-type]

    def _constant(self, value: tuple[Any, ...], place: int) -> str:
        if not all(isinstance(each, str) for each in value):
            raise self._cursor.syntax("a namespace must be a literal", place, code="XQST0022")
        return "".join(value)

    def _value(self) -> Any:
        """Return the parts of an attribute's value: text, and expressions."""
        mark = self._text[self._at : self._at + 1]
        if mark not in ("'", '"'):
            self._fail("expected an attribute's value in quotation marks")
        self._at += 1
        scope, parts = self._scope, list[Any]()
        while not self._text.startswith(mark, self._at) or self._text.startswith(mark * 2, self._at):
            if plain := _PLAIN[mark].match(self._text, self._at):
                raw, start = plain.group(), self._at
                self._at = plain.end()
                parts.append(self._decoded(_unmarked(raw, mark), start))
            elif self._text.startswith("{", self._at):
                parts.append(self._braces(scope))
            else:
                self._fail("unexpected character in an attribute")
        self._at += 1
        return tuple(parts)


def _unmarked(raw: str, mark: str) -> str:
    """Return text in an attribute with doubled marks and braces resolved, and white space as spaces."""
    plain = raw.replace(mark * 2, mark).replace("{{", "{").replace("}}", "}")
    return re.sub(r"\r\n|[\t\r\n]", " ", plain)
