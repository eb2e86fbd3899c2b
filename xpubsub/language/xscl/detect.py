"""Tells correlations from filters and transformations without parsing them."""

from __future__ import annotations

import re

from xpubsub.errors import QuerySyntaxError
from xpubsub.language.xpath.tokens import NCNAME, Token
from xpubsub.language.xscl.tokens import XsclCursor
from xpubsub.limits import Limits

_HINT = re.compile(r"(?i)\b(?:(?:select|from|followed|join|publish)\b|as[ \t\r\n]*\$)")
_TAG = re.compile(rf"<(?:{NCNAME}:)?{NCNAME}(?:[ \t\r\n]*/?>|[ \t\r\n]+[^ \t\r\n=<>]+[ \t\r\n]*=[ \t\r\n]*[\"'])")


def is_xscl(text: str) -> bool:
    """Whether a text looks like a correlation: it starts with SELECT or FROM, or with a block and more after it."""
    if not _HINT.search(text):
        return False
    try:
        cursor = XsclCursor(text, Limits())
        if cursor.at_word("select"):
            return _selects(cursor) or _joins(cursor)
        if cursor.at_word("from") and _begins_operand(cursor.peek()):
            return True
        return _joins(cursor)
    except QuerySyntaxError:
        return False


def _selects(cursor: XsclCursor) -> bool:
    """Whether SELECT is followed by something that cannot follow a name in XPath."""
    following, then = cursor.peek(), cursor.peek(2)
    if following.text == "*":
        return _is_word(then, "from") and _begins_operand(cursor.peek(3))
    if following.text == "(" and following.kind == "symbol":
        return then.text == "$" or bool(_TAG.match(cursor.text, then.offset))
    return following.text == "$" or _begins_operand(following) or bool(_TAG.match(cursor.text, following.offset))


def _joins(cursor: XsclCursor) -> bool:
    """Whether a block contains or precedes what XPath lacks: a binding, an operator with braces, FROM or PUBLISH."""
    before = cursor.advance()
    if not _is_operand(before):
        return False
    while cursor.token.kind != "end":
        if _is_operand(before) and _is_keyword(cursor):
            return True
        if cursor.at("{", "}", ",", ";") or (cursor.at("$") and before.text != "->"):
            return False
        before = _advanced(cursor)
    return False


def _is_keyword(cursor: XsclCursor) -> bool:
    following = cursor.peek()
    if cursor.at_word("followed") and _is_word(following, "by") and cursor.peek(2).text == "{":
        return True
    if cursor.at_word("join") and following.text == "{":
        return _block_follows(cursor)
    if cursor.at_word("as") and following.text == "$":
        return True
    return cursor.at_word("publish", "from") and _begins_operand(following)


def _block_follows(cursor: XsclCursor) -> bool:
    """Whether a block follows the braces; otherwise they belong to a computed constructor."""
    distance = 1
    while (token := cursor.peek(distance)).kind != "end" and token.text != "}":
        distance += 1
    return _begins_operand(cursor.peek(distance + 1))


def _advanced(cursor: XsclCursor) -> Token:
    """Take a token, or everything between brackets or parentheses; returns the last one taken."""
    depth = 0
    while True:
        token = cursor.advance()
        if token.kind == "symbol":
            depth += (token.text in ("[", "(")) - (token.text in ("]", ")"))
        if depth <= 0 or token.kind == "end":
            return token


def _is_word(token: Token, word: str) -> bool:
    return token.kind == "name" and token.text.lower() == word


def _begins_operand(token: Token) -> bool:
    """Whether a token is a name or constant, which in XPath cannot follow an operand."""
    return token.kind in ("name", "literal", "number")


def _is_operand(token: Token) -> bool:
    return _begins_operand(token) or token.text in ("]", ")", ".")
