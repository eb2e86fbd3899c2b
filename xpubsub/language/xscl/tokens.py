"""The lexer of correlations: XQuery's tokens, with `->`, primes after names, and keywords in any case."""

from __future__ import annotations

import re

from xpubsub.language.flwr.tokens import XQueryCursor
from xpubsub.language.xpath.tokens import Token, name_token

_PRIMES = re.compile("'*")
_OPENING = re.compile(r"[ \t\r\n]*\(")


class XsclCursor(XQueryCursor):
    """A cursor over the text of a correlation; strings are XPath's, without references."""

    def at_word(self, *words: str) -> bool:
        """Whether one of these keywords, in any case, is under the cursor."""
        return self.token.kind == "name" and self.token.text.lower() in words

    def take_word(self, word: str) -> bool:
        """Take a keyword that an operand follows."""
        return self.at_word(word) and self.keyword(self.token.text)

    def at_binding(self) -> bool:
        """Whether a binding is under the cursor, after a step."""
        return self.at("->") or self.at_word("as")

    def variable(self) -> Token:
        """Take the name of a variable."""
        token = self.token
        if token.kind != "name" or ":" in token.text or token.text == "*":
            raise self.syntax(f"expected the name of a variable, found {self.describe()}")
        return self.advance()

    def _read(self) -> Token:
        token = super()._read()
        if token.kind in ("name", "operator"):
            return self._word(token)
        if token.text == "-" and self.text.startswith(">", self._next):
            self._next += 1
            return Token("symbol", "->", token.offset)
        return token

    def _word(self, token: Token) -> Token:
        """Read a name: it does not include the hyphen of an arrow, and a variable's name may end in primes."""
        text, offset = token.text, token.offset
        if text.endswith("-") and self.text.startswith(">", self._next):
            text = text[:-1]
            self._next -= 1
        if text.lower() in ("and", "or") and name_token(text.lower(), offset, self._tokens, False).kind == "operator":
            return Token("operator", text.lower(), offset)
        if text.lower() == "not" and _OPENING.match(self.text, self._next):
            return Token("name", "not", offset)
        found = name_token(text, offset, self._tokens, False)
        return found if found.kind == "operator" or text.endswith("*") else self._primed(found)

    def _primed(self, token: Token) -> Token:
        primes = _PRIMES.match(self.text, self._next)
        self._next += len(primes.group()) if primes else 0
        return Token("name", self.text[token.offset : self._next], token.offset)

    def _literal(self, text: str, offset: int) -> str:
        mark = text[0]
        return mark + text[1:-1].replace(mark * 2, mark) + mark
