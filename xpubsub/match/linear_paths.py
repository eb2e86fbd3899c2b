"""Linear paths and tag paths as rows: reversed, and the three pieces of the paper (Figure 3.4)."""

from __future__ import annotations

import re

from xpubsub.language.xpath.branches import DOCUMENT
from xpubsub.language.xpath.linear import components, linear_steps

_POSITION = re.compile(r"=(\d+)")


def inverse(tagpath: str) -> str:
    """A tag path with its names in reverse order, so that a postfix becomes a prefix."""
    return "/".join(reversed(components(tagpath)))


def bp_steps(brinfo: str) -> tuple[int, ...]:
    """The steps at which branching points stand: `bp#1=2&bp#2=3` → (2, 3)."""
    return tuple(int(position) for position in _POSITION.findall(brinfo))


def pieces(linear_path: str) -> tuple[str, str, str | None]:
    """Prefix, reversed postfix and middle: cut at the first and at the last double slash (Figure 3.4).

    With a single double slash there is no middle; with none the whole path is the prefix and the postfix.
    """
    if linear_path == DOCUMENT:
        return DOCUMENT, "", None
    steps = linear_steps(linear_path)
    cuts = [index for index, (descends, _) in enumerate(steps) if descends] or [len(steps)]
    prefix = "".join(f"/{name}" for _, name in steps[: cuts[0]])
    tail = steps[cuts[-1] :] if any(descends for descends, _ in steps) else steps
    postfix = "/".join(name for _, name in reversed(tail))
    middle = "".join(("//" if descends else "/") + name for descends, name in steps[cuts[0] : cuts[-1]])
    return prefix, postfix, middle.lstrip("/") or None
