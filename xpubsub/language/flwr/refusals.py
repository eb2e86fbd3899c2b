"""Refuses, by name, the expressions of XQuery that are not supported, recognised by their first tokens."""

from __future__ import annotations

from xpubsub.language.flwr.tokens import XQueryCursor

KIND_TESTS = frozenset({
    "element", "attribute", "document-node", "schema-element", "schema-attribute", "namespace-node", "item",
})
_EXPRESSIONS = {
    "if": "(", "typeswitch": "(", "switch": "(", "some": "$", "every": "$", "for": "$", "let": "$", "try": "{",
    "validate": "{", "ordered": "{", "unordered": "{",
}
"""Keywords and what must follow them; otherwise they are names."""
_NAMED = ("element", "attribute", "processing-instruction", "namespace")
_CONSTRUCTORS = frozenset({*_NAMED, "document", "text", "comment"})
_OTHERS = {
    ("map", "{"): "a map", ("array", "{"): "an array", ("function", "("): "a function as a value",
    ("Q", "{"): "a name with its namespace in braces", ("(", "#"): "a pragma",
    **{("validate", mode): "the expression validate" for mode in ("lax", "strict", "type")},
    **{("for", kind): "a window" for kind in ("tumbling", "sliding")},
}
_SYMBOLS = {"+": "arithmetic ('+')", "[": "an array", "?": "the operator ?", "`": "a string constructor",
            "%": "a function as a value", "<": "a constructor here"}
_OPERATORS = {
    **{name: name for name in ("eq", "ne", "lt", "le", "gt", "ge", "is", "to", "union", "intersect", "except", "idiv")},
    "instance": "instance of", "cast": "cast as", "castable": "castable as", "treat": "treat as",
}
_OPERATOR_SYMBOLS = ("<<", ">>", "||", "=>", "!", "?")
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=", "and", "or")


def refuse_expression(cursor: XQueryCursor) -> None:
    """Refuse the expression at the cursor if its kind is not supported."""
    token, following = cursor.token, cursor.peek().text
    if token.kind == "literal":
        return
    if token.kind == "number" and "e" in token.text.lower():
        raise cursor.unsupported("a number with an exponent")
    if token.kind == "name" and _EXPRESSIONS.get(token.text) == following:
        raise cursor.unsupported(f"the expression {token.text}")
    if token.kind == "name" and at_computed_constructor(cursor):
        raise cursor.unsupported("a computed constructor")
    construct = _OTHERS.get((token.text, following)) or (_SYMBOLS.get(token.text) if token.kind == "symbol" else None)
    if construct is not None:
        raise cursor.unsupported(construct)


def refuse_others(cursor: XQueryCursor) -> None:
    """Refuse the expression at the cursor if neither way to read transformations knows its kind."""
    token, following = cursor.token, cursor.peek().text
    if token.kind in ("literal", "number"):
        return
    if token.kind == "name" and _EXPRESSIONS.get(token.text) == following:
        raise cursor.unsupported(f"the expression {token.text}")
    construct = _OTHERS.get((token.text, following)) or (_SYMBOLS.get(token.text) if token.kind == "symbol" else None)
    if construct is None and token.kind == "name" and following == "#":
        construct = "a function as a value"
    if construct is not None:
        raise cursor.unsupported(construct)


def refuse_operator(cursor: XQueryCursor) -> None:
    """Refuse an unsupported operator at the cursor, after an operand."""
    text = cursor.token.text
    if cursor.token.kind == "name" and text in _OPERATORS:
        raise cursor.unsupported(f"the operator {_OPERATORS[text]}")
    if cursor.at(*_OPERATOR_SYMBOLS):
        raise cursor.unsupported(f"the operator {text}")
    if cursor.at("("):
        raise cursor.unsupported("a call of anything but a named function")


def refuse_onward(cursor: XQueryCursor, results: str) -> None:
    """Refuse a continuation of results that are not a path."""
    if cursor.at("/", "//", "["):
        raise cursor.unsupported(f"a step or predicate on {results}")
    if cursor.at(*COMPARISONS):
        raise cursor.unsupported("a truth value as a result")
    if cursor.at("+", "-", "*", "div", "mod"):
        raise cursor.unsupported(f"arithmetic ('{cursor.token.text}')")
    if cursor.at("|"):
        raise cursor.unsupported("the union '|'")
    refuse_operator(cursor)


def at_computed_constructor(cursor: XQueryCursor) -> bool:
    """Whether a computed constructor begins at the cursor, with or without a name."""
    word, following = cursor.token.text, cursor.peek()
    named = word in _NAMED and following.kind == "name" and following.text != "return" and cursor.peek(2).text == "{"
    return word in _CONSTRUCTORS and (following.text == "{" or named)
