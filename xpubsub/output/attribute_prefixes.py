"""Chooses the prefixes of copied attributes: an attribute keeps its prefix if that is free in the new element."""

from __future__ import annotations

import re
from collections.abc import Mapping

_ATTRIBUTE = re.compile(r' ([^\s=]+)="([^"]*)"')
Bindings = Mapping[str, str]
"""Prefixes with their namespaces, escaped as in a tag."""


def bindings(opening: str) -> dict[str, str]:
    """Return the prefixes that a start tag declares, without the default namespace."""
    return {name[6:]: uri for name, uri in _ATTRIBUTE.findall(opening) if name.startswith("xmlns:")}


def settled(attributes: str, around: Bindings) -> str:
    """Write copied attributes, each preceded by its declaration, as they stand in the new element."""
    bound, declared, written, namespace = dict(around), "", "", ""
    for name, value in _ATTRIBUTE.findall(attributes):
        prefix, _, local = name.rpartition(":")
        if prefix == "xmlns":
            namespace = value
            continue
        if namespace:
            prefix = _free(prefix, namespace, bound)
            declared += f' xmlns:{prefix}="{namespace}"' * (prefix not in bound)
            bound[prefix], namespace = namespace, ""
        written += f' {prefix}{":" * bool(prefix)}{local}="{value}"'
    return declared + written


def _free(prefix: str, namespace: str, bound: Bindings) -> str:
    """Return a prefix that is bound to the namespace or not bound: the attribute's own, or p_1, p_2 and so on."""
    own, number = prefix, 0
    while bound.get(own, namespace) != namespace:
        number += 1
        own = f"{prefix}_{number}"
    return own
