"""What a program is run on: one message, its nodes, their values and names, and what joins have bound."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import unescape

from xpubsub.output.evaluation.items import (
    AttributeNode,
    Item,
    Items,
    MadeAttribute,
    MadeNode,
    Node,
    TextNode,
    Untyped,
)
from xpubsub.output.parts import OutputMessage, Rows

Environment = list[Any]
"""The values of the variables, then the context item, its position, and how many there are."""
CLASSES: dict[str, type[Node]] = {"e": Node, "a": AttributeNode, "t": TextNode, "d": Node}
_MARKUP = re.compile(r"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[(.*?)\]\]>|<(?:[^>\"']|\"[^\"]*\"|'[^']*')*>", re.DOTALL)


@dataclass
class Run:
    """One run of a program."""

    message: OutputMessage
    rows: Rows
    decided: bool = False
    """Whether an outermost `for` has bound something."""

    def followed(self, path: str, position: int, kind: str, base: Node) -> list[Node]:
        """Return the nodes of a path below a base, in document order."""
        key = path, position, base
        found = self.message.found.get(key)
        if found is None:
            of_kind = CLASSES[kind]
            nodes = self.message.returned(path, position, int(base))
            found = self.message.found[key] = [of_kind(each) for each in nodes]
        return found

    def values(self, items: Items) -> Items:
        """Return the values of items: those of nodes are untyped."""
        return [self._value(each) for each in items]

    def _value(self, item: Item) -> Item:
        if isinstance(item, Node):
            return Untyped(self.message.values[item])
        if isinstance(item, MadeAttribute):
            return Untyped(item.value)
        return Untyped(_content(item.text)) if isinstance(item, MadeNode) else item


Evaluate = Callable[[Run, Environment], Items]
"""Evaluates an expression."""


class Lazy:
    """The value of a `let`, which is evaluated once it is asked for: what nobody asks for cannot fail."""

    __slots__ = ("_environment", "_evaluate", "_run", "_value")

    def __init__(self, evaluate: Evaluate, run: Run, environment: Environment) -> None:
        self._evaluate, self._run, self._environment = evaluate, run, environment
        self._value: Items | None = None

    def value(self) -> Items:
        """Return the value."""
        if self._value is None:
            self._value = self._evaluate(self._run, self._environment)
        return self._value


def _content(text: str) -> str:
    """Return the text of some XML without its tags."""
    pieces: list[str] = []
    end = 0
    for match in _MARKUP.finditer(text):
        pieces += [_plain(text[end : match.start()]), match[1] or ""]
        end = match.end()
    return "".join([*pieces, _plain(text[end:])])


def _plain(text: str) -> str:
    resolved = re.sub(r"&#(x?)([0-9a-fA-F]+);", lambda match: chr(int(match[2], 16 if match[1] else 10)), text)
    return unescape(resolved, {"&quot;": '"', "&apos;": "'"})
