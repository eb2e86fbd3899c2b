"""Parses the operators of a correlation: `FOLLOWED BY { comparisons, window }` and `JOIN { … }`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace

from xpubsub.errors import LimitError
from xpubsub.language.durations import UNITS
from xpubsub.language.xpath.normal import FLIPPED
from xpubsub.language.xpath.syntax import Path
from xpubsub.language.xscl.paths import VariablePaths
from xpubsub.language.xscl.syntax import Comparison, Operator, OperatorKind
from xpubsub.language.xscl.tokens import XsclCursor

_NUMBER = re.compile(r"[0-9.]+")


class OperatorParser:
    """Parses operators at a cursor; `resolved` assigns variables to blocks once all blocks are parsed."""

    def __init__(self, cursor: XsclCursor, namespaces: Mapping[str, str]) -> None:
        self._cursor = cursor
        self._paths = VariablePaths(cursor, namespaces, "a join")
        self._count = 0

    def operator(self) -> Operator:
        """Parse the operator at the cursor, with its comparisons as written."""
        cursor = self._cursor
        offset = cursor.token.offset
        kind = self._kind()
        cursor.expect("{")
        comparisons: list[Comparison] = []
        while not self._at_window():
            comparisons.append(self._comparison())
            self._limit()
            if not cursor.take("and"):
                self._refuse_other()
                cursor.expect(",")
                break
        window = self._window()
        cursor.expect("}")
        if not any(each.op == "=" for each in comparisons):
            raise cursor.unsupported(f"a {kind.upper()} without an equality of two variables", offset)
        return Operator(kind, tuple(comparisons), window, offset)

    def _kind(self) -> OperatorKind:
        cursor = self._cursor
        if cursor.take_word("join"):
            return "join"
        cursor.take_word("followed")
        if not cursor.take_word("by"):
            raise cursor.syntax(f"expected BY, found {cursor.describe()}")
        return "followed by"

    def _limit(self) -> None:
        cursor, most = self._cursor, self._cursor.limits.max_joins
        self._count += 1
        if self._count > most:
            reason = f"more than {most} comparisons between blocks (max_joins)"
            raise LimitError(reason, code="limit-joins", text=cursor.text, offset=cursor.token.offset)

    def _comparison(self) -> Comparison:
        cursor = self._cursor
        left = self._operand()
        token = cursor.token
        if not cursor.take(*FLIPPED):
            self._refuse_other()
            raise cursor.syntax(f"expected a comparison, found {cursor.describe()}")
        return Comparison(token.text, left, self._operand(), token.offset)

    def _operand(self) -> Path:
        """Parse a variable or a path from it; the dollar sign is optional."""
        cursor = self._cursor
        token = cursor.token
        if token.kind in ("literal", "number") or cursor.at("-"):
            raise cursor.unsupported("a comparison with a constant in a join")
        if cursor.at("("):
            raise cursor.unsupported("parentheses in a join")
        if token.kind == "name" and cursor.peek().text == "(":
            instead = "compare variables, or paths from them"
            raise cursor.unsupported(f"the function {token.text}() in a join", instead=instead)
        cursor.take("$")
        return self._paths.onward(cursor.variable().text, token.offset)

    def _refuse_other(self) -> None:
        """Refuse operators that are only allowed elsewhere."""
        cursor = self._cursor
        if cursor.at("or"):
            raise cursor.unsupported("'or' in a join")
        if cursor.at("+", "-", "*", "div", "mod"):
            raise cursor.unsupported(f"arithmetic ('{cursor.token.text}')")

    def _at_window(self) -> bool:
        """Whether the window follows immediately."""
        following = self._cursor.peek()
        endless = self._cursor.at_word("inf") and following.text == "}"
        return endless or (self._cursor.token.kind == "number" and following.text.lower() in UNITS)

    def _window(self) -> float:
        """Parse a window; returns seconds."""
        cursor = self._cursor
        if cursor.take_word("inf"):
            return math.inf
        number = cursor.token
        if number.kind != "number" or not _NUMBER.fullmatch(number.text):
            expected = "a window (a number with ms, s, m, h or d, or INF)"
            raise cursor.syntax(f"expected {expected}, found {cursor.describe()}")
        cursor.advance()
        unit = UNITS.get(cursor.token.text.lower())
        if unit is None:
            raise cursor.syntax(f"expected a unit of time (ms, s, m, h or d), found {cursor.describe()}")
        cursor.advance()
        seconds = float(number.text) * unit
        if math.isinf(seconds):
            raise cursor.syntax("this window is too long (write INF)", number.offset)
        return seconds


def resolved(cursor: XsclCursor, operator: Operator, place: int, variables: Mapping[str, int]) -> Operator:
    """Return the operator before block `place` with the operands of the left side on the left."""
    comparisons = tuple(_resolved(cursor, each, place, variables) for each in operator.comparisons)
    return replace(operator, comparisons=comparisons)


def _resolved(cursor: XsclCursor, comparison: Comparison, place: int, variables: Mapping[str, int]) -> Comparison:
    left, right = (_block(cursor, path, place, variables) for path in (comparison.left, comparison.right))
    if (left < place) == (right < place):
        raise cursor.unsupported("a comparison within one side of the operator", comparison.offset)
    if left < place:
        return comparison
    return Comparison(FLIPPED[comparison.op], comparison.right, comparison.left, comparison.offset)


def _block(cursor: XsclCursor, path: Path, place: int, variables: Mapping[str, int]) -> int:
    block = variables.get(str(path.variable))
    if block is None:
        raise cursor.syntax(f"there is no variable ${path.variable} here", path.offset, code="XPST0008")
    if block > place:
        reason = f"the variable ${path.variable} belongs to a block further on"
        raise cursor.syntax(reason, path.offset, code="XPST0008")
    return block
