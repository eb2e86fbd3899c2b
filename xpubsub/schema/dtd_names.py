"""Finds the namespaces of a DTD, which has only prefixes, from the default values of `xmlns` attributes.

A message may bind prefixes differently; then its tag paths do not conform.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xpubsub.errors import SchemaError
from xpubsub.language.xpath.syntax import expanded_name
from xpubsub.schema.element_graph import Schema
from xpubsub.schema.source import SchemaFile


@dataclass
class Declared:
    """The declarations of a DTD, by names as written."""

    children: dict[str, frozenset[str]] = field(default_factory=dict)
    anything: set[str] = field(default_factory=set)
    namespaces: dict[str, dict[str, str]] = field(default_factory=dict)
    """The URI by prefix and by the element that declares it."""
    root: str | None = None


def expanded(declared: Declared, source: SchemaFile) -> Schema:
    """Return the graph with expanded names."""
    graph = Schema(declared.children, frozenset())
    inside = _inside(declared, graph, source)
    written = {*declared.children, *(child for children in declared.children.values() for child in children)}
    names = {name: _expanded(name, declared, inside, source) for name in written}
    starting = [declared.root] if declared.root is not None else list(declared.children)
    elements: dict[str, frozenset[str]] = {}
    for name, children in declared.children.items():
        elements[names[name]] = elements.get(names[name], frozenset()) | {names[child] for child in children}
    roots = frozenset(names[name] for name in starting if name in names and _may_start(name, declared, inside))
    return Schema(elements, roots, frozenset(names[name] for name in declared.anything))


def _inside(declared: Declared, graph: Schema, source: SchemaFile) -> frozenset[str]:
    """Return the elements in the scope of a default namespace: those that declare it, and their descendants."""
    declaring = frozenset(declared.namespaces.get("", {}))
    inside = declaring.union(*map(graph.below, declaring))
    for name in sorted(declared.children.keys() - inside):
        for child in sorted((declared.children[name] & inside) - declaring):
            if ":" not in child:
                reason = f"{child} stands below elements with a default namespace but in {name} without one"
                raise _ambiguous(f"{reason}: declare xmlns for {child} too", source)
    return inside


def _may_start(name: str, declared: Declared, inside: frozenset[str]) -> bool:
    """Whether an element may be the root: one that inherits its namespace may not."""
    prefix, colon, _ = name.partition(":")
    return name in declared.namespaces.get(prefix if colon else "", {}) or (not colon and name not in inside)


def _expanded(name: str, declared: Declared, inside: frozenset[str], source: SchemaFile) -> str:
    prefix, colon, local = name.rpartition(":")
    if not colon and name not in inside:
        return name
    uris = set(declared.namespaces.get(prefix, {}).values())
    if len(uris) == 1 and "" not in uris and ":" not in prefix:
        return expanded_name(uris.pop(), local)
    what = f"the prefix {prefix!r} of {name}" if colon else f"the default namespace of {name}"
    if not uris:
        raise _ambiguous(f"{what} has no URI: no attribute xmlns:{prefix} with a default value is declared", source)
    raise _ambiguous(f"{what} is not one URI: {', '.join(map(repr, sorted(uris)))}", source)


def _ambiguous(reason: str, source: SchemaFile) -> SchemaError:
    return source.refused(reason, "schema-namespace")
