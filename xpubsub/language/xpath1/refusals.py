"""What filters refuse of other languages, above all of XPath 2.0, each with what to write instead."""

from __future__ import annotations

import re

from xpubsub.errors import QuerySyntaxError, UnsupportedError
from xpubsub.language.instead import refusal
from xpubsub.language.xpath.cursor import Cursor
from xpubsub.language.xpath.tokens import Token, tokenize

INSTEAD_OF = {
    "current": "write . for the context node", "document-uri": "a message has none",
    "abs": "compare with both signs", "distinct-values": "compare the nodes themselves",
    "tokenize": "compare with contains(), as in contains(concat(' ', a, ' '), ' x ')",
    "replace": "use translate(), which replaces single characters, or matches()",
    "string-join": "use concat(), or a condition on each node", "avg": "write sum(a) div count(a)",
    "max": "write a > 5 for 'some is above', and not(a > 5) for 'none is'",
    "min": "write a < 5 for 'some is below', and not(a < 5) for 'none is'",
    "if": "write (a and b) or (not(a) and c)", "data": "write the path alone", "head": "write (a)[1]",
    "tail": "write (a)[position() > 1]", "reverse": "write (a)[last()] for the last node",
    "subsequence": "write (a)[position() >= n]", "index-of": "compare with =, or count() the nodes before",
    "deep-equal": "compare the texts with =", "compare": "compare with =",
    "exactly-one": "write count(a) = 1 and …", "zero-or-one": "write the path alone",
    "one-or-more": "write the path alone",
    "current-date": "bind a variable to the date, as in xs:date($today)",
    "current-dateTime": "bind a variable to the time, as in xs:dateTime($now)",
    "year-from-date": "use xs:date() comparisons, or substring(a, 1, 4)", "node-name": "use name()",
    "local-name-from-QName": "use local-name()", "root": "write /", "base-uri": "a message has none",
    "xs:decimal": "use number()", "xs:integer": "use number()", "xs:double": "use number()", "xs:float": "use number()",
    "xs:string": "use string()", "xs:boolean": "compare with 'true'", "xs:time": "use xs:dateTime()",
    "xs:anyURI": "use string()", "format-number": "compare the number itself", "key": "write a path with a predicate",
    "document": "a filter sees one message", "doc": "a filter sees one message", "union": "write a | b",
    "codepoints-to-string": "write the character itself", "encode-for-uri": "compare the text itself",
    "string-to-codepoints": "compare the text itself", "nilled": "write @xsi:nil = 'true'",
}
"""What to write instead of functions of other languages."""
OTHERWISE = (
    "the functions are those of XPath 1.0, and matches(), lower-case(), upper-case(), ends-with(), exists(), empty(),"
    " xs:date() and xs:dateTime()"
)
_OPERATORS = {
    "to": "write a >= 1 and a <= 9", "is": "write count(a | b) = 1 for the same node", "union": "write a | b",
    "intersect": "write a[condition of b]", "except": "write a[not(condition of b)]",
    "idiv": "write floor(a div b)", "instance": "values have no types here: leave it out",
    "castable": "write number(a) = number(a) for numbers, and matches() for other forms",
    "cast": "use number(), string(), xs:date() or xs:dateTime()", "treat": "values have no types here: leave it out",
    "in": "write a predicate, as in a[b = 1]", "satisfies": "write a predicate, as in a[b = 1]",
    "return": "write a predicate, as in a[b = 1]", "then": "write (a and b) or (not(a) and c)",
    "else": "write (a and b) or (not(a) and c)",
    "eq": "write =", "ne": "write !=", "lt": "write <", "le": "write <=", "gt": "write >", "ge": "write >=",
}
_WORDS = {
    "some": "write a path with a predicate, as in a[b = 1]",
    "every": "write not() of a path with the opposite, as in not(a[b != 1])",
    "for": "write a path with a predicate, as in a[b = 1]", "let": "write the expression where it is used",
}
_SYMBOLS = {
    "||": "use concat()", "<<": "use the axis preceding::", ">>": "use the axis following::",
    "=>": "call the function on the path, as in string(a)",
}
_CHARACTERS = {
    "!": ("the operator !", "write a path, as in a/b"), "(:": ("a comment", "leave it out"),
    "{": ("a constructor here", "write a condition"), "?": ("the operator ?", "write a path, as in a/b"),
}
"""What a character starts that is none of XPath 1.0."""
_EXPONENT = re.compile(r"[eE][0-9]*")


def known_tokens(text: str, *, capitals: bool) -> list[Token]:
    """Return the tokens of an expression; says which construct a character belongs to that is none of XPath 1.0."""
    try:
        return tokenize(text, capitals=capitals)
    except QuerySyntaxError as error:
        before = text[error.offset - 1:error.offset + 1] if error.offset else ""
        construct, advice = _CHARACTERS.get(before) or _CHARACTERS.get(text[error.offset:][:1]) or ("", "")
        if not construct:
            raise
        reason = refusal(construct, advice)
        raise UnsupportedError(reason, code="unsupported", text=text, offset=error.offset) from None


def refuse_foreign_operator(cursor: Cursor) -> None:
    """Raise an error if an operator of XPath 2.0 follows an operand."""
    token = cursor.token
    if token.kind == "name" and token.text in _OPERATORS:
        raise cursor.unsupported(f"the operator {token.text}", None, _OPERATORS[token.text])
    before = cursor.text[token.offset - 1:token.offset]
    if token.kind == "name" and before.isdigit() and _EXPONENT.fullmatch(token.text):
        raise cursor.unsupported("a number with an exponent")
    for written, advice in _SYMBOLS.items():
        if cursor.text.startswith(written, token.offset):
            raise cursor.unsupported(f"the operator {written}", None, advice)


def refuse_foreign_word(cursor: Cursor) -> None:
    """Raise an error if an expression of XPath 2.0 starts at the cursor."""
    if cursor.token.text in _WORDS and cursor.peek().text == "$":
        raise cursor.unsupported(f"the expression {cursor.token.text}", None, _WORDS[cursor.token.text])


def unknown_function(cursor: Cursor, written: str, name: str, offset: int) -> UnsupportedError:
    """Return the error that a function is not supported."""
    return cursor.unsupported(f"the function {written}()", offset, INSTEAD_OF.get(name, OTHERWISE))
