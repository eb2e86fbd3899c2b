"""The prefixes of copied attributes: each keeps that of the message where it is free in the element that gets it."""

from __future__ import annotations

import re
from collections.abc import Mapping

_ATTRIBUTE = re.compile(r' ([^\s=]+)="([^"]*)"')
Bindings = Mapping[str, str]
"""Prefixes and their namespaces, escaped as in a tag."""


def bindings(opening: str) -> dict[str, str]:
    """What a start tag declares but for a default namespace."""
    return {name[6:]: uri for name, uri in _ATTRIBUTE.findall(opening) if name.startswith("xmlns:")}


def settled(attributes: str, around: Bindings) -> str:
    """Copied attributes, each with a declaration before it, as they are written in an element."""
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
    """A prefix that stands for the namespace or for nothing yet: the attribute's own, or p_1, p_2 and so on."""
    own, number = prefix, 0
    while bound.get(own, namespace) != namespace:
        number += 1
        own = f"{prefix}_{number}"
    return own
