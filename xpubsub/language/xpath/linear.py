"""Parses the text of linear paths and tag paths: their steps and names."""

from __future__ import annotations

import re
from functools import lru_cache

LinearStep = tuple[bool, str]
"""(whether the step is `//`, the name it selects)."""
COMPUTED = "="
"""What the name of a computed value starts with, as in `={normalize-space(.)}`."""
REFERENCE_NAMESPACE = "urn:xpubsub:reference"
"""The namespace of attributes that come from reference data; messages cannot have such attributes of their own."""
_OF_REFERENCE = f"@{{{REFERENCE_NAMESPACE}}}"
_STEP = re.compile(r"(//?)((?:\{[^}]*\}|[^/{])+)")


@lru_cache(maxsize=65536)
def linear_steps(linear_path: str) -> tuple[LinearStep, ...]:
    """Return the steps of a linear path."""
    return tuple((match[1] == "//", match[2]) for match in _STEP.finditer(linear_path))


def components(tagpath: str) -> tuple[str, ...]:
    """Return the names of a tag path, root first; none for the document."""
    return tuple(match[2] for match in _STEP.finditer(tagpath))


@lru_cache(maxsize=65536)
def accepted_names(component: str) -> tuple[str, ...]:
    """Return the step names that match a component of a tag path: itself, `*`, `{uri}*` and `*:local`."""
    if component == "text()" or component[0] == COMPUTED or component.startswith(_OF_REFERENCE):
        return (component,)
    mark, name = ("@", component[1:]) if component[0] == "@" else ("", component)
    uri, brace, local = name.rpartition("}")
    names = (component, f"{mark}*", f"{mark}*:{local}")
    return (*names, f"{mark}{uri}}}*") if brace else names
