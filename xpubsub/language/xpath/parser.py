"""Parses XPath filters into a tree; an error names the construct and its place."""

from __future__ import annotations

from collections.abc import Mapping

from xpubsub.language.xpath.cursor import Cursor, check_length
from xpubsub.language.xpath.paths import NODE_TYPES, PathParser
from xpubsub.language.xpath.syntax import And, Call, Compare, Expr, Literal, Not, Number, Or, Path
from xpubsub.language.xpath.tokens import tokenize
from xpubsub.limits import Limits

DIALECTS = ("xpath", "branching")
_BOOLEAN = (Compare, Call, And, Or, Not)
_FUNCTIONS = frozenset({"not", "contains", "starts-with"})
MESSAGE_FUNCTIONS = frozenset({"doc", "document", "stream"})
"""Functions that mean the message, in transformations."""


def parse_xpath(
    text: str, namespaces: Mapping[str, str] | None = None, dialect: str = "xpath", limits: Limits | None = None
) -> Expr:
    """Parse an XPath filter; `branching` is the grammar of Tian 2004, Figure 3.1."""
    limits = limits or Limits()
    check_length(text, limits)
    tokens = tokenize(text, capitals=dialect == "branching")
    cursor = Cursor(text, tokens, limits)
    return ExpressionParser(cursor, namespaces or {}, branching=dialect == "branching").whole()


class ExpressionParser:
    """Recursive descent, one method per level of XPath's grammar."""

    def __init__(self, cursor: Cursor, namespaces: Mapping[str, str], *, branching: bool = False) -> None:
        self._cursor = cursor
        self._paths = PathParser(cursor, namespaces, branching, self.expression)

    def whole(self) -> Expr:
        cursor = self._cursor
        if cursor.token.kind == "end":
            raise cursor.syntax("the expression is empty")
        expr = self.expression()
        if cursor.token.kind != "end":
            raise cursor.syntax(f"expected the end of the expression, found {cursor.describe()}")
        return expr

    def expression(self) -> Expr:
        """Parse the longest expression at the cursor."""
        parts = [self._and()]
        while self._cursor.take("or"):
            parts.append(self._and())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _and(self) -> Expr:
        parts = [self._equality()]
        while self._cursor.take("and"):
            parts.append(self._equality())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _equality(self) -> Expr:
        left = self._relational()
        while self._cursor.at("=", "!="):
            token = self._cursor.advance()
            left = self._compare(token.text, left, self._relational(), token.offset)
        return left

    def _relational(self) -> Expr:
        left = self._arithmetic()
        while self._cursor.at("<", "<=", ">", ">="):
            token = self._cursor.advance()
            left = self._compare(token.text, left, self._arithmetic(), token.offset)
        return left

    def _compare(self, op: str, left: Expr, right: Expr, offset: int) -> Expr:
        if isinstance(left, _BOOLEAN) or isinstance(right, _BOOLEAN):
            raise self._cursor.unsupported("a comparison of a truth value", offset)
        if isinstance(left, Path) and isinstance(right, Path):
            raise self._cursor.unsupported("a comparison of two paths", offset)
        return Compare(op, left, right, offset)

    def _arithmetic(self) -> Expr:
        operand = self._unary()
        if self._cursor.at("+", "-", "*", "div", "mod"):
            raise self._cursor.unsupported(f"arithmetic ('{self._cursor.token.text}')")
        if self._cursor.at("|"):
            raise self._cursor.unsupported("the union '|'")
        return operand

    def _unary(self) -> Expr:
        cursor = self._cursor
        sign, offset = 1.0, cursor.token.offset
        negated = cursor.at("-")
        while cursor.take("-"):
            sign = -sign
        operand = self._primary()
        if negated and not isinstance(operand, Number):
            raise cursor.unsupported("arithmetic ('-')", offset)
        return Number(sign * operand.value) if isinstance(operand, Number) else operand

    def _primary(self) -> Expr:
        cursor = self._cursor
        token = cursor.token
        if token.kind == "literal":
            cursor.advance()
            return Literal(token.text[1:-1])
        if token.kind == "number":
            cursor.advance()
            return Number(float(token.text))
        if cursor.at("$"):
            return self._variable()
        if cursor.at("("):
            return self._parenthesised()
        if token.kind == "name" and cursor.peek().text == "(" and token.text not in NODE_TYPES:
            return self._call()
        if cursor.at("/", "//") or self._paths.starts_step():
            return self._paths.path()
        raise cursor.syntax(f"expected an expression, found {cursor.describe()}")

    def _variable(self) -> Expr:
        raise self._cursor.unsupported("a variable")

    def _parenthesised(self) -> Expr:
        cursor = self._cursor
        cursor.expect("(")
        with cursor.nested():
            inner = self.expression()
        self._close()
        if cursor.at("["):
            raise cursor.unsupported("a predicate on an expression in parentheses")
        if cursor.at("/", "//"):
            if not isinstance(inner, Path):
                raise cursor.syntax("a step can only follow a path")
            steps = list(inner.steps)
            self._paths.relative(steps)
            return Path(inner.absolute, tuple(steps), inner.offset, inner.variable)
        return inner

    def _close(self) -> None:
        self._cursor.expect(")")

    def _call(self) -> Expr:
        cursor = self._cursor
        name = cursor.advance()
        if name.text.removeprefix("fn:") in MESSAGE_FUNCTIONS:
            advice = f"leave it out, or write 'for $x in {name.text}(…)… return $x'"
            raise cursor.unsupported(f"{name.text}() in a filter", name.offset, advice)
        if name.text not in _FUNCTIONS:
            raise cursor.unsupported(f"the function {name.text}()", name.offset)
        with cursor.nested():
            arguments = self._arguments()
        if cursor.at("[", "/", "//"):
            raise cursor.syntax(f"nothing can be selected from {name.text}()")
        if len(arguments) != (1 if name.text == "not" else 2):
            raise cursor.syntax(f"wrong number of arguments of {name.text}()", name.offset, code="XPST0017")
        return Not(arguments[0]) if name.text == "not" else self._text_call(name.text, arguments, name.offset)

    def _text_call(self, name: str, arguments: list[Expr], offset: int) -> Expr:
        left, right = arguments
        if isinstance(left, _BOOLEAN) or isinstance(right, _BOOLEAN):
            raise self._cursor.unsupported(f"a truth value as an argument of {name}()", offset)
        if isinstance(right, Path):
            raise self._cursor.unsupported(f"a path as the second argument of {name}()", offset)
        return Call(name, left, right, offset)

    def _arguments(self) -> list[Expr]:
        cursor = self._cursor
        cursor.expect("(")
        if cursor.take(")"):
            return []
        arguments = [self.expression()]
        while cursor.take(","):
            arguments.append(self.expression())
        cursor.expect(")")
        return arguments
