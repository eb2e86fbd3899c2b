"""Parses transformations: FLWR expressions of XQuery; an error names the construct and its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from xpubsub.errors import QuerySyntaxError
from xpubsub.language.flwr.checks import check_transformation
from xpubsub.language.flwr.constructors import Constructors, results
from xpubsub.language.flwr.prolog import prolog
from xpubsub.language.flwr.refusals import COMPARISONS, refuse_onward
from xpubsub.language.flwr.scope import Scope, ScopedExpressions, UnboundVariable
from xpubsub.language.flwr.syntax import Binding, Content, Copy, Flwr, Sequence, Transformation
from xpubsub.language.flwr.tokens import XQueryCursor
from xpubsub.language.xpath.cursor import check_length
from xpubsub.language.xpath.paths import PREDECLARED
from xpubsub.language.xpath.syntax import Expr, Path
from xpubsub.limits import Limits

_CLAUSES = frozenset({"order", "stable", "group", "count", "window", "tumbling", "sliding"})
_ENDED = ": its FLWR has ended (at a comma, unless you write 'return (…, …)')"
Start = tuple[tuple[int, int], dict[str, int]]
"""Where a result starts, and which variable names were used before it."""


class Head(NamedTuple):
    """A FLWR up to its `return`, and the scope after it."""

    bindings: tuple[Binding, ...]
    where: Expr | None
    scope: Scope


def parse_flwr(
    text: str, namespaces: Mapping[str, str] | None = None, limits: Limits | None = None
) -> Transformation:
    """Parse a transformation."""
    limits = limits or Limits()
    check_length(text, limits)
    return _Parser(XQueryCursor(text, limits), namespaces or {}).whole()


class _Parser:
    """Recursive descent over XQuery's grammar, as far as it is supported."""

    def __init__(self, cursor: XQueryCursor, namespaces: Mapping[str, str]) -> None:
        self._cursor = cursor
        self._constructors = Constructors(cursor, self._sequence)
        self._used: dict[str, int] = {}
        self._seen: set[str] = set()
        known = {**PREDECLARED, **namespaces}
        self._scope = Scope(known, {prefix: uri for prefix, uri in known.items() if prefix})

    def whole(self) -> Transformation:
        cursor = self._cursor
        declared = prolog(cursor)
        if cursor.token.kind == "end":
            raise cursor.syntax("the expression is empty")
        start = cursor.token.offset
        try:
            result = self._sequence(self._scope.declaring(declared))
        except UnboundVariable as error:
            raise self._explained(error) from None
        if cursor.token.kind != "end":
            raise cursor.syntax(f"expected the end of the expression, found {cursor.describe()}")
        check_transformation(cursor, result, start)
        return Transformation(result, tuple(declared.items()))

    def _explained(self, error: UnboundVariable) -> QuerySyntaxError:
        ended = _ENDED if error.name in self._seen else ""
        return self._cursor.syntax(f"{error.reason}{ended}", error.offset, code=error.code)

    def _sequence(self, scope: Scope) -> Content:
        """Parse the whole text, or the content of an element's braces."""
        return self._items(scope) if scope.variables else self._outermost(scope)

    def _items(self, scope: Scope) -> Content:
        return results(self._cursor, lambda: self._single(scope))

    def _outermost(self, scope: Scope) -> Content:
        """Parse results outside any FLWR as XQuery does, or as the papers do if that would leave a variable unbound."""
        cursor = self._cursor
        parts: list[Content] = []
        starts: list[Start] = []
        while not cursor.at(")", "}") if not parts else cursor.take(","):
            starts.append((cursor.mark(), dict(self._used)))
            try:
                parts.append(self._single(scope))
            except UnboundVariable as error:
                number, flwr = self._reread(starts, scope, error)
                parts[number:] = [flwr]
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _reread(self, starts: list[Start], scope: Scope, error: UnboundVariable) -> tuple[int, Content]:
        """Reread the last FLWR that binds a variable used after it, with its `return` going on to the end."""
        cursor = self._cursor
        for number in reversed(range(len(starts) - 1)):
            mark, used = starts[number]
            cursor.rewind(mark)
            self._used = dict(used)
            if self._at_flwr():
                head = self._head(scope)
                if error.name in head.scope.variables and not cursor.at("{"):
                    return number, self._returned(head, self._items(head.scope))
        raise error

    def _at_flwr(self) -> bool:
        return self._cursor.at_name("for", "let") and self._cursor.peek().text == "$"

    def _single(self, scope: Scope) -> Content:
        cursor = self._cursor
        with cursor.nested():
            if self._at_flwr():
                return self._flwr(scope)
            if cursor.at("<"):
                element = self._constructors.element(scope)
                refuse_onward(cursor, "a constructed element")
                return element
            if cursor.at("(") and cursor.peek().text != "#":
                return self._enclosed("(", ")", scope)
            return self._copy(scope)

    def _enclosed(self, opening: str, closing: str, scope: Scope) -> Content:
        cursor = self._cursor
        cursor.expect(opening)
        content = self._items(scope)
        cursor.expect(closing)
        refuse_onward(cursor, "results in parentheses")
        return content

    def _copy(self, scope: Scope) -> Content:
        cursor = self._cursor
        offset = cursor.token.offset
        path = ScopedExpressions(cursor, scope).operand()
        if not isinstance(path, Path):
            raise cursor.unsupported("a constant or truth value as a result", offset)
        if cursor.at(*COMPARISONS):
            raise cursor.unsupported("a truth value as a result")
        return Copy(replace(path, offset=offset))

    def _flwr(self, scope: Scope) -> Content:
        """Parse a FLWR: `return` takes one result, which a comma ends. The papers also write `return { … }`."""
        head = self._head(scope)
        braces = self._cursor.at("{")
        return self._returned(head, self._enclosed("{", "}", head.scope) if braces else self._single(head.scope))

    def _head(self, scope: Scope) -> Head:
        cursor = self._cursor
        bindings: list[Binding] = []
        while cursor.at_name("for", "let"):
            is_for = cursor.at_name("for")
            cursor.keyword("for", "let")
            scope = self._clause(is_for, scope, bindings)
            while cursor.take(","):
                scope = self._clause(is_for, scope, bindings)
        where = self._where(scope)
        if cursor.token.kind == "name" and cursor.token.text in _CLAUSES:
            raise cursor.unsupported(f"the clause '{cursor.token.text}'")
        if self._at_flwr():
            raise cursor.unsupported(f"a {cursor.token.text} after where")
        if not cursor.keyword("return"):
            raise cursor.syntax(f"expected 'return', found {cursor.describe()}")
        return Head(tuple(bindings), where, scope)

    def _returned(self, head: Head, result: Content) -> Content:
        if not head.bindings and head.where is not None:
            raise self._cursor.unsupported("a where without a for")
        return Flwr(head.bindings, head.where, result) if head.bindings else result

    def _clause(self, is_for: bool, scope: Scope, bindings: list[Binding]) -> Scope:
        """Parse one variable of a `for` or `let`."""
        cursor = self._cursor
        cursor.expect("$")
        if cursor.token.kind != "name":
            raise cursor.syntax(f"expected the name of a variable, found {cursor.describe()}")
        name = cursor.advance().text
        if cursor.at_name("as", "at", "allowing"):
            raise cursor.unsupported(f"'{cursor.token.text}' after a variable")
        if not (cursor.keyword("in") if is_for else cursor.take(":=")):
            raise cursor.syntax(f"expected '{'in' if is_for else ':='}', found {cursor.describe()}")
        path = self._bound(is_for, scope)
        self._seen.add(name)
        if not is_for:
            return scope.with_variable(name, path)
        own = self._own_name(name)
        bindings.append(Binding(own, path))
        return scope.with_variable(name, Path(False, (), path.offset, own))

    def _bound(self, is_for: bool, scope: Scope) -> Path:
        cursor = self._cursor
        offset = cursor.token.offset
        clause = "for" if is_for else "let"
        if cursor.at("<") or (cursor.at_name("for", "let") and cursor.peek().text == "$"):
            raise cursor.unsupported(f"a {clause} over anything but a path")
        path = ScopedExpressions(cursor, scope).operand()
        if not isinstance(path, Path) or cursor.at(*COMPARISONS):
            raise cursor.unsupported(f"a {clause} over anything but a path", offset)
        return path

    def _own_name(self, name: str) -> str:
        """Return a unique name for a variable, as one may hide another."""
        self._used[name] = self._used.get(name, 0) + 1
        return name if self._used[name] == 1 else f"{name}#{self._used[name]}"

    def _where(self, scope: Scope) -> Expr | None:
        if not self._cursor.keyword("where"):
            return None
        condition = ScopedExpressions(self._cursor, scope).expression()
        if self._cursor.at_name("where"):
            raise self._cursor.unsupported("a second where")
        return condition
