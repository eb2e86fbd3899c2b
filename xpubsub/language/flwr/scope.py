"""The variables and namespaces in scope in a transformation, and the parser of expressions that use them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NoReturn

from xpubsub.errors import QuerySyntaxError
from xpubsub.language.flwr.paths import XQueryPaths
from xpubsub.language.flwr.refusals import KIND_TESTS, refuse_expression, refuse_operator
from xpubsub.language.flwr.tokens import XQueryCursor
from xpubsub.language.xpath.parser import MESSAGE_FUNCTIONS, ExpressionParser
from xpubsub.language.xpath.syntax import And, Expr, Literal, Not, Path, PathStep


@dataclass(frozen=True)
class Scope:
    """The variables and namespaces in scope."""

    namespaces: Mapping[str, str]
    """The namespaces of names in paths."""
    elements: Mapping[str, str]
    """Of constructed elements."""
    variables: Mapping[str, Path] = field(default_factory=dict)
    """The variables as paths; a variable of `for` is a path of its own."""

    def with_variable(self, name: str, path: Path) -> Scope:
        """Return the scope with one more variable."""
        return replace(self, variables={**self.variables, name: path})

    def declaring(self, declared: Mapping[str, str]) -> Scope:
        """Return the scope inside an element that declares namespaces."""
        if not declared:
            return self
        return replace(self, namespaces={**self.namespaces, **declared}, elements={**self.elements, **declared})


class UnboundVariable(QuerySyntaxError):
    """A variable is not bound; the parser may try another reading."""

    def __init__(self, name: str, text: str, offset: int) -> None:
        super().__init__(f"there is no variable ${name} here", code="XPST0008", text=text, offset=offset)
        self.name = name


class ScopedExpressions(ExpressionParser):
    """Parses XPath expressions with variables, functions that mean the message, `exists()` and `empty()`."""

    _cursor: XQueryCursor

    def __init__(self, cursor: XQueryCursor, scope: Scope) -> None:
        super().__init__(cursor, scope.namespaces)
        self._paths = XQueryPaths(cursor, scope.namespaces, False, self.expression)
        self._scope = scope

    def operand(self) -> Expr:
        """Parse a path or constant at the cursor, without comparisons."""
        return self._arithmetic()

    def _arithmetic(self) -> Expr:
        operand = super()._arithmetic()
        refuse_operator(self._cursor)
        return operand

    def _parenthesised(self) -> Expr:
        offset = self._cursor.token.offset
        if self._cursor.peek().text == ")":
            self._refuse("an empty sequence here", offset)
        return super()._parenthesised()

    def _close(self) -> None:
        if self._cursor.at(","):
            raise self._cursor.unsupported("a sequence here")
        super()._close()

    def _primary(self) -> Expr:
        refuse_expression(self._cursor)
        expr = super()._primary()
        if isinstance(expr, Path) and not expr.absolute and expr.variable is None and not self._paths.depth:
            return replace(expr, absolute=True)
        return expr

    def _variable(self) -> Expr:
        cursor = self._cursor
        offset = cursor.expect("$").offset
        if self._paths.depth:
            raise cursor.unsupported("a variable inside a predicate", offset)
        if cursor.token.kind != "name":
            raise cursor.syntax(f"expected the name of a variable, found {cursor.describe()}")
        name = cursor.advance().text
        if name not in self._scope.variables:
            raise UnboundVariable(name, cursor.text, offset)
        path = self._scope.variables[name]
        return self._onward(path.absolute, path.steps, offset, path.variable)

    def _onward(self, absolute: bool, steps: tuple[PathStep, ...], offset: int, variable: str | None) -> Path:
        """Parse the rest of a path that starts with a variable or a function."""
        cursor = self._cursor
        onward = list(steps)
        if cursor.at("["):
            raise cursor.unsupported("a predicate on a variable or function")
        if cursor.at("/", "//"):
            self._paths.relative(onward)
        return Path(absolute, tuple(onward), offset, variable)

    def _call(self) -> Expr:
        cursor = self._cursor
        name = cursor.token.text.removeprefix("fn:")
        if name in MESSAGE_FUNCTIONS:
            return self._message(cursor.advance().offset)
        if name in ("exists", "empty"):
            return self._existence(name)
        if name in KIND_TESTS:
            raise cursor.unsupported(f"the node test {name}()")
        return super()._call()

    def _message(self, offset: int) -> Path:
        if self._paths.depth:
            raise self._cursor.unsupported("a document inside a predicate", offset)
        arguments = self._arguments()
        if len(arguments) != 1 or not isinstance(arguments[0], Literal):
            raise self._cursor.unsupported("a document that is not named by a literal", offset)
        return self._onward(True, (), offset, None)

    def _existence(self, name: str) -> Expr:
        offset = self._cursor.advance().offset
        arguments = self._arguments()
        if len(arguments) != 1 or not isinstance(arguments[0], Path):
            self._refuse(f"{name}() of anything but a path", offset)
        return Not(arguments[0]) if name == "empty" else And((arguments[0],))

    def _refuse(self, construct: str, offset: int) -> NoReturn:
        raise self._cursor.unsupported(construct, offset)
