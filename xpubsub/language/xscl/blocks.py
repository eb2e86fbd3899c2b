"""Parses the blocks of a correlation: a stream, a path, and at each step bindings, patterns and value predicates."""

from __future__ import annotations

import re
from collections.abc import Mapping

from xpubsub.language.xpath.paths import NODE_TYPES
from xpubsub.language.xpath.syntax import Expr, NodeTest, Number, PathStep
from xpubsub.language.xpath.tokens import NCNAME, Token
from xpubsub.language.xscl.paths import BlockPaths, ValuePredicates
from xpubsub.language.xscl.syntax import Block, BlockStep, Pattern
from xpubsub.language.xscl.tokens import XsclCursor

_NCNAME = re.compile(NCNAME)
_ROOT = PathStep("child", NodeTest("element"))
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


class BlockParser:
    """Parses blocks at a cursor, and remembers the variables of all of them."""

    def __init__(self, cursor: XsclCursor, namespaces: Mapping[str, str]) -> None:
        self._cursor = cursor
        self._paths = BlockPaths(cursor, namespaces)
        self._values = ValuePredicates(cursor, namespaces)
        self._blocks = 0
        self.variables: dict[str, int] = {}
        """The number of the block of each variable, from 0."""
        self.tests: dict[str, NodeTest] = {}
        """The node test that each variable is bound to."""

    def block(self) -> Block:
        """Parse the block at the cursor."""
        cursor = self._cursor
        offset = cursor.token.offset
        stream = stream_name(cursor)
        rooted = cursor.at("/", "//")
        steps = self._steps(_ROOT.test) if rooted else (self._details(_ROOT, _ROOT.test),)
        if not steps or steps[0].axis == "self":
            raise cursor.unsupported("a block that is the whole document", offset)
        self._blocks += 1
        return Block(stream, steps, offset)

    def _steps(self, owner: NodeTest) -> Pattern:
        """Parse the steps of a path from a node; `.` is left out unless a variable is bound to it."""
        steps: list[BlockStep] = []
        while True:
            step = self._details(self._paths.step(), owner)
            if step.axis == "self" and steps:
                steps[-1] = _merged(steps[-1], step)
            elif step.axis != "self" or step.variables:
                steps.append(step)
            owner = owner if step.axis == "self" else step.test
            if not self._cursor.at("/", "//"):
                return tuple(steps)

    def _details(self, step: PathStep, owner: NodeTest) -> BlockStep:
        """Parse the bindings and brackets after a step, in any order."""
        cursor = self._cursor
        test = owner if step.axis == "self" else step.test
        variables: list[str] = []
        patterns: list[Pattern] = []
        predicates: list[Expr] = []
        while True:
            if cursor.at("["):
                self._bracket(test, patterns, predicates)
            elif cursor.at_binding():
                variables.append(self._binding(test))
            else:
                return BlockStep(step.axis, step.test, tuple(variables), tuple(patterns), tuple(predicates))

    def _binding(self, test: NodeTest) -> str:
        cursor = self._cursor
        cursor.advance()
        cursor.take("$")
        name, offset = cursor.variable()[1:]
        if name in self.variables:
            raise cursor.syntax(f"the variable ${name} is bound twice", offset, code="XQST0089")
        self.variables[name] = self._blocks
        self.tests[name] = test
        return name

    def _bracket(self, test: NodeTest, patterns: list[Pattern], predicates: list[Expr]) -> None:
        """Parse one pair of brackets: a value predicate, or a conjunction with patterns in it."""
        cursor = self._cursor
        offset = cursor.expect("[").offset
        with cursor.nested():
            if self._binds_ahead():
                self._conjunction(test, patterns, predicates)
            else:
                predicates.append(self._value(offset))
        cursor.expect("]")

    def _value(self, offset: int) -> Expr:
        predicate = self._values.expression()
        if isinstance(predicate, Number):
            raise self._cursor.unsupported("a position as a predicate", offset)
        return predicate

    def _conjunction(self, test: NodeTest, patterns: list[Pattern], predicates: list[Expr]) -> None:
        cursor = self._cursor
        while True:
            if self._starts_path() and self._binds_ahead(within="and"):
                patterns.append(self._steps(test))
            else:
                predicates.append(self._values.conjunct())
            if cursor.at("or"):
                raise cursor.unsupported("a binding beside 'or'")
            if cursor.at(*_COMPARISONS):
                raise cursor.unsupported("a comparison behind a binding")
            if not cursor.take("and"):
                return

    def _starts_path(self) -> bool:
        cursor = self._cursor
        called = cursor.peek().text == "(" and cursor.token.text not in NODE_TYPES
        return cursor.at("/", "//", ".", "@") or (cursor.token.kind == "name" and not called)

    def _binds_ahead(self, within: str = "") -> bool:
        """Whether a binding comes before the bracket closes, or before an operator outside further brackets."""
        depth, distance, before = 0, 0, Token("symbol", "[", 0)
        while True:
            token = self._cursor.peek(distance)
            if token.text == "->" or (token.kind == "name" and token.text.lower() == "as" and _operand(before)):
                return True
            depth += (token.text in ("[", "(")) - (token.text in ("]", ")"))
            if token.kind == "end" or depth < 0 or (not depth and token.kind == "operator" and token.text == within):
                return False
            before, distance = token, distance + 1


def stream_name(cursor: XsclCursor) -> str:
    """Take the name of a stream, with or without double quotation marks."""
    token = cursor.token
    quoted = token.kind == "literal" and token.text[0] == '"'
    name = token.text[1:-1] if quoted else token.text
    if not (quoted or token.kind == "name") or not _NCNAME.fullmatch(name):
        raise cursor.syntax(f"expected the name of a stream, found {cursor.describe()}")
    cursor.advance()
    return name


def _merged(step: BlockStep, dot: BlockStep) -> BlockStep:
    """Merge a step with the details of a `.` that follows it."""
    return BlockStep(
        step.axis, step.test, step.variables + dot.variables, step.patterns + dot.patterns,
        step.predicates + dot.predicates)


def _operand(token: Token) -> bool:
    return token.kind in ("name", "literal", "number") or token.text in ("]", ")", ".")
