"""Parses correlations: XSCL of Hong 2007; an error names the construct and its place."""

from __future__ import annotations

from collections.abc import Mapping

from xpubsub.language.flwr.syntax import Content
from xpubsub.language.xpath.cursor import check_length
from xpubsub.language.xscl.blocks import BlockParser, stream_name
from xpubsub.language.xscl.joins import OperatorParser, resolved
from xpubsub.language.xscl.select import SelectParser
from xpubsub.language.xscl.syntax import Block, Correlation, Operator
from xpubsub.language.xscl.tokens import XsclCursor
from xpubsub.limits import Limits


def parse_xscl(text: str, namespaces: Mapping[str, str] | None = None, limits: Limits | None = None) -> Correlation:
    """Parse a correlation."""
    limits = limits or Limits()
    check_length(text, limits)
    return _Parser(XsclCursor(text, limits), namespaces or {}).whole()


class _Parser:
    """`[SELECT result] [FROM] block { operator block } [PUBLISH name]`."""

    def __init__(self, cursor: XsclCursor, namespaces: Mapping[str, str]) -> None:
        self._cursor = cursor
        self._select = SelectParser(cursor, namespaces)
        self._blocks = BlockParser(cursor, namespaces)
        self._operators = OperatorParser(cursor, namespaces)

    def whole(self) -> Correlation:
        cursor = self._cursor
        if cursor.token.kind == "end":
            raise cursor.syntax("the expression is empty")
        start = cursor.token.offset
        selects = cursor.take_word("select")
        begins = cursor.token.offset
        result = self._select.result() if selects else None
        marked = cursor.take_word("from") or selects
        blocks, operators = self._from()
        publish = self._publish()
        if not (marked or operators or publish):
            raise cursor.unsupported("one block without SELECT, FROM or PUBLISH", start)
        self._check(result, begins, blocks)
        return Correlation(blocks, operators, result, publish)

    def _from(self) -> tuple[tuple[Block, ...], tuple[Operator, ...]]:
        cursor = self._cursor
        blocks = [self._blocks.block()]
        operators: list[Operator] = []
        while cursor.at_word("followed", "join"):
            operators.append(self._operators.operator())
            blocks.append(self._blocks.block())
        variables = self._blocks.variables
        placed = (resolved(cursor, each, place, variables) for place, each in enumerate(operators, start=1))
        return tuple(blocks), tuple(placed)

    def _publish(self) -> str | None:
        cursor = self._cursor
        name = stream_name(cursor) if cursor.take_word("publish") else None
        if cursor.token.kind != "end":
            ends = "the end" if name else "FOLLOWED BY, JOIN, PUBLISH or the end"
            raise cursor.syntax(f"expected {ends}, found {cursor.describe()}")
        return name

    def _check(self, result: Content | None, begins: int, blocks: tuple[Block, ...]) -> None:
        if result is not None:
            self._select.check(result, begins, self._blocks.tests)
            return
        for block in blocks:
            if block.steps[-1].test.kind == "attribute":
                raise self._cursor.unsupported("an attribute as the root of a block without a SELECT", block.offset)
