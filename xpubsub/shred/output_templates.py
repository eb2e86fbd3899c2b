"""The templates of outputs, decoded: what an output is made of, once the variables of its blocks are bound."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from xpubsub.ids import stable_id
from xpubsub.shred.attribute_prefixes import Bindings, bindings

Node = list[Any]
"""Text `t`, element `e`, variable `v`, returned path `r`, block of copies `p`, `for` block `f`; `va`, `ra` and `a` are
the attributes among variables, paths and blocks."""
Bound = tuple[int, ...]
Rows = dict[tuple[int, Bound], list[Bound]]
"""The tuples of a block that go on from a tuple of the block around it, in the order of bindings."""
Path = tuple[str, int]
"""A returned path: its linear path, and the step of it at which its base stands."""


@dataclass(frozen=True)
class OutputTemplate:
    """A template, and for each block how many variables are bound around it and by it."""

    content: list[Node]
    sizes: Mapping[int, tuple[int, int]]

    def rows(self, bound: list[int]) -> Rows:
        """What is bound, from a list of block, nodes, block, nodes..."""
        rows: Rows = {}
        place, end = 0, len(bound)
        while place < end:
            outer, size = self.sizes[bound[place]]
            nodes = tuple(bound[place + 1 : place + 1 + size])
            rows.setdefault((bound[place], nodes[:outer]), []).append(nodes)
            place += 1 + size
        return rows


class OutputTemplates(dict[int, OutputTemplate]):
    """Templates by id, decoded when they are first asked for."""

    def __init__(self, definitions: Mapping[int, str]) -> None:
        self._definitions = definitions

    def __missing__(self, template_id: int) -> OutputTemplate:
        _, content = json.loads(json.loads(self._definitions[template_id])[0])
        _bind(content, {})
        self[template_id] = OutputTemplate(content, dict(_sizes(content, 0)))
        return self[template_id]


def _sizes(nodes: list[Node], outer: int) -> Iterator[tuple[int, tuple[int, int]]]:
    """The sizes of all blocks; each `for` is told whether its content stands alone."""
    for node in nodes:
        if node[0] in ("p", "a"):
            yield node[1], (outer, outer + 1)
        elif node[0] == "f":
            yield node[1], (outer, outer + node[2])
            yield from _sizes(node[3], outer + node[2])
            node.append(_alone(node[3]))
        elif node[0] == "e":
            yield from _sizes(node[3], outer)
            yield from _sizes(node[4], outer)


def _bind(nodes: list[Node], around: Bindings) -> None:
    """Each element is told which prefixes the tags around it and its own declare."""
    for node in nodes:
        if node[0] == "f":
            _bind(node[3], around)
        elif node[0] == "e":
            node.append({**around, **bindings(node[1])})
            _bind(node[4], node[-1])


def _alone(nodes: list[Node]) -> bool:
    """Whether what is made of some nodes depends on variables around them alone, and on no block among them."""
    return all(node[0] not in ("p", "a", "f") and (node[0] != "e" or _alone([*node[3], *node[4]])) for node in nodes)


@lru_cache(maxsize=65536)
def returned_id(path: str, base_position: int) -> int:
    """The id of a returned path with its base marked on it."""
    return stable_id(path, brinfo_of(base_position))


def brinfo_of(base_position: int) -> str:
    """The base as a mark on a linear path; the document needs none."""
    return f"bp#1={base_position}" if base_position else ""
