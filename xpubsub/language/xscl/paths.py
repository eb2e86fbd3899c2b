"""Parses the paths and value predicates of correlations: those of filters, with bindings where these are allowed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xpubsub.language.flwr.paths import XQueryPaths
from xpubsub.language.xpath.parser import ExpressionParser
from xpubsub.language.xpath.syntax import Expr, NodeTest, Path, PathStep
from xpubsub.language.xscl.tokens import XsclCursor

SELF = PathStep("self", NodeTest("node"))
"""The step `.`."""


class XsclPaths(XQueryPaths):
    """Parses paths; their names may not end in primes."""

    _cursor: XsclCursor

    def __init__(
        self, cursor: XsclCursor, namespaces: Mapping[str, str], predicate: Callable[[], Expr] | None = None
    ) -> None:
        super().__init__(cursor, namespaces, True, predicate or self._no_predicate)

    def _no_predicate(self) -> Expr:
        raise self._cursor.unsupported("a predicate here")

    def _name_test(self, name: str, offset: int, attribute: bool) -> NodeTest:
        if name.endswith("'"):
            raise self._cursor.syntax("only the name of a variable may end in primes", offset)
        return super()._name_test(name, offset, attribute)


class BlockPaths(XsclPaths):
    """Parses the steps of blocks one by one; the parser of blocks reads the brackets."""

    def step(self) -> PathStep:
        """Parse the next step, with the slash before it."""
        cursor = self._cursor
        slash = cursor.advance().text if cursor.at("/", "//") else ""
        self._refuse_step()
        if not self.starts_step():
            raise cursor.syntax(f"expected a step, found {cursor.describe()}")
        steps: list[PathStep] = []
        offset = cursor.token.offset
        self._append(steps, self._step(), slash == "//", offset)
        return steps[0] if steps else SELF

    def _predicates(self) -> tuple[Expr, ...]:
        return ()


class VariablePaths(XsclPaths):
    """Parses paths from variables, without predicates."""

    def __init__(self, cursor: XsclCursor, namespaces: Mapping[str, str], place: str) -> None:
        super().__init__(cursor, namespaces)
        self._place = place

    def onward(self, variable: str, offset: int) -> Path:
        """Parse the path from a variable, or the variable itself."""
        steps: list[PathStep] = []
        self._predicates()
        if self._cursor.at("/", "//"):
            self.relative(steps)
        return Path(False, tuple(steps), offset, variable)

    def _predicates(self) -> tuple[Expr, ...]:
        if self._cursor.at("["):
            raise self._cursor.unsupported(f"a predicate in {self._place}")
        return ()


class ValuePaths(XsclPaths):
    """Parses paths in value predicates, which may not bind variables."""

    def _step(self) -> PathStep:
        step = super()._step()
        if self._cursor.at_binding():
            raise self._cursor.unsupported("a binding inside a value predicate")
        return step


class ValuePredicates(ExpressionParser):
    """Parses predicates as in filters, but every path starts at the node that the predicate is on."""

    _cursor: XsclCursor

    def __init__(self, cursor: XsclCursor, namespaces: Mapping[str, str]) -> None:
        super().__init__(cursor, namespaces, branching=True)
        self._paths = ValuePaths(cursor, namespaces, self.expression)
        self._paths.depth = 1

    def conjunct(self) -> Expr:
        """Parse one part of a conjunction."""
        return self._equality()

    def _primary(self) -> Expr:
        token = self._cursor.token
        if token.kind == "number" and "e" in token.text.lower():
            raise self._cursor.unsupported("a number with an exponent")
        return super()._primary()

    def _variable(self) -> Expr:
        raise self._cursor.unsupported("a variable in a value predicate")
