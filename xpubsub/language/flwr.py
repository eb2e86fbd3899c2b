"""The parser of transformations: FLWR expressions of XQuery, or an error that says what and where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from xpubsub.language.constructors import Constructors, results
from xpubsub.language.cursor import check_length
from xpubsub.language.flwr_checks import check_transformation
from xpubsub.language.flwr_scope import Scope, ScopedExpressions
from xpubsub.language.flwr_syntax import Binding, Content, Copy, Flwr, Transformation
from xpubsub.language.paths import XML_NAMESPACE
from xpubsub.language.syntax import Expr, Path
from xpubsub.language.xquery_refusals import COMPARISONS, refuse_onward
from xpubsub.language.xquery_tokens import XQueryCursor
from xpubsub.limits import Limits

_CLAUSES = frozenset({"order", "stable", "group", "count", "window", "tumbling", "sliding"})


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
        known = {"xml": XML_NAMESPACE, **namespaces}
        self._scope = Scope(known, {prefix: uri for prefix, uri in known.items() if prefix})

    def whole(self) -> Transformation:
        cursor = self._cursor
        declared = self._prolog()
        scope = self._scope.declaring(declared)
        if cursor.token.kind == "end":
            raise cursor.syntax("the expression is empty")
        start = cursor.token.offset
        result = self._sequence(scope)
        if cursor.token.kind != "end":
            raise cursor.syntax(f"expected the end of the expression, found {cursor.describe()}")
        check_transformation(cursor, result, start)
        return Transformation(result, tuple(declared.items()))

    def _prolog(self) -> dict[str, str]:
        cursor = self._cursor
        declared: dict[str, str] = {}
        if cursor.at_name("xquery") and cursor.peek().text in ("version", "encoding"):
            while not cursor.at(";") and cursor.token.kind != "end":
                cursor.advance()
            cursor.expect(";")
        while cursor.at_name("declare", "import", "module") and self._declares():
            prefix, uri = self._declaration()
            if prefix in declared:
                raise cursor.syntax(f"the namespace {prefix!r} is declared twice", code="XQST0033")
            declared[prefix] = uri
        return declared

    def _declares(self) -> bool:
        """Whether a keyword under the cursor is one: a name follows, or an annotation."""
        following = self._cursor.peek()
        return following.kind == "name" or following.text == "%"

    def _declaration(self) -> tuple[str, str]:
        cursor = self._cursor
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

    def _sequence(self, scope: Scope) -> Content:
        return results(self._cursor, lambda: self._single(scope))

    def _single(self, scope: Scope) -> Content:
        cursor = self._cursor
        with cursor.nested():
            if cursor.at_name("for", "let") and cursor.peek().text == "$":
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
        content = self._sequence(scope)
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
        if cursor.at_name("for", "let") and cursor.peek().text == "$":
            raise cursor.unsupported(f"a {cursor.token.text} after where")
        if not cursor.keyword("return"):
            raise cursor.syntax(f"expected 'return', found {cursor.describe()}")
        result = self._enclosed("{", "}", scope) if cursor.at("{") else self._sequence(scope)
        if not bindings and where is not None:
            raise cursor.unsupported("a where without a for")
        return Flwr(tuple(bindings), where, result) if bindings else result

    def _clause(self, is_for: bool, scope: Scope, bindings: list[Binding]) -> Scope:
        """One variable of a `for` or `let`."""
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
        """A name that no other variable has: one may hide another."""
        self._used[name] = self._used.get(name, 0) + 1
        return name if self._used[name] == 1 else f"{name}#{self._used[name]}"

    def _where(self, scope: Scope) -> Expr | None:
        if not self._cursor.keyword("where"):
            return None
        condition = ScopedExpressions(self._cursor, scope).expression()
        if self._cursor.at_name("where"):
            raise self._cursor.unsupported("a second where")
        return condition
