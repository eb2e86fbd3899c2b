"""Copies elements in no namespace to places where a default namespace is in scope."""

from __future__ import annotations

import re

_TAG = re.compile(
    r"""<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<(/?)([^\s/>!?]+)((?:[^>"'/]|"[^"]*"|'[^']*'|/(?!>))*)(/?)>""",
    re.DOTALL)
_DEFAULT = re.compile(r"""(?:[^"']|"[^"]*"|'[^']*')*?(\sxmlns\s*=\s*(?:"([^"]*)"|'([^']*)'))""")
"""Matches a declaration among attributes, not inside a value."""


def without_default(text: str) -> str:
    """Return an element with `xmlns=""` where needed, so that names without a prefix stay in no namespace."""
    pieces: list[str] = []
    end = depth = 0
    settled = 0
    for tag in _TAG.finditer(text):
        closing, name, attributes, empty = tag.groups()
        if name is None:
            continue
        if closing:
            settled = 0 if depth == settled else settled
            depth -= 1
            continue
        depth += 1
        declared = None if settled else _DEFAULT.match(attributes)
        if declared and ":" in name and not (declared[2] or declared[3]):
            pieces.append(text[end : tag.start(3) + declared.start(1)])
            end = tag.start(3) + declared.end(1)
        elif declared:
            settled = depth
        elif not settled and ":" not in name:
            settled = depth
            pieces += [text[end : tag.end(2)], ' xmlns=""']
            end = tag.end(2)
        if empty:
            settled = 0 if depth == settled else settled
            depth -= 1
    return "".join([*pieces, text[end:]])
