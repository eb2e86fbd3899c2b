"""Parses any XPath 1.0 expression, and some of XPath 2.0; an error names what is wrong and its place."""

from __future__ import annotations

from collections.abc import Mapping

from xpubsub.errors import LimitError
from xpubsub.language.xpath.cursor import Cursor, check_length
from xpubsub.language.xpath.parser import MESSAGE_FUNCTIONS
from xpubsub.language.xpath.paths import NODE_TYPES
from xpubsub.language.xpath.tokens import Token
from xpubsub.language.xpath1.calls import Argument, compared_dates, function_name, xpath2_call
from xpubsub.language.xpath1.functions import CORE_FUNCTIONS, XPATH2_FUNCTIONS
from xpubsub.language.xpath1.refusals import (
    known_tokens,
    refuse_foreign_operator,
    refuse_foreign_word,
    unknown_function,
)
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
from xpubsub.language.xpath1.variables import VariableValue, bound_tree, chosen, compared, expanded_size, has_list
from xpubsub.limits import Limits

MOST_OPERATORS = 200
"""How many arithmetic operators, and comparisons in a row, an expression may have."""
MOST_EXPANDED = 20_000
"""How large a comparison with lists may become, in nodes of its tree."""


def parse_tree(
    text: str, namespaces: Mapping[str, str], dialect: str, limits: Limits,
    variables: Mapping[str, VariableValue] | None = None,
) -> XPathTree:
    """Parse an expression of XPath 1.0; variables are replaced by their values."""
    check_length(text, limits)
    cursor = Cursor(text, known_tokens(text, capitals=dialect == "branching"), limits)
    return TreeParser(cursor, namespaces, variables or {}, branching=dialect == "branching").whole()


class TreeParser:
    """Recursive descent, one method per level of XPath's grammar."""

    def __init__(
        self, cursor: Cursor, namespaces: Mapping[str, str], variables: Mapping[str, VariableValue], *, branching: bool
    ) -> None:
        self._cursor = cursor
        self._variables = variables
        self._operators = 0
        self._namespaces = namespaces
        self._dates: list[int] = []
        """Where dates start that no comparison has taken yet."""
        self._steps = StepParser(cursor, namespaces, branching, self.expression)

    def whole(self) -> XPathTree:
        """Parse the whole text."""
        cursor = self._cursor
        if cursor.token.kind == "end":
            raise cursor.syntax("the expression is empty")
        tree = self.expression()
        if cursor.token.kind != "end":
            raise cursor.syntax(f"expected the end of the expression, found {cursor.describe()}")
        if has_list(tree):
            raise cursor.unsupported("a list of values outside a comparison", 0, "compare it, as in //a = ('x', 'y')")
        if self._dates:
            advice = "compare it, as in xs:date(a) > xs:date(b)"
            raise cursor.unsupported("a date outside a comparison", self._dates[0], advice)
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
            op = self._cursor.advance()
            left = self._compared(op, left, self._relational())
        return left

    def _relational(self) -> XPathTree:
        left = self._additive()
        while self._cursor.at("<", "<=", ">", ">="):
            self._count_chain(left)
            op = self._cursor.advance()
            left = self._compared(op, left, self._additive())
        return left

    def _compared(self, op: Token, left: XPathTree, right: XPathTree) -> XPathTree:
        dates = compared_dates(self._cursor, op.text, op.offset, left, right)
        if dates is not None:
            del self._dates[-2:]
            return dates
        if expanded_size(left, right) > MOST_EXPANDED:
            reason = f"a list of values makes more than {MOST_EXPANDED} comparisons and steps"
            raise LimitError(reason, code="limit-list", text=self._cursor.text, offset=op.offset)
        return compared(op.text, left, right)

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
        """Bound the depth of the tree."""
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
        refuse_foreign_operator(self._cursor)
        while self._cursor.at("|"):
            self._nodes(parts[-1], offset, "on the left of '|'")
            self._cursor.advance()
            offset = self._cursor.token.offset
            parts.append(self._path())
            refuse_foreign_operator(self._cursor)
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
            refuse_foreign_word(cursor)
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
                return self._parenthesised()
        return self._call()

    def _parenthesised(self) -> XPathTree:
        """Parse what is in parentheses: an expression, or several constants."""
        cursor = self._cursor
        if cursor.at(")"):
            raise cursor.unsupported("the empty sequence ()", None, "use not() of the path")
        offset = cursor.token.offset
        parts = [self.expression()]
        while cursor.take(","):
            parts.append(self.expression())
        cursor.expect(")")
        if len(parts) > 1 and not all(isinstance(part, Chars | Numeral | Negative) for part in parts):
            advice = "write a | b for nodes, or conditions joined by or"
            raise cursor.unsupported("a sequence of anything but constants", offset, advice)
        return parts[0] if len(parts) == 1 else chosen(parts)

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
        known = function_name(name.text, self._namespaces)
        signature = CORE_FUNCTIONS.get(known) or XPATH2_FUNCTIONS.get(known)
        if signature is None:
            raise unknown_function(cursor, name.text, known, name.offset)
        with cursor.nested():
            arguments = self._arguments()
        if not signature.least <= len(arguments) <= signature.most:
            raise cursor.syntax(f"wrong number of arguments of {name.text}()", name.offset, code="XPST0017")
        if signature.nodes and arguments:
            self._nodes(arguments[0][1], arguments[0][0], f"as the argument of {name.text}()")
        if known in CORE_FUNCTIONS:
            return Calling(known, tuple(tree for _, tree in arguments))
        if known.startswith("xs:"):
            self._dates.append(name.offset)
        return xpath2_call(cursor, known, arguments)

    def _arguments(self) -> list[Argument]:
        cursor = self._cursor
        cursor.expect("(")
        if cursor.take(")"):
            return []
        arguments = [(cursor.token.offset, self.expression())]
        while cursor.take(","):
            arguments.append((cursor.token.offset, self.expression()))
        cursor.expect(")")
        return arguments
