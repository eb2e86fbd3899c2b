"""Splits and reverses linear paths and tag paths as the store keeps them (Figure 3.4)."""

from __future__ import annotations

import re

from xpubsub.language.xpath.branches import DOCUMENT
from xpubsub.language.xpath.linear import components, linear_steps

_POSITION = re.compile(r"=(\d+)")


def inverse(tagpath: str) -> str:
    """Reverse the names of a tag path, so that a postfix becomes a prefix."""
    return "/".join(reversed(components(tagpath)))


def bp_steps(brinfo: str) -> tuple[int, ...]:
    """Return the steps of the branching points: `bp#1=2&bp#2=3` → (2, 3)."""
    return tuple(int(position) for position in _POSITION.findall(brinfo))


def prefix_path(linear_path: str, length: int) -> str:
    """Return the first `length` steps of a linear path."""
    steps = linear_steps(linear_path)[:length]
    return "".join(("//" if descends else "/") + name for descends, name in steps) or DOCUMENT


def pieces(linear_path: str) -> tuple[str, str, str | None]:
    """Split a path at its first and last `//` into prefix, reversed postfix and middle (Figure 3.4).

    With a single `//` there is no middle; with none, the whole path is both prefix and postfix.
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
