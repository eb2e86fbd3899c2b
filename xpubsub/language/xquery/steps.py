"""Parses the steps of paths: an axis, a test of names, predicates."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xpubsub.language.flwr.refusals import KIND_TESTS
from xpubsub.language.flwr.tokens import XQueryCursor
from xpubsub.language.xpath.paths import PathParser
from xpubsub.language.xpath.syntax import NodeTest
from xpubsub.language.xquery.syntax import Context, Expression, PathExpression, QueryStep


class QuerySteps(PathParser):
    """Parses one step at a time; predicates are read by the parser it is given."""

    def __init__(
        self, cursor: XQueryCursor, namespaces: Mapping[str, str], predicates: Callable[[], tuple[Expression, ...]]
    ) -> None:
        super().__init__(cursor, namespaces, False, lambda: None)  # type: ignore[arg-type,return-value]
        self._step_predicates = predicates

    def axis_step(self, *, descends: bool) -> Expression:
        """Parse a step; `descends` says whether it follows `//`."""
        cursor = self._cursor
        offset = cursor.token.offset
        if cursor.at(".."):
            raise cursor.unsupported("the parent step '..'")
        self._refuse_tests()
        axis, kind, axis_at = self._axis()
        test = self._test(kind == "attribute", axis == "self")
        if axis == "self" and (test.kind != "node" or descends or cursor.at("[")):
            raise cursor.unsupported("a name test on the axis self::", axis_at)
        if axis == "self":
            return Context(offset)
        return QueryStep("descendant" if descends else axis, test, self._step_predicates(), offset)

    def every_element(self, offset: int) -> Expression:
        """Return all elements below the context node, as a path."""
        return PathExpression(Context(offset), (QueryStep("descendant", NodeTest("element"), (), offset),), offset)

    def _refuse_tests(self) -> None:
        cursor, following = self._cursor, self._cursor.peek().text
        if cursor.token.kind == "name" and following == "(" and cursor.token.text in KIND_TESTS:
            raise cursor.unsupported(f"the node test {cursor.token.text}()")
        if cursor.token.kind == "name" and following == "{" and cursor.token.text == "Q":
            raise cursor.unsupported("a name with its namespace in braces")
