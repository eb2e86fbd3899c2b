"""The lexer of XPath 1.0: text → tokens, each with its offset."""

from __future__ import annotations

import re
from typing import NamedTuple

from xpubsub.errors import QuerySyntaxError

_START = (
    r"A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d"
    r"\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
NCNAME = rf"[{_START}][{_START}\-.0-9\u00b7\u0300-\u036f\u203f\u2040]*"

_PATTERN = re.compile(
    rf"""
    (?P<space>[ \t\r\n]+)
  | (?P<literal>"[^"]*"|'[^']*')
  | (?P<number>\d+(?:\.\d*)?|\.\d+)
  | (?P<name>(?:(?:{NCNAME}|\*):(?!:))?(?:{NCNAME}|\*))
  | (?P<symbol>//|::|\.\.|!=|<=|>=|[/()\[\]@,.|+\-=<>$])
    """,
    re.VERBOSE | re.ASCII,
)
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
OPERATOR_NAMES = frozenset({"and", "or", "mod", "div"})
_BEFORE_OPERAND = frozenset({
    "@", "::", "(", "[", ",", "/", "//", "|", "+", "-", "=", "!=", "<", "<=", ">", ">=", "$", "{", "}", ":=", ";",
})


class Token(NamedTuple):
    """One token: its kind (`name`, `literal`, `number`, `operator`, `symbol`, `end`), text and offset."""

    kind: str
    text: str
    offset: int


def tokenize(text: str, *, capitals: bool = False) -> list[Token]:
    """Return all tokens of an expression; with `capitals`, AND, OR and NOT are read like their lower-case forms."""
    if (illegal := NOT_XML.search(text)) is not None:
        raise bad_character(text, illegal.start())
    tokens: list[Token] = []
    end = 0
    for match in _PATTERN.finditer(text):
        kind, (offset, after) = match.lastgroup, match.span()
        if offset != end:
            break
        end = after
        if kind == "name":
            tokens.append(name_token(match.group(), offset, tokens, capitals))
        elif kind != "space":
            tokens.append(Token(str(kind), match.group(), offset))
    if end != len(text):
        raise bad_character(text, end)
    tokens.append(Token("end", "", end))
    return tokens


def name_token(text: str, offset: int, before: list[Token], capitals: bool) -> Token:
    """Apply XPath's rule: after an operand, `*` and the operator names are operators."""
    after_operand = bool(before) and before[-1].kind != "operator" and before[-1].text not in _BEFORE_OPERAND
    word = text.lower() if capitals and text in ("AND", "OR", "NOT") else text
    if after_operand and (word in OPERATOR_NAMES or word == "*"):
        return Token("operator", word, offset)
    return Token("name", "not" if word == "not" else text, offset)


def bad_character(text: str, offset: int) -> QuerySyntaxError:
    """Return the error for an unexpected character."""
    if text[offset] in "\"'":
        return QuerySyntaxError("a string literal has no end", code="XPST0003", text=text, offset=offset)
    reason = f"unexpected character {text[offset]!r}"
    return QuerySyntaxError(reason, code="XPST0003", text=text, offset=offset)
