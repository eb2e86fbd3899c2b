"""Limits the expansion of a DTD's entities, which in an external subset expat limits too late.

General entities declare no elements, so they are not expanded at all. Parameter entities are: an entity costs its
length each time the text refers to it. The length is known before use, since an entity must be declared first.
"""

from __future__ import annotations

import re
from collections import Counter

EXPANDED = 16 * 1024 * 1024
"""The largest total size of expanded parameter entities, in characters."""
DEEPEST_PARENTHESES = 10_000
"""The deepest nesting of parentheses over all entities: expat passes content models recursively."""
_GENERAL = re.compile(r"&(?!#|(?:lt|gt|amp|quot|apos);)")
_PARAMETER = re.compile(r"%([^\s;%]+);")
_PARENTHESIS = re.compile(r"[()]")


def without_general(text: str) -> str:
    """Blank out references to general entities; the length stays the same."""
    return _GENERAL.sub(" ", text)


class Expansion:
    """Counts the expansion of one DTD's entities; each method returns why it is too large, or None."""

    def __init__(self, text: str) -> None:
        self._references = Counter(_PARAMETER.findall(text))
        self._size = self._depth = 0

    def entity(self, name: str, parameter: bool, value: str) -> str | None:
        """Count a declared entity, with the parameter entities in it expanded."""
        if _GENERAL.search(value) or (parameter and _PARAMETER.search(value)):
            return f"the entity {name} refers to others by character references, so that it cannot be bounded"
        if not parameter:
            return None
        self._size += len(value) * self._references[name]
        if self._size > EXPANDED:
            return f"parameter entities become more than {EXPANDED} characters"
        return self.nested(value)

    def nested(self, text: str) -> str | None:
        """Count the parentheses of a text."""
        depth = deepest = 0
        for match in _PARENTHESIS.finditer(text):
            depth = depth + 1 if match[0] == "(" else max(depth - 1, 0)
            deepest = max(deepest, depth)
        self._depth += deepest
        return f"nested deeper than {DEEPEST_PARENTHESES} parentheses" if self._depth > DEEPEST_PARENTHESES else None
