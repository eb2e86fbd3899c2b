"""Decodes character and entity references in XQuery's string literals and constructors."""

from __future__ import annotations

import re

_REFERENCE = re.compile(r"&(?:#x([0-9a-fA-F]+)|#([0-9]+)|(lt|gt|amp|quot|apos));|&")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


class BadReference(Exception):
    """An undefined reference; the argument is its offset in the text."""


def dereferenced(text: str) -> str:
    """Return the text with its references resolved."""
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    hexadecimal, decimal, entity = match.groups()
    if entity:
        return _ENTITIES[entity]
    code = int(hexadecimal, 16) if hexadecimal else int(decimal) if decimal else -1
    if code in (9, 10, 13) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or 0x10000 <= code <= 0x10FFFF:
        return chr(code)
    raise BadReference(match.start())
