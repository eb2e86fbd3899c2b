"""Parses the SELECT of a correlation: constructors, variables and paths from them."""

from __future__ import annotations

from collections.abc import Mapping

from xpubsub.language.flwr.checks import check_transformation
from xpubsub.language.flwr.constructors import Constructors, results
from xpubsub.language.flwr.refusals import refuse_expression, refuse_onward
from xpubsub.language.flwr.scope import Scope
from xpubsub.language.flwr.syntax import Binding, Content, Copy, Flwr
from xpubsub.language.xpath.paths import XML_NAMESPACE
from xpubsub.language.xpath.syntax import NodeTest, Path, PathStep
from xpubsub.language.xscl.paths import VariablePaths
from xpubsub.language.xscl.tokens import XsclCursor


class SelectParser:
    """Parses results at a cursor; `check` looks up their variables once all blocks are parsed."""

    def __init__(self, cursor: XsclCursor, namespaces: Mapping[str, str]) -> None:
        self._cursor = cursor
        self._constructors = Constructors(cursor, self._sequence)
        known = {"xml": XML_NAMESPACE, **namespaces}
        self._scope = Scope(known, {prefix: uri for prefix, uri in known.items() if prefix})
        self._used: dict[str, int] = {}

    def result(self) -> Content | None:
        """Parse the result of SELECT; None for `*`."""
        cursor = self._cursor
        if cursor.at("*") or cursor.at_name("*"):
            cursor.advance()
            return None
        if cursor.at_word("from") or cursor.token.kind == "end":
            raise cursor.syntax(f"expected a result behind SELECT, found {cursor.describe()}")
        return self._sequence(self._scope)

    def check(self, result: Content, start: int, tests: Mapping[str, NodeTest]) -> None:
        """Refuse unknown variables, and results that would fail on some messages."""
        for variable, offset in self._used.items():
            if variable not in tests:
                raise self._cursor.syntax(f"there is no variable ${variable} here", offset, code="XPST0008")
        bindings = (Binding(name, Path(True, (PathStep("child", test),))) for name, test in tests.items())
        check_transformation(self._cursor, Flwr(tuple(bindings), None, result), start)

    def _sequence(self, scope: Scope) -> Content:
        return results(self._cursor, lambda: self._single(scope))

    def _single(self, scope: Scope) -> Content:
        cursor = self._cursor
        with cursor.nested():
            if cursor.at("<"):
                element = self._constructors.element(scope)
                refuse_onward(cursor, "a constructed element")
                return element
            if cursor.at("(") and cursor.peek().text != "#":
                return self._enclosed(scope)
            if not cursor.at("$"):
                self._refuse()
            return self._copy(scope)

    def _enclosed(self, scope: Scope) -> Content:
        cursor = self._cursor
        cursor.expect("(")
        content = self._sequence(scope)
        cursor.expect(")")
        refuse_onward(cursor, "results in parentheses")
        return content

    def _copy(self, scope: Scope) -> Copy:
        cursor = self._cursor
        offset = cursor.expect("$").offset
        variable = cursor.variable().text
        self._used.setdefault(variable, offset)
        path = VariablePaths(cursor, scope.namespaces, "SELECT").onward(variable, offset)
        refuse_onward(cursor, "results")
        return Copy(path)

    def _refuse(self) -> None:
        """Refuse the result at the cursor, which does not start with a variable."""
        cursor = self._cursor
        token = cursor.token
        if token.kind == "name" and token.text in ("for", "let") and cursor.peek().text == "$":
            raise cursor.unsupported(f"a FLWR ('{token.text}') in SELECT")
        refuse_expression(cursor)
        if token.kind in ("literal", "number"):
            raise cursor.unsupported("a constant as a result")
        if token.kind == "name" and cursor.peek().text == "(":
            raise cursor.unsupported(f"the function {token.text}()", instead="copy nodes, as in $x or $x/a")
        if token.kind == "name" or cursor.at("/", "//", ".", "..", "@"):
            raise cursor.unsupported("a path in SELECT that does not start from a variable")
        raise cursor.syntax(f"expected a result, found {cursor.describe()}")
