"""Parses the clauses of FLWOR expressions, and computed constructors."""

from __future__ import annotations

from abc import abstractmethod

from xpubsub.language.flwr.refusals import at_computed_constructor
from xpubsub.language.flwr.syntax import Name
from xpubsub.language.flwr.tokens import XQueryCursor
from xpubsub.language.xquery.constructors import QueryConstructors
from xpubsub.language.xquery.scope import QueryScope
from xpubsub.language.xquery.syntax import (
    ComputedNode,
    ElementConstructor,
    Expression,
    FlworExpression,
    ForClause,
    LetClause,
    OrderClause,
    OrderKey,
    QueryClause,
    WhereClause,
)

_OTHERS = frozenset({"group", "count", "window", "tumbling", "sliding"})
_COMPUTED = frozenset({"element", "attribute", "text"})


class Clauses:
    """The part of the parser for FLWOR expressions; variables get slots, each its own."""

    def __init__(self, cursor: XQueryCursor) -> None:
        self._cursor = cursor
        self.constructors = QueryConstructors(cursor, self.expression)
        self.slots = 0
        self.declared_functions: set[str] = set()
        """The names of the functions that the prolog declares."""

    @abstractmethod
    def expression(self, scope: QueryScope) -> Expression:
        """Parse expressions separated by commas."""

    @abstractmethod
    def single(self, scope: QueryScope) -> Expression:
        """Parse one expression, up to a comma."""

    def new_slot(self) -> int:
        """Return the slot of one more variable."""
        self.slots += 1
        return self.slots - 1

    def flwor(self, scope: QueryScope) -> Expression:
        """Parse a FLWOR expression."""
        cursor = self._cursor
        clauses: list[QueryClause] = []
        while not cursor.at_name("return"):
            scope = self._clause(scope, clauses)
        cursor.keyword("return")
        if not cursor.at("{"):
            return FlworExpression(tuple(clauses), self.single(scope))
        cursor.expect("{")
        result = self.expression(scope)
        cursor.expect("}")
        return FlworExpression(tuple(clauses), result)

    def _clause(self, scope: QueryScope, clauses: list[QueryClause]) -> QueryScope:
        cursor = self._cursor
        word = cursor.token.text
        if cursor.at_name("for", "let") and cursor.peek().text == "$":
            cursor.keyword("for", "let")
            scope = self._binding(word, scope, clauses)
            while cursor.take(","):
                scope = self._binding(word, scope, clauses)
        elif cursor.keyword("where"):
            clauses.append(WhereClause(self.single(scope)))
        elif cursor.at_name("order", "stable"):
            if cursor.keyword("stable") and not cursor.at_name("order"):
                raise cursor.syntax(f"expected 'order', found {cursor.describe()}")
            cursor.keyword("order")
            self.expect_keyword("by")
            clauses.append(self._order(scope))
        elif cursor.at_name(*_OTHERS) or cursor.at_name("for"):
            raise cursor.unsupported("a window" if word == "for" else f"the clause '{word}'")
        else:
            raise cursor.syntax(f"expected 'return', found {cursor.describe()}")
        return scope

    def _binding(self, word: str, scope: QueryScope, clauses: list[QueryClause]) -> QueryScope:
        cursor = self._cursor
        offset = cursor.token.offset
        name, place = self.variable_name(), None
        self.refuse_type("allowing")
        if word == "for" and cursor.keyword("at"):
            place = self.variable_name()
        if word == "for":
            self.expect_keyword("in")
        else:
            cursor.expect(":=")
        value, slot = self.single(scope), self.new_slot()
        scope = scope.with_variable(name, slot)
        if word == "let":
            clauses.append(LetClause(slot, value))
            return scope
        at_slot = None
        if place is not None:
            at_slot = self.new_slot()
            scope = scope.with_variable(place, at_slot)
        clauses.append(ForClause(slot, at_slot, value, offset))
        return scope

    def _order(self, scope: QueryScope) -> OrderClause:
        cursor = self._cursor
        keys: list[OrderKey] = []
        while True:
            key = self.single(scope)
            descending = cursor.at_name("descending")
            cursor.keyword("ascending", "descending")
            greatest = False
            if cursor.keyword("empty"):
                greatest = cursor.at_name("greatest")
                if not cursor.keyword("greatest", "least"):
                    raise cursor.syntax(f"expected 'greatest' or 'least', found {cursor.describe()}")
            if cursor.at_name("collation"):
                raise cursor.unsupported("a collation")
            keys.append(OrderKey(key, descending, greatest))
            if not cursor.take(","):
                return OrderClause(tuple(keys))

    def variable_name(self) -> str:
        """Parse a variable."""
        cursor = self._cursor
        cursor.expect("$")
        if cursor.token.kind != "name":
            raise cursor.syntax(f"expected the name of a variable, found {cursor.describe()}")
        return cursor.advance().text

    def refuse_type(self, *others: str) -> None:
        """Refuse the type of a variable."""
        if self._cursor.at_name("as", *others):
            raise self._cursor.unsupported(f"'{self._cursor.token.text}' after a variable")

    def expect_keyword(self, word: str) -> None:
        """Parse a keyword."""
        if not self._cursor.keyword(word):
            raise self._cursor.syntax(f"expected '{word}', found {self._cursor.describe()}")

    def at_constructor(self) -> bool:
        """Whether a computed constructor begins at the cursor."""
        return self._cursor.token.kind == "name" and at_computed_constructor(self._cursor)

    def computed(self, scope: QueryScope) -> Expression:
        """Parse a computed constructor."""
        cursor = self._cursor
        offset, kind = cursor.token.offset, cursor.token.text
        if kind not in _COMPUTED:
            raise cursor.unsupported(f"a computed constructor of a {kind}")
        cursor.keyword(kind)
        name: Name | Expression | None = None
        if kind != "text" and cursor.token.kind == "name":
            name = self._node_name(kind, scope)
        elif kind != "text":
            name = self._enclosed(scope)
        content = self._enclosed(scope)
        if kind == "element" and isinstance(name, Name):
            return ElementConstructor(name, content=(content,))
        if isinstance(name, Name) and (name.written == "xmlns" or name.prefix == "xmlns"):
            raise cursor.syntax("an attribute cannot declare a namespace", offset, code="XQDY0044")
        return ComputedNode(kind, name, content, tuple(scope.elements.items()))

    def _node_name(self, kind: str, scope: QueryScope) -> Name:
        cursor = self._cursor
        token = cursor.advance()
        prefix = token.text.rpartition(":")[0]
        if "*" in token.text:
            raise cursor.syntax("expected a name", token.offset)
        if prefix not in scope.elements and prefix:
            raise cursor.syntax(f"the prefix {prefix!r} is not declared", token.offset, code="XPST0081")
        uri = scope.elements.get(prefix, "") if prefix or kind == "element" else ""
        return Name(token.text, uri)

    def _enclosed(self, scope: QueryScope) -> Expression:
        self._cursor.expect("{")
        with self._cursor.nested():
            inner = self.expression(scope)
        self._cursor.expect("}")
        return inner
