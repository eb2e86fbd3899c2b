"""The skeleton of an XQuery: its tokens, with brackets and direct constructors as nested groups.

It is not a parser: it knows where an operand is expected, which tells `<` from a start tag and keywords from names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from xpubsub.errors import LimitError, QuerySyntaxError, UnsupportedError

_FIRST = r"[^\W\d]"
_NAME = _FIRST + r"[\w.\-]*"
_SPACE = re.compile(r"\s+")
_WORD = re.compile(rf"Q\{{[^{{}}]*\}}(?:{_NAME}|\*)|\*:{_NAME}|{_NAME}(?::(?!:)(?:{_NAME}|\*))?")
_VARIABLE = re.compile(rf"\$\s*(Q\{{[^{{}}]*\}}{_NAME}|{_NAME}(?::{_NAME})?)")
_NUMBER = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_STRING = re.compile(r'"(?:[^"]|"")*"|' + r"'(?:[^']|'')*'")
_SYMBOL = re.compile(r":=|::|//|!=|<=|>=|<<|>>|\|\||=>|\.\.|[^\s\w]")
_ATTRIBUTE = re.compile(rf"\s*({_NAME}(?::{_NAME})?)\s*=\s*(?=[\"'])")
_TAG_NAME = re.compile(rf"<({_NAME}(?::{_NAME})?)")
_OPENS = re.compile(rf"<(?:{_FIRST}|!--|\?)")
_CLOSED_BY = {"(": ")", "[": "]", "{": "}"}
_MOST_NESTED = 200
KEYWORDS = frozenset({
    "return", "then", "else", "in", "satisfies", "and", "or", "eq", "ne", "lt", "le", "gt", "ge", "is", "div",
    "idiv", "mod", "to", "union", "intersect", "except", "where", "order", "group", "by", "at", "case", "default",
    "for", "let", "count", "as", "instance", "of", "treat", "cast", "castable",
    "end", "only", "start", "previous", "next", "when", "collation",
})
"""Names that, where no operand is expected, are operators or begin clauses: an operand follows."""


@dataclass(frozen=True)
class Lexeme:
    """A name, variable, string, number or symbol."""

    kind: str
    text: str
    start: int
    end: int
    expects: bool = False
    """Whether an operand was expected here."""

    def keyword(self, *names: str) -> bool:
        """Whether this is one of these names, where an operator or a clause may stand."""
        return self.kind == "name" and self.text in names and not self.expects

    def begins(self, *names: str) -> bool:
        """Whether this is one of these names, where an operand may stand."""
        return self.kind == "name" and self.text in names and self.expects


@dataclass(frozen=True)
class Bracket:
    """What stands between brackets, or a direct element constructor with the groups in its attributes and content."""

    kind: str
    """The opening bracket; `<` for a direct constructor; `a{` for an expression in an attribute."""
    start: int
    end: int
    items: tuple[Piece, ...]
    declares: bool = False
    """Whether a direct constructor declares namespaces."""
    expects: bool = False


Piece = Lexeme | Bracket


def skeleton(text: str) -> tuple[Piece, ...]:
    """Return the items of a query."""
    return _Scanner(text).items("")


@dataclass
class _Scanner:
    text: str
    at: int = 0
    nested: int = 0
    last: list[Piece] = field(default_factory=list)

    def items(self, close: str) -> tuple[Piece, ...]:
        """Read items up to a closing bracket, or to the end."""
        self.nested += 1
        if self.nested > _MOST_NESTED:
            raise LimitError(f"more than {_MOST_NESTED} levels of brackets", code="limit-depth", text=self.text,
                             offset=self.at)
        found: list[Piece] = []
        start = self.at
        while True:
            self._skip()
            if self.at >= len(self.text):
                if close:
                    raise self._error(f"there is no {close} for the bracket", max(0, start - 1))
                break
            if close and self.text.startswith(close, self.at):
                self.at += len(close)
                break
            found.append(self._item(_expects(found)))
        self.nested -= 1
        return tuple(found)

    def _skip(self) -> None:
        while True:
            if space := _SPACE.match(self.text, self.at):
                self.at = space.end()
            elif self.text.startswith("(:", self.at):
                self._comment()
            else:
                return

    def _comment(self) -> None:
        start, depth = self.at, 0
        while True:
            opened, closed = self.text.find("(:", self.at), self.text.find(":)", self.at)
            if closed < 0:
                raise self._error("the comment does not end", start)
            depth += 1 if 0 <= opened < closed else -1
            self.at = (opened if 0 <= opened < closed else closed) + 2
            if not depth:
                return

    def _item(self, expects: bool) -> Piece:
        text, start = self.text, self.at
        char = text[start]
        if char in "([{":
            if text.startswith("(#", start):
                raise UnsupportedError("a pragma is not supported", code="unsupported", text=text, offset=start)
            self.at += 1
            return Bracket(char, start, *self._closed(_CLOSED_BY[char]), expects=expects)
        if text.startswith("``[", start):
            return self._template(expects)
        if char == "<" and expects and _OPENS.match(text, start):
            return self._constructor()
        for kind, pattern in (("string", _STRING), ("var", _VARIABLE), ("number", _NUMBER), ("name", _WORD),
                              ("symbol", _SYMBOL)):
            if kind == "name" and text.startswith("*:", start) and not expects:
                continue
            if token := pattern.match(text, start):
                self.at = token.end()
                value = token[1] if kind == "var" else token[0]
                return Lexeme(kind, value, start, self.at, expects)
        raise self._error(f"unexpected {char!r}", start)

    def _closed(self, close: str) -> tuple[int, tuple[Piece, ...]]:
        items = self.items(close)
        return self.at, items

    def _template(self, expects: bool) -> Bracket:
        """Read a string constructor, ``[text `{expression}` text]``."""
        start, items = self.at, list[Piece]()
        self.at += 3
        while True:
            opened, closed = self.text.find("`{", self.at), self.text.find("]``", self.at)
            if closed < 0:
                raise self._error("the string constructor does not end", start)
            if not 0 <= opened < closed:
                self.at = closed + 3
                return Bracket("`", start, self.at, tuple(items), expects=expects)
            self.at = opened + 2
            items.append(Bracket("a{", opened, *self._closed("}`")))

    def _constructor(self) -> Bracket:
        """Read a direct constructor."""
        text, start = self.text, self.at
        for opening, closing in (("<!--", "-->"), ("<?", "?>")):
            if text.startswith(opening, start):
                self._to(closing)
                return Bracket("<", start, self.at, (), expects=True)
        tag = _TAG_NAME.match(text, start)
        assert tag is not None
        self.at = tag.end()
        items, declares = list[Piece](), False
        while attribute := _ATTRIBUTE.match(text, self.at):
            declares |= attribute[1] == "xmlns" or attribute[1].startswith("xmlns:")
            self.at = attribute.end()
            items += self._value()
        self._spaces()
        if text.startswith("/>", self.at):
            self.at += 2
        elif text.startswith(">", self.at):
            self.at += 1
            items += self._content(tag[1], start)
        else:
            raise self._error(f"the start tag <{tag[1]}> is not closed", self.at)
        return Bracket("<", start, self.at, tuple(items), declares, True)

    def _value(self) -> list[Piece]:
        """Read the value of an attribute."""
        quote, found = self.text[self.at], list[Piece]()
        start = self.at
        self.at += 1
        while self.at < len(self.text):
            pair, char = self.text[self.at : self.at + 2], self.text[self.at]
            if pair in (quote * 2, "{{", "}}"):
                self.at += 2
            elif char == quote:
                self.at += 1
                return found
            elif char == "{":
                found.append(self._enclosed("a{"))
            else:
                self.at += 1
        raise self._error("the attribute's value does not end", start)

    def _content(self, name: str, start: int) -> list[Piece]:
        """Read the content of an element and its end tag."""
        found, text = list[Piece](), self.text
        self.nested += 1
        if self.nested > _MOST_NESTED:
            raise LimitError(f"more than {_MOST_NESTED} levels of elements", code="limit-depth", text=text,
                             offset=start)
        while self.at < len(text):
            char = text[self.at]
            if text[self.at : self.at + 2] in ("{{", "}}"):
                self.at += 2
            elif char == "{":
                found.append(self._enclosed("{"))
            elif char != "<":
                self.at += 1
            elif text.startswith("<![CDATA[", self.at):
                self._to("]]>")
            elif text.startswith("</", self.at):
                end = re.compile(rf"</{re.escape(name)}\s*>").match(text, self.at)
                if end is None:
                    raise self._error(f"<{name}> is not closed here", self.at)
                self.at, self.nested = end.end(), self.nested - 1
                return found
            elif _OPENS.match(text, self.at):
                found.append(self._constructor())
            else:
                raise self._error("unexpected '<'", self.at)
        raise self._error(f"<{name}> is not closed", start)

    def _enclosed(self, kind: str) -> Bracket:
        start = self.at
        self.at += 1
        return Bracket(kind, start, *self._closed("}"))

    def _spaces(self) -> None:
        if space := _SPACE.match(self.text, self.at):
            self.at = space.end()

    def _to(self, closing: str) -> None:
        end = self.text.find(closing, self.at)
        if end < 0:
            raise self._error(f"there is no {closing}", self.at)
        self.at = end + len(closing)

    def _error(self, reason: str, offset: int) -> QuerySyntaxError:
        return QuerySyntaxError(reason, code="syntax", text=self.text, offset=offset)


def _expects(before: list[Piece]) -> bool:
    """Whether an operand is expected after some items."""
    if not before:
        return True
    last = before[-1]
    if isinstance(last, Bracket) or last.kind in ("string", "var", "number"):
        return False
    if last.kind == "name":
        if last.text == "by" or (last.text == "return" and len(before) > 1 and _is_default(before[-2])):
            return True
        return last.text in KEYWORDS and (not last.expects or _after_indicator(before))
    return not (last.text in ("*", ".", "..") and last.expects)


def _is_default(item: Piece) -> bool:
    return isinstance(item, Lexeme) and item.keyword("default")


def _after_indicator(before: list[Piece]) -> bool:
    """Whether the last name follows an occurrence indicator, as in `for $x as element()* in`."""
    return len(before) > 1 and isinstance(before[-2], Lexeme) and before[-2].text in ("*", "+", "?") and (
        before[-1].text in ("in", "return", "satisfies"))  # type: ignore[union-attr]
