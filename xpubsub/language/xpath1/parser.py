"""Parses any XPath 1.0 expression; an error names what is wrong and its place."""

from __future__ import annotations

from collections.abc import Mapping

from xpubsub.errors import LimitError
from xpubsub.language.xpath.cursor import Cursor, check_length
from xpubsub.language.xpath.parser import MESSAGE_FUNCTIONS
from xpubsub.language.xpath.paths import NODE_TYPES
from xpubsub.language.xpath.tokens import tokenize
from xpubsub.language.xpath1.functions import CORE_FUNCTIONS, INSTEAD_OF, OTHERWISE
from xpubsub.language.xpath1.steps import StepParser
from xpubsub.language.xpath1.tree import (
    COMPARING,
    Calling,
    Chars,
    Filtered,
    Location,
    Negative,
    Numeral,
    Operation,
    XPathTree,
    type_of,
)
from xpubsub.language.xpath1.variables import VariableValue, bound_tree, compared, has_list
from xpubsub.limits import Limits

MOST_OPERATORS = 200
"""How many arithmetic operators, and comparisons in a row, an expression may have."""


def parse_tree(
    text: str, namespaces: Mapping[str, str], dialect: str, limits: Limits,
    variables: Mapping[str, VariableValue] | None = None,
) -> XPathTree:
    """Parse an expression of XPath 1.0; variables are replaced by their values."""
    check_length(text, limits)
    cursor = Cursor(text, tokenize(text, capitals=dialect == "branching"), limits)
    return TreeParser(cursor, namespaces, variables or {}, branching=dialect == "branching").whole()


class TreeParser:
    """Recursive descent, one method per level of XPath's grammar."""

    def __init__(
        self, cursor: Cursor, namespaces: Mapping[str, str], variables: Mapping[str, VariableValue], *, branching: bool
    ) -> None:
        self._cursor = cursor
        self._variables = variables
        self._operators = 0
        self._steps = StepParser(cursor, namespaces, branching, self.expression)

    def whole(self) -> XPathTree:
        """Parse the whole text."""
        cursor = self._cursor
        if cursor.token.kind == "end":
            raise cursor.syntax("the expression is empty")
        tree = self.expression()
        if cursor.token.kind != "end":
            raise cursor.syntax(f"expected the end of the expression, found {cursor.describe()}")
        if self._variables and has_list(tree):
            raise cursor.unsupported("a list of values outside a comparison", 0, "compare it, as in //a = $list")
        return tree

    def expression(self) -> XPathTree:
        """Parse the longest expression at the cursor."""
        parts = [self._and()]
        while self._cursor.take("or"):
            parts.append(self._and())
        return parts[0] if len(parts) == 1 else Operation("or", tuple(parts))

    def _and(self) -> XPathTree:
        parts = [self._equality()]
        while self._cursor.take("and"):
            parts.append(self._equality())
        return parts[0] if len(parts) == 1 else Operation("and", tuple(parts))

    def _equality(self) -> XPathTree:
        left = self._relational()
        while self._cursor.at("=", "!="):
            self._count_chain(left)
            op = self._cursor.advance().text
            left = compared(op, left, self._relational())
        return left

    def _relational(self) -> XPathTree:
        left = self._additive()
        while self._cursor.at("<", "<=", ">", ">="):
            self._count_chain(left)
            op = self._cursor.advance().text
            left = compared(op, left, self._additive())
        return left

    def _additive(self) -> XPathTree:
        left = self._multiplicative()
        while self._cursor.at("+", "-"):
            self._count_operator()
            op = self._cursor.advance().text
            left = Operation(op, (left, self._multiplicative()))
        return left

    def _multiplicative(self) -> XPathTree:
        left = self._unary()
        while self._cursor.at("*", "div", "mod") and self._cursor.token.kind == "operator":
            self._count_operator()
            op = self._cursor.advance().text
            left = Operation(op, (left, self._unary()))
        return left

    def _count_chain(self, left: XPathTree) -> None:
        if isinstance(left, Operation) and left.op in COMPARING:
            self._count_operator()

    def _count_operator(self) -> None:
        """VariableValue the depth of the tree."""
        self._operators += 1
        if self._operators > MOST_OPERATORS:
            reason = f"more than {MOST_OPERATORS} arithmetic operators"
            raise LimitError(reason, code="limit-operators", text=self._cursor.text, offset=self._cursor.token.offset)

    def _unary(self) -> XPathTree:
        if self._cursor.take("-"):
            with self._cursor.nested():
                return Negative(self._unary())
        return self._union()

    def _union(self) -> XPathTree:
        offset = self._cursor.token.offset
        parts = [self._path()]
        while self._cursor.at("|"):
            self._nodes(parts[-1], offset, "on the left of '|'")
            self._cursor.advance()
            offset = self._cursor.token.offset
            parts.append(self._path())
        if len(parts) > 1:
            self._nodes(parts[-1], offset, "on the right of '|'")
        return parts[0] if len(parts) == 1 else Operation("|", tuple(parts))

    def _nodes(self, tree: XPathTree, offset: int, where: str) -> None:
        """Raise an error unless an expression selects nodes."""
        if type_of(tree) != "nodes":
            raise self._cursor.syntax(f"expected a path {where}, found a {type_of(tree)}", offset, code="XPTY0004")

    def _path(self) -> XPathTree:
        if not self._starts_filter():
            return self._steps.location()
        cursor = self._cursor
        offset = cursor.token.offset
        base = self._primary()
        if cursor.at("["):
            self._nodes(base, offset, "before '['")
            base = Filtered(base, self._steps.predicates())
        if cursor.at("/", "//"):
            self._nodes(base, offset, "before a step")
            return Location(base, self._steps.relative())
        return base

    def _starts_filter(self) -> bool:
        """Whether a primary expression starts at the cursor, and not a step."""
        cursor = self._cursor
        if cursor.token.kind in ("literal", "number") or cursor.at("$", "("):
            return True
        if cursor.token.kind == "name":
            return cursor.peek().text == "(" and cursor.token.text not in NODE_TYPES
        if not cursor.at("/", "//", ".", "..", "@"):
            raise cursor.syntax(f"expected an expression, found {cursor.describe()}")
        return False

    def _primary(self) -> XPathTree:
        cursor = self._cursor
        if cursor.token.kind == "literal":
            return Chars(cursor.advance().text[1:-1])
        if cursor.token.kind == "number":
            return Numeral(cursor.advance().text)
        if cursor.at("$"):
            return self._variable()
        if cursor.take("("):
            with cursor.nested():
                inner = self.expression()
            cursor.expect(")")
            return inner
        return self._call()

    def _variable(self) -> XPathTree:
        cursor = self._cursor
        offset = cursor.expect("$").offset
        if cursor.token.kind != "name":
            raise cursor.syntax(f"expected the name of a variable, found {cursor.describe()}")
        name = cursor.advance().text
        if name not in self._variables:
            reason = f"the variable ${name} is not bound: give it with variables={{{name!r}: value}}"
            raise cursor.syntax(reason, offset, code="XPST0008")
        return bound_tree(self._variables[name])

    def _call(self) -> XPathTree:
        cursor = self._cursor
        name = cursor.advance()
        if name.text.removeprefix("fn:") in MESSAGE_FUNCTIONS:
            advice = f"leave it out, or write 'for $x in {name.text}(…)… return $x'"
            raise cursor.unsupported(f"{name.text}() in a filter", name.offset, advice)
        if name.text not in CORE_FUNCTIONS:
            advice = INSTEAD_OF.get(name.text.removeprefix("fn:"), OTHERWISE)
            raise cursor.unsupported(f"the function {name.text}()", name.offset, advice)
        offset = cursor.peek().offset
        with cursor.nested():
            arguments = self._arguments()
        signature = CORE_FUNCTIONS[name.text]
        if not signature.least <= len(arguments) <= signature.most:
            raise cursor.syntax(f"wrong number of arguments of {name.text}()", name.offset, code="XPST0017")
        if signature.nodes and arguments:
            self._nodes(arguments[0], offset, f"as the argument of {name.text}()")
        return Calling(name.text, tuple(arguments))

    def _arguments(self) -> list[XPathTree]:
        cursor = self._cursor
        cursor.expect("(")
        if cursor.take(")"):
            return []
        arguments = [self.expression()]
        while cursor.take(","):
            arguments.append(self.expression())
        cursor.expect(")")
        return arguments
