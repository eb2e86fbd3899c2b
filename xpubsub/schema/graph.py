"""Algorithms on directed graphs, given as mappings from a node to its successors: reachability and loops."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar

T = TypeVar("T")
"""A node."""


def reachable(start: Iterable[T], edges: Mapping[T, Iterable[T]], seen: Collection[T] = ()) -> set[T]:
    """Return the start nodes and those reachable from them without going through nodes of `seen`."""
    found: set[T] = set()
    ahead = list(start)
    while ahead:
        each = ahead.pop()
        if each not in found and each not in seen:
            found.add(each)
            ahead.extend(edges.get(each, ()))
    return found


def reverse(edges: Mapping[T, Iterable[T]]) -> dict[T, set[T]]:
    """Reverse all edges."""
    found: dict[T, set[T]] = {}
    for node, ends in edges.items():
        for end in ends:
            found.setdefault(end, set()).add(node)
    return found


def loops(edges: Mapping[T, Collection[T]]) -> dict[T, int]:
    """Return each node that can reach itself, with the number of its loop: equal if nodes reach each other."""
    back = reverse(edges)
    seen: set[T] = set()
    found: dict[T, int] = {}
    for number, node in enumerate(reversed(_finished(edges))):
        component = reachable([node], back, seen)
        seen |= component
        if len(component) > 1 or (component and node in edges.get(node, ())):
            found.update(dict.fromkeys(component, number))
    return found


def _finished(edges: Mapping[T, Iterable[T]]) -> list[T]:
    """Return all nodes in the order in which a depth-first search finishes them."""
    order: list[T] = []
    seen: set[T] = set()
    for start in edges:
        stack = [(start, iter([start]))]
        while stack:
            node, ahead = stack[-1]
            following = next((each for each in ahead if each not in seen), None)
            if following is not None:
                seen.add(following)
                stack.append((following, iter(edges.get(following, ()))))
            elif len(stack) > 1:
                order.append(node)
                stack.pop()
            else:
                stack.pop()
    return order
