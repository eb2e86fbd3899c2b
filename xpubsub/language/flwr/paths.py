"""Parses paths in transformations; XQuery's steps that XPath 1.0 lacks are refused by name."""

from __future__ import annotations

from xpubsub.language.flwr.refusals import KIND_TESTS
from xpubsub.language.xpath.paths import NODE_TYPES, PathParser


class XQueryPaths(PathParser):
    """Parses paths of XPath 1.0, and refuses other steps of XQuery as unsupported."""

    def _refuse_step(self) -> None:
        cursor = self._cursor
        token, following = cursor.token, cursor.peek().text
        if cursor.at("("):
            raise cursor.unsupported("a step in parentheses")
        if cursor.at("$", "<", "[", "?") or token.kind in ("literal", "number"):
            raise cursor.unsupported("an expression as a step")
        if cursor.at(".") and following == "[":
            raise cursor.unsupported("a predicate on '.'")
        if token.kind == "name" and following in ("(", "#", "{"):
            self._refuse_name(token.text, following)

    def _refuse_name(self, name: str, following: str) -> None:
        """Refuse names of functions and of kinds of nodes, and the Q of Q{uri}name."""
        cursor = self._cursor
        if following == "(" and name in KIND_TESTS:
            raise cursor.unsupported(f"the node test {name}()")
        if following == "(" and name not in NODE_TYPES:
            raise cursor.unsupported(f"the function {name}() as a step", instead="write a path of names")
        if following == "#":
            raise cursor.unsupported("a function as a value")
        if following == "{" and name == "Q":
            raise cursor.unsupported("a name with its namespace in braces")
