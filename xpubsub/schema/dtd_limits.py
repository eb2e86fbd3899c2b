"""Bounds on what the entities of a DTD become: expat bounds them in a document, but not in time in an external subset.

General entities say nothing of elements, and so they are not expanded at all. Parameter entities are: an entity costs
its length each time the text refers to it, which is known before it is used, since it has to be declared first.
"""

from __future__ import annotations

import re
from collections import Counter

EXPANDED = 16 * 1024 * 1024
"""Size of all parameter entities where they are used, in characters."""
DEEPEST = 10_000
"""Parentheses within parentheses, over all entities: expat hands content models over by recursion."""
_GENERAL = re.compile(r"&(?!#|(?:lt|gt|amp|quot|apos);)")
_PARAMETER = re.compile(r"%([^\s;%]+);")
_PARENTHESIS = re.compile(r"[()]")


def without_general(text: str) -> str:
    """A DTD without references to general entities, of the same length."""
    return _GENERAL.sub(" ", text)


class Expansion:
    """Counts what the entities of one DTD become; each method returns why that is too much, or None."""

    def __init__(self, text: str) -> None:
        self._references = Counter(_PARAMETER.findall(text))
        self._size = self._depth = 0

    def entity(self, name: str, parameter: bool, value: str) -> str | None:
        """A declared entity, with the parameter entities in it expanded."""
        if _GENERAL.search(value) or (parameter and _PARAMETER.search(value)):
            return f"the entity {name} refers to others by character references, so that it cannot be bounded"
        if not parameter:
            return None
        self._size += len(value) * self._references[name]
        if self._size > EXPANDED:
            return f"parameter entities become more than {EXPANDED} characters"
        return self.nested(value)

    def nested(self, text: str) -> str | None:
        """A text with parentheses."""
        depth = deepest = 0
        for match in _PARENTHESIS.finditer(text):
            depth = depth + 1 if match[0] == "(" else max(depth - 1, 0)
            deepest = max(deepest, depth)
        self._depth += deepest
        return f"nested deeper than {DEEPEST} parentheses" if self._depth > DEEPEST else None
