"""Parses the prolog of a query: namespaces and functions; reads the types that functions declare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xpubsub.language.flwr.prolog import at_declaration, declaration
from xpubsub.language.flwr.tokens import XQueryCursor
from xpubsub.language.xquery.functions import ATOMIC_TYPES
from xpubsub.language.xquery.scope import QueryScope
from xpubsub.language.xquery.syntax import ItemSequence, OwnFunction, SequenceType

if TYPE_CHECKING:
    from xpubsub.language.xquery.parser import QueryParser

_ANY = ("node", "element", "item", "text", "attribute")


class FunctionPrologue:
    """The declarations of a query."""

    def __init__(self, cursor: XQueryCursor, parser: QueryParser) -> None:
        self._cursor = cursor
        self._parser = parser
        self.declared: dict[str, str] = {}
        """The namespaces, by prefix."""

    def read(self, scope: QueryScope) -> QueryScope:
        """Parse the declarations; returns the scope of what follows."""
        cursor = self._cursor
        if cursor.at_name("xquery") and cursor.peek().text in ("version", "encoding"):
            while not cursor.at(";") and cursor.token.kind != "end":
                cursor.advance()
            cursor.expect(";")
        while cursor.at_name("declare", "import", "module") and at_declaration(cursor):
            if cursor.at_name("declare") and cursor.peek().text == "function":
                self._function(scope.declaring(self.declared))
                continue
            prefix, uri = declaration(cursor)
            if prefix in self.declared:
                raise cursor.syntax(f"the namespace {prefix!r} is declared twice", code="XQST0033")
            self.declared[prefix] = uri
        return scope.declaring(self.declared)

    def _function(self, scope: QueryScope) -> None:
        """Parse a function; calls of itself are known by its name, as calls of those before it are."""
        cursor, parser = self._cursor, self._parser
        cursor.advance()
        cursor.keyword("function")
        name = cursor.advance().text
        parser.declared_functions.add(name)
        cursor.expect("(")
        parameters: list[tuple[int, SequenceType | None]] = []
        inner = scope
        while not cursor.at(")"):
            variable, slot = parser.variable_name(), parser.new_slot()
            parameters.append((slot, self._type()))
            inner = inner.with_variable(variable, slot)
            if not cursor.take(","):
                break
        cursor.expect(")")
        result = self._type()
        cursor.expect("{")
        body = ItemSequence() if cursor.at("}") else parser.expression(inner)
        cursor.expect("}")
        cursor.expect(";")
        parser.functions[name] = OwnFunction(name, tuple(parameters), result, body)

    def _type(self) -> SequenceType | None:
        return sequence_type(self._cursor) if self._cursor.keyword("as") else None


def sequence_type(cursor: XQueryCursor) -> SequenceType:
    """Parse a type with its occurrence."""
    token = cursor.advance()
    if token.kind != "name":
        raise cursor.syntax("expected a type", token.offset)
    if token.text in _ANY and cursor.take("("):
        if not cursor.at(")"):
            raise cursor.unsupported("a type with a name in it")
        cursor.expect(")")
        return SequenceType("", _occurrence(cursor))
    if token.text not in ATOMIC_TYPES:
        raise cursor.unsupported(f"the type {token.text}", token.offset)
    return SequenceType(token.text, _occurrence(cursor))


def _occurrence(cursor: XQueryCursor) -> str:
    if cursor.token.text in ("?", "*", "+") and cursor.token.kind in ("symbol", "operator", "name"):
        return cursor.advance().text
    return ""
