"""The text that Saxon gets: the query, with the message for `doc("…")`, and whether it matches at all.

The result is empty if the message does not match, one string for an output, and two for an error: code and reason. A
query whose prolog does not read the message becomes a function of it, which is compiled once; another has the message
as an external variable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from xpubsub.language.xquery.flowers import Flower, Letting, Outermost, SideBySide, constructs, outermost
from xpubsub.language.xquery.module import FUNCTIONS, Module, unwritten_prefixes
from xpubsub.language.xquery.skeleton import Bracket, Lexeme

VERSION = 'xquery version "3.1";'
"""How each text begins; no XPath expression does."""
MESSAGE = "Q{urn:xpubsub:message}message"
"""The variable that holds the message."""
_RESULT = "$Q{urn:xpubsub:message}result"
_ERRORS = "$Q{http://www.w3.org/2005/xqt-errors}"
_PREFIX = re.compile(r"\bxmlns(?::[\w.\-]+)?\s*=\s*(?:\"[^\"]*\"|'[^']*')")


@dataclass
class _Text:
    """A text that is put together from pieces of a query and others, and knows which came from where."""

    module: Module
    pieces: list[str] = field(default_factory=list)
    places: list[tuple[int, int, int]] = field(default_factory=list)
    """(offset in the text, offset in the query, length)."""
    length: int = 0

    def add(self, *pieces: str) -> None:
        """Add what is not of the query."""
        for piece in pieces:
            self.pieces.append(piece)
            self.length += len(piece)

    def copy(self, start: int, end: int) -> None:
        """Add a piece of the query, in which calls that mean the message are replaced."""
        for low, high in self.module.messages:
            if start <= low and high <= end:
                self._plain(start, low)
                self.add(f"${MESSAGE}")
                start = high
        self._plain(start, end)

    def _plain(self, start: int, end: int) -> None:
        self.places.append((self.length, start, end - start))
        self.add(self.module.text[start:end])


@dataclass(frozen=True)
class Evaluation:
    """The text that Saxon gets."""

    text: str
    places: tuple[tuple[int, int, int], ...]

    def offset(self, line: int, column: int) -> int:
        """Return the offset in the query of a place in the text, line and column counted from 1."""
        at = sum(len(each) + 1 for each in self.text.split("\n")[: line - 1]) + column - 1
        return max((start + min(at - low, length) for low, start, length in self.places if low <= at), default=0)


def evaluation(module: Module, namespaces: Mapping[str, str]) -> Evaluation:
    """Return the text for Saxon."""
    text, body = _Text(module), module.body[0].start
    text.add(VERSION)
    first, second = module.first_part, max(module.first_part, module.second_part)
    text.add(*(f" declare namespace {prefix} = {_literal(uri)};"
               for prefix, uri in unwritten_prefixes(module, namespaces).items()))
    text.copy(first, second)
    if module.plain:
        text.copy(second, body)
        text.add(f"function(${MESSAGE}) {{ ${MESSAGE} ! (")
    else:
        text.add(f" declare variable ${MESSAGE} external;\n")
        text.copy(second, body)
        text.add("(")
    text.add("try { ")
    _write_body(text, module)
    text.add(f" }} catch * {{ {_function('local-name-from-QName')}({_ERRORS}code), {_function('string')}"
             f"({_ERRORS}description) }})")
    text.add("}" if module.plain else "")
    return Evaluation("".join(text.pieces), tuple(text.places))


def _write_body(text: _Text, module: Module) -> None:
    """Write the body: an output if the message matches."""
    found = outermost(module.body)
    if found is not None:
        text.add("if (")
        _write_test(text, found)
        text.add(") then ")
        _serialized(text, module)
        text.add(" else ()")
    elif constructs(module.body):
        _serialized(text, module)
    else:
        text.add(f"let {_RESULT} := (")
        text.copy(module.body[0].start, len(module.text))
        text.add(f"\n) return if ({_function('exists')}({_RESULT})) then {_function('serialize')}({_RESULT},"
                 f" {_parameters()}) else ()")


def _serialized(text: _Text, module: Module) -> None:
    text.add(f"{_function('serialize')}((")
    text.copy(module.body[0].start, len(module.text))
    text.add(f"\n), {_parameters()})")


def _parameters() -> str:
    true, false = _function("true"), _function("false")
    return f'map{{"method": "xml", "omit-xml-declaration": {true}(), "indent": {false}()}}'


def _function(name: str) -> str:
    return f"Q{{{FUNCTIONS}}}{name}"


def _literal(value: str) -> str:
    return '"' + value.replace("&", "&amp;").replace('"', '""') + '"'


def _write_test(text: _Text, result: Outermost) -> None:
    """Write the condition that a binding of an outermost FLWOR survives."""
    match result:
        case Flower():
            text.add(f"{_function('exists')}(")
            text.copy(result.start, result.end)
            text.add("\nreturn 1)")
        case Letting(flower, inside):
            text.add("(")
            text.copy(flower.start, flower.end)
            text.add("\nreturn ")
            _write_test(text, inside)
            text.add(")")
        case SideBySide(parts, declares):
            opened, closed = ("(", ")") if declares is None else _scope(text, declares)
            text.add(opened)
            for place, part in enumerate(parts):
                text.add(" or " if place else "")
                _write_test(text, part)
            text.add(closed)


def _scope(text: _Text, declares: Bracket) -> tuple[str, str]:
    """Return what to write around a test so that the namespaces of a constructor are in scope."""
    end = next((each.start for each in declares.items if isinstance(each, (Bracket, Lexeme))), declares.end)
    declared = " ".join(_PREFIX.findall(text.module.text[declares.start : end]))
    return f"(<test {declared}>{{", '}</test> = "true")'
