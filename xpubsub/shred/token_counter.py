"""Counts the tokens of units: start tags, end tags and texts, as Wei 2006 does."""

from __future__ import annotations

from collections.abc import Callable
from xml.parsers import expat


class TokenCounter:
    """Counts tokens between the start tag and the end tag of a unit, both included."""

    def __init__(self) -> None:
        self._tokens = 0
        self._in_text = False

    def attach(
        self, parser: expat.XMLParserType, start: Callable[[str, list[str]], None], end: Callable[[str], None]
    ) -> None:
        """Count from the start tag of a unit on, and call the handlers of the parser as before."""
        self._tokens, self._in_text = 1, False

        def counted_start(name: str, attributes: list[str]) -> None:
            self._tokens += 1
            self._in_text = False
            start(name, attributes)

        def counted_end(name: str) -> None:
            self._tokens += 1
            self._in_text = False
            end(name)

        parser.StartElementHandler = counted_start
        parser.EndElementHandler = counted_end
        parser.CharacterDataHandler = self._text

    def _text(self, data: str) -> None:
        self._tokens += not self._in_text
        self._in_text = True

    def taken(self, parser: expat.XMLParserType) -> int:
        """Stop counting; return the number of tokens."""
        parser.CharacterDataHandler = None
        return self._tokens
