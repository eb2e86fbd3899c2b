"""The parser of element constructors: tags, literal attributes, text, and braces with expressions inside."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn

from xpubsub.language.flwr.references import BadReference, dereferenced
from xpubsub.language.flwr.scope import Scope
from xpubsub.language.flwr.syntax import Content, Element, Name, Sequence, Text
from xpubsub.language.flwr.tokens import XQueryCursor
from xpubsub.language.xpath.tokens import NCNAME

_QNAME = re.compile(rf"(?:{NCNAME}:)?{NCNAME}")
_SPACE = re.compile(r"[ \t\r\n]*")
_VALUE = re.compile(r'"((?:[^"<]|"")*)"|' + r"'((?:[^'<]|'')*)'")
_CHARACTERS = re.compile(r"(?:[^<{}&]|&[^;<{}&]*;|\{\{|\}\})+")
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_REFUSED = {"<!--": "a comment constructor", "<?": "a processing instruction constructor"}
_BLANK = re.compile(r"[ \t\r\n]*\Z")


def results(cursor: XQueryCursor, single: Callable[[], Content]) -> Content:
    """Parse results separated by commas, up to the closing symbol."""
    if cursor.at(")", "}"):
        return Sequence()
    parts = [single()]
    while cursor.take(","):
        parts.append(single())
    return parts[0] if len(parts) == 1 else Sequence(tuple(parts))


class Constructors:
    """Parses elements at a cursor; expressions in braces are read by the parser it is given."""

    def __init__(self, cursor: XQueryCursor, enclosed: Callable[[Scope], Content]) -> None:
        self._cursor = cursor
        self._text = cursor.text
        self._enclosed = enclosed
        self._at = 0

    def element(self, scope: Scope) -> Element:
        """Parse the element at the cursor."""
        self._at = self._cursor.token.offset
        element = self._element(scope)
        self._cursor.seek(self._at)
        return element

    def _element(self, scope: Scope) -> Element:
        start = self._at
        self._refuse_others()
        self._at += 1
        written = self._name("the name of an element")
        attributes = self._attributes()
        declared = {name.partition(":")[2]: value for name, value, _ in attributes if declares_namespace(name)}
        inner = scope.declaring(declared)
        name = self._resolve(written, inner, start + 1, default=True)
        literal = self._literals(attributes, inner)
        content: tuple[Content, ...] = ()
        if not self._take("/>"):
            self._expect(">")
            content = self._content(inner)
            self._close(written)
        return Element(name, literal, tuple(declared.items()), content)

    def _refuse_others(self) -> None:
        for opening, construct in _REFUSED.items():
            if self._text.startswith(opening, self._at):
                raise self._cursor.unsupported(construct, self._at)

    def _attributes(self) -> list[tuple[str, str, int]]:
        """Parse attributes; returns names as written, values and offsets."""
        found: list[tuple[str, str, int]] = []
        while True:
            before = self._at
            self._at = _match_end(_SPACE, self._text, self._at)
            if self._text.startswith((">", "/>"), self._at):
                return found
            if self._at == before:
                self._fail("expected white space, '>' or '/>'")
            start, name = self._at, self._name("the name of an attribute")
            self._at = _match_end(_SPACE, self._text, self._at)
            self._expect("=")
            self._at = _match_end(_SPACE, self._text, self._at)
            if any(name == other for other, _, _ in found):
                raise self._cursor.syntax(f"two attributes {name}", start, code="XQST0040")
            found.append((name, self._value(), start))

    def _value(self) -> str:
        match = _VALUE.match(self._text, self._at)
        if match is None:
            self._fail("expected an attribute's value in quotation marks")
        mark, raw = self._text[self._at], match[1] if match[1] is not None else match[2]
        plain = raw.replace(mark * 2, mark).replace("{{", "\0").replace("}}", "\1")
        if "{" in plain:
            raise self._cursor.unsupported("an expression in an attribute", self._at + 1 + raw.index("{"))
        if "}" in plain:
            self._fail("a single '}' in an attribute")
        normal = re.sub(r"\r\n|[\t\r\n]", " ", plain)
        value = self._decoded(normal, self._at).replace("\0", "{").replace("\1", "}")
        self._at = match.end()
        return value

    def _literals(self, attributes: list[tuple[str, str, int]], scope: Scope) -> tuple[tuple[Name, str], ...]:
        literals: dict[tuple[str, str], tuple[Name, str]] = {}
        for written, value, place in attributes:
            if declares_namespace(written):
                if written != "xmlns" and not value:
                    raise self._cursor.syntax("a prefix cannot stand for no namespace", place, code="XQST0085")
                continue
            name = self._resolve(written, scope, place, default=False)
            if (name.uri, name.local) in literals:
                raise self._cursor.syntax(f"two attributes {written}", place, code="XQST0040")
            literals[name.uri, name.local] = name, value
        return tuple(literals.values())

    def _resolve(self, written: str, scope: Scope, place: int, *, default: bool) -> Name:
        prefix = written.rpartition(":")[0]
        if not prefix:
            return Name(written, scope.elements.get("", "") if default else "")
        if prefix not in scope.elements:
            raise self._cursor.syntax(f"the prefix {prefix!r} is not declared", place, code="XPST0081")
        return Name(written, scope.elements[prefix])

    def _content(self, scope: Scope) -> tuple[Content, ...]:
        """Parse the content between tags; white space alone between them is dropped."""
        content: list[Content] = []
        while not self._text.startswith("</", self._at):
            if self._at >= len(self._text):
                self._fail("an element has no end tag")
            piece = self._piece(scope)
            if piece == Text(""):
                continue
            if isinstance(piece, Text) and content and isinstance(content[-1], Text):
                piece = Text(content.pop().value + piece.value)  # type: ignore[union-attr]
            if piece is not None:
                content.append(piece)
        return tuple(content)

    def _piece(self, scope: Scope) -> Content | None:
        text = self._text
        if cdata := _CDATA.match(text, self._at):
            self._at = cdata.end()
            return Text(cdata[1])
        if text.startswith("<", self._at):
            with self._cursor.nested():
                return self._element(scope)
        if text.startswith("{", self._at) and not text.startswith("{{", self._at):
            return self._braces(scope)
        return self._characters()

    def _braces(self, scope: Scope) -> Content:
        self._cursor.seek(self._at + 1)
        content = self._enclosed(scope)
        if not self._cursor.at("}"):
            self._cursor.expect("}")
        self._at = self._cursor.token.offset + 1
        return content

    def _characters(self) -> Text | None:
        match = _CHARACTERS.match(self._text, self._at)
        if match is None:
            self._fail("unexpected character in an element")
        raw, start, self._at = match.group(), self._at, match.end()
        if _BLANK.match(raw) and self._bounded(start):
            return None
        plain = raw.replace("\r\n", "\n").replace("\r", "\n").replace("{{", "{").replace("}}", "}")
        return Text(self._decoded(plain, start))

    def _bounded(self, start: int) -> bool:
        """Whether the text before the cursor is between tags or braces."""
        before = self._text[start - 1] in ">}" and not self._text.endswith("]]>", 0, start)
        after = self._text.startswith(("<", "{"), self._at) and not self._text.startswith("<![CDATA[", self._at)
        return before and after

    def _decoded(self, text: str, start: int) -> str:
        try:
            return dereferenced(text)
        except BadReference:
            raise self._cursor.syntax("a reference to no character", start) from None

    def _close(self, written: str) -> None:
        start = self._at
        self._at += 2
        closing = self._name("the name of an end tag")
        if closing != written:
            raise self._cursor.syntax(f"<{written}> is closed by </{closing}>", start, code="XQST0118")
        self._at = _match_end(_SPACE, self._text, self._at)
        self._expect(">")

    def _name(self, what: str) -> str:
        match = _QNAME.match(self._text, self._at)
        if match is None:
            self._fail(f"expected {what}")
        self._at = match.end()
        return match.group()

    def _take(self, symbol: str) -> bool:
        if found := self._text.startswith(symbol, self._at):
            self._at += len(symbol)
        return found

    def _expect(self, symbol: str) -> None:
        if not self._take(symbol):
            self._fail(f"expected {symbol!r}")

    def _fail(self, reason: str) -> NoReturn:
        raise self._cursor.syntax(reason, min(self._at, len(self._text)))


def declares_namespace(name: str) -> bool:
    """Whether an attribute declares a namespace."""
    return name == "xmlns" or name.startswith("xmlns:")


def _match_end(pattern: re.Pattern[str], text: str, offset: int) -> int:
    match = pattern.match(text, offset)
    return match.end() if match else offset
