"""What a program is run on: one message, its nodes, their values and names, and what joins have bound."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import unescape

from xpubsub.output.evaluation.items import (
    AttributeNode,
    MadeAttribute,
    MadeNode,
    TextNode,
    Untyped,
    XItem,
    XItems,
    XNode,
)
from xpubsub.output.parts import OutputMessage, Rows

ValuePlaces = dict[str, list[int]]
"""Places in a list of items, by value."""
_MOST_INDEXES = 100
Environment = list[Any]
"""The values of the variables, then the context item, its position, and how many there are."""
NODE_CLASSES: dict[str, type[XNode]] = {"e": XNode, "a": AttributeNode, "t": TextNode, "d": XNode}
_MARKUP = re.compile(r"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[(.*?)\]\]>|<(?:[^>\"']|\"[^\"]*\"|'[^']*')*>", re.DOTALL)


@dataclass
class Run:
    """One run of a program."""

    message: OutputMessage
    rows: Rows
    decided: bool = False
    """Whether an outermost `for` has bound something."""
    _indexes: dict[tuple[int, int], tuple[XItems, ValuePlaces | None]] = field(default_factory=dict)

    def followed(self, path: str, position: int, kind: str, base: XNode) -> list[XNode]:
        """Return the nodes of a path below a base, in document order."""
        key = path, position, base
        found = self.message.found.get(key)
        if found is None:
            of_kind = NODE_CLASSES[kind]
            nodes = self.message.returned(path, position, int(base))
            found = self.message.found[key] = [of_kind(each) for each in nodes]
        return found

    def places(self, key: object, items: XItems, own: Evaluate, environment: Environment) -> ValuePlaces | None:
        """Return the places of items by their values, if those are strings; made once for the same list of items."""
        known = self._indexes.get((id(key), id(items)))
        if known is None:
            if len(self._indexes) >= _MOST_INDEXES:
                self._indexes.clear()
            known = self._indexes[id(key), id(items)] = items, self._placed(items, own, environment.copy())
        return known[1]

    def _placed(self, items: XItems, own: Evaluate, environment: Environment) -> ValuePlaces | None:
        places: ValuePlaces = {}
        for place, item in enumerate(items):
            environment[-3] = item
            for value in self.values(own(self, environment)):
                if not isinstance(value, str):
                    return None
                places.setdefault(value, []).append(place)
        return places

    def values(self, items: XItems) -> XItems:
        """Return the values of items: those of nodes are untyped."""
        return [self._value(each) for each in items]

    def _value(self, item: XItem) -> XItem:
        if isinstance(item, XNode):
            return Untyped(self.message.values[item])
        if isinstance(item, MadeAttribute):
            return Untyped(item.value)
        return Untyped(_content(item.text)) if isinstance(item, MadeNode) else item


Evaluate = Callable[[Run, Environment], XItems]
"""Evaluates an expression."""


class Lazy:
    """The value of a `let`, which is evaluated once it is asked for: what nobody asks for cannot fail."""

    __slots__ = ("_environment", "_evaluate", "_run", "_value")

    def __init__(self, evaluate: Evaluate, run: Run, environment: Environment) -> None:
        self._evaluate, self._run, self._environment = evaluate, run, environment
        self._value: XItems | None = None

    def value(self) -> XItems:
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
