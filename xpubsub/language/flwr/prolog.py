"""Parses the prolog of a transformation, which declares namespaces."""

from __future__ import annotations

from xpubsub.language.flwr.tokens import XQueryCursor


def prolog(cursor: XQueryCursor) -> dict[str, str]:
    """Return namespaces by prefix; the empty prefix is the default namespace of elements."""
    declared: dict[str, str] = {}
    if cursor.at_name("xquery") and cursor.peek().text in ("version", "encoding"):
        while not cursor.at(";") and cursor.token.kind != "end":
            cursor.advance()
        cursor.expect(";")
    while cursor.at_name("declare", "import", "module") and at_declaration(cursor):
        prefix, uri = declaration(cursor)
        if prefix in declared:
            raise cursor.syntax(f"the namespace {prefix!r} is declared twice", code="XQST0033")
        declared[prefix] = uri
    return declared


def at_declaration(cursor: XQueryCursor) -> bool:
    """Whether the name under the cursor is a keyword: a name or an annotation follows."""
    following = cursor.peek()
    return following.kind == "name" or following.text == "%"


def declaration(cursor: XQueryCursor) -> tuple[str, str]:
    """Parse the declaration of a namespace: prefix and URI."""
    start, what = cursor.advance(), cursor.token.text
    if start.text == "declare" and cursor.keyword("namespace"):
        prefix = cursor.advance().text
        cursor.expect("=")
    elif start.text == "declare" and what == "default" and cursor.peek().text == "element":
        cursor.advance()
        cursor.advance()
        if not cursor.keyword("namespace"):
            raise cursor.syntax(f"expected 'namespace', found {cursor.describe()}")
        prefix = ""
    else:
        raise cursor.unsupported(f"the prolog's '{start.text} {what}'", start.offset)
    uri = cursor.advance()
    if uri.kind != "literal":
        raise cursor.syntax("expected a namespace in quotation marks", uri.offset)
    cursor.expect(";")
    return prefix, uri.text[1:-1]
