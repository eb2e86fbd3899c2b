"""The lexer of XQuery; it reads tokens one by one, since the text after a tag does not consist of tokens."""

from __future__ import annotations

import re

from xpubsub.language.flwr.references import BadReference, dereferenced
from xpubsub.language.xpath.cursor import Cursor
from xpubsub.language.xpath.tokens import NCNAME, NOT_XML, Token, bad_character, name_token
from xpubsub.limits import Limits

_PATTERN = re.compile(
    rf"""
    (?P<literal>"(?:[^"]|"")*"|'(?:[^']|'')*')
  | (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
  | (?P<name>(?:(?:{NCNAME}|\*):(?!:))?(?:{NCNAME}|\*))
  | (?P<symbol>//|::|:=|\.\.|!=|<=|>=|<<|>>|=>|\|\||[/()\[\]@,.|+\-=<>${{}};])
    """,
    re.VERBOSE | re.ASCII,
)
_SPACE = re.compile(r"[ \t\r\n]+")
_COMMENT_EDGE = re.compile(r"\(:|:\)")


class XQueryCursor(Cursor):
    """A cursor that reads tokens on demand, and can move to any offset."""

    def __init__(self, text: str, limits: Limits) -> None:
        if (illegal := NOT_XML.search(text)) is not None:
            raise bad_character(text, illegal.start())
        super().__init__(text, [Token("end", "", 0)], limits)
        self._tokens.clear()
        self.seek(0)

    def seek(self, offset: int) -> None:
        """Continue at an offset."""
        del self._tokens[self._index :]
        self._next = offset
        self.token = self.peek(0)

    def mark(self) -> tuple[int, int]:
        """Return the place of the token under the cursor, for `rewind`."""
        return self._index, self.token.offset

    def rewind(self, mark: tuple[int, int]) -> None:
        """Go back to a place that `mark` returned."""
        self._index, offset = mark
        self.seek(offset)

    def keyword(self, *names: str) -> bool:
        """Take a name if it is one of these keywords, followed by an operand."""
        if not self.at_name(*names):
            return False
        self._tokens[self._index] = Token("operator", self.token.text, self.token.offset)
        end = self.token.offset + len(self.token.text)
        self._index += 1
        self.seek(end)
        return True

    def peek(self, distance: int = 1) -> Token:
        while len(self._tokens) <= self._index + distance:
            self._tokens.append(self._read())
        return self._tokens[self._index + distance]

    def advance(self) -> Token:
        token = self.token
        if token.kind != "end":
            self._index += 1
            self.token = self.peek(0)
        return token

    def _read(self) -> Token:
        offset = self._skip()
        match = _PATTERN.match(self.text, offset)
        if match is None:
            self._next = min(offset + 1, len(self.text))
            return Token("symbol" if self.text[offset:] else "end", self.text[offset : offset + 1], offset)
        self._next = match.end()
        kind, text = str(match.lastgroup), match.group()
        if kind == "name":
            return name_token(text, offset, self._tokens, False)
        return Token(kind, self._literal(text, offset) if kind == "literal" else text, offset)

    def _literal(self, text: str, offset: int) -> str:
        """Return the value of a literal, with doubled quotation marks and references resolved."""
        mark = text[0]
        try:
            return mark + dereferenced(text[1:-1].replace(mark * 2, mark)) + mark
        except BadReference:
            raise self.syntax("a reference to no character", offset) from None

    def _skip(self) -> int:
        """Return the offset after white space and comments."""
        offset = self._next
        while True:
            space = _SPACE.match(self.text, offset)
            offset = space.end() if space else offset
            if not self.text.startswith("(:", offset):
                return offset
            offset = self._comment(offset)

    def _comment(self, start: int) -> int:
        depth, offset = 0, start
        while edge := _COMMENT_EDGE.search(self.text, offset):
            depth += 1 if edge.group() == "(:" else -1
            offset = edge.end()
            if not depth:
                return offset
        raise self.syntax("a comment has no end", start)
