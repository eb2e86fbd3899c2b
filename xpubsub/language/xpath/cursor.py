"""The cursor over tokens that every parser uses; its errors point at a token."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from xpubsub.errors import LimitError, QuerySyntaxError, UnsupportedError
from xpubsub.language.instead import refusal
from xpubsub.language.xpath.tokens import Token
from xpubsub.limits import Limits


def check_length(text: str, limits: Limits) -> None:
    """Refuse an expression that is longer than the limit."""
    if len(text) > limits.max_expression:
        reason = f"the expression is longer than {limits.max_expression} characters (max_expression)"
        raise LimitError(reason, code="limit-expression", text=text[:100])


class Cursor:
    """Reads tokens one by one and creates errors that point at them."""

    def __init__(self, text: str, tokens: list[Token], limits: Limits) -> None:
        self.text = text
        self.limits = limits
        self.token = tokens[0]
        """The token under the cursor."""
        self._tokens = tokens
        self._index = 0
        self._last = len(tokens) - 1
        self._nesting = 0

    def peek(self, distance: int = 1) -> Token:
        """Return a token further on, or the end token."""
        return self._tokens[min(self._index + distance, self._last)]

    def advance(self) -> Token:
        """Take the token under the cursor."""
        token = self.token
        if self._index < self._last:
            self._index += 1
            self.token = self._tokens[self._index]
        return token

    def at(self, *texts: str) -> bool:
        """Whether a symbol or operator of one of these texts is under the cursor."""
        return self.token.text in texts and self.token.kind in ("symbol", "operator")

    def at_name(self, *names: str) -> bool:
        """Whether one of these names is under the cursor."""
        return self.token.kind == "name" and self.token.text in names

    def take_name(self, *names: str) -> bool:
        """Take a name if it is one of these."""
        if found := self.at_name(*names):
            self.advance()
        return found

    def take(self, *texts: str) -> bool:
        """Take a symbol or operator if it is one of these."""
        if found := self.at(*texts):
            self.advance()
        return found

    def expect(self, text: str) -> Token:
        """Take this symbol, or raise a syntax error."""
        if not self.at(text):
            raise self.syntax(f"expected {text!r}, found {self.describe()}")
        return self.advance()

    def describe(self) -> str:
        """Describe the token under the cursor for an error."""
        return "the end of the expression" if self.token.kind == "end" else repr(self.token.text)

    @contextmanager
    def nested(self) -> Iterator[None]:
        """Count one level of nesting while the block runs."""
        self._nesting += 1
        if self._nesting > self.limits.max_nesting:
            reason = f"nested deeper than {self.limits.max_nesting} levels (max_nesting)"
            raise LimitError(reason, code="limit-nesting", text=self.text, offset=self.token.offset)
        try:
            yield
        finally:
            self._nesting -= 1

    def syntax(self, reason: str, offset: int | None = None, code: str = "XPST0003") -> QuerySyntaxError:
        """Return a syntax error at an offset, by default at the cursor."""
        return QuerySyntaxError(reason, code=code, text=self.text, offset=self._offset(offset))

    def unsupported(self, construct: str, offset: int | None = None, instead: str = "") -> UnsupportedError:
        """Return the error that a construct is not supported, at an offset, by default at the cursor."""
        reason = refusal(construct, instead)
        return UnsupportedError(reason, code="unsupported", text=self.text, offset=self._offset(offset))

    def _offset(self, offset: int | None) -> int:
        return self.token.offset if offset is None else offset
