"""The text of linear paths and tag paths: their steps, and which names a step asks for."""

from __future__ import annotations

import re
from functools import lru_cache

LinearStep = tuple[bool, str]
"""(whether it descends, the name it asks for)."""
_STEP = re.compile(r"(//?)((?:\{[^}]*\}|[^/{])+)")


@lru_cache(maxsize=65536)
def linear_steps(linear_path: str) -> tuple[LinearStep, ...]:
    """The steps of a linear path's text."""
    return tuple((match[1] == "//", match[2]) for match in _STEP.finditer(linear_path))


def components(tagpath: str) -> tuple[str, ...]:
    """The names of a tag path's text, root first; none for the document."""
    return tuple(match[2] for match in _STEP.finditer(tagpath))


@lru_cache(maxsize=65536)
def accepted_names(component: str) -> tuple[str, ...]:
    """The step names that a component of a tag path satisfies: itself, `*`, `{uri}*` and `*:local`."""
    if component == "text()":
        return (component,)
    mark, name = ("@", component[1:]) if component[0] == "@" else ("", component)
    uri, brace, local = name.rpartition("}")
    names = (component, f"{mark}*", f"{mark}*:{local}")
    return (*names, f"{mark}{uri}}}*") if brace else names
