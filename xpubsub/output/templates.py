"""The templates of outputs, which write an output once the variables of its blocks are bound."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from xpubsub.ids import stable_id
from xpubsub.output.evaluation.program import output_program
from xpubsub.output.parts import Node, OutputMessage, Rows, Write, content

TEMPLATES_KEPT = 16_384
"""How many templates are remembered from batch to batch: turning one into functions takes longer than an output."""


@dataclass(frozen=True)
class OutputTemplate:
    """A template as a function, and for each block how many variables are bound around it and in it."""

    write: Write
    sizes: Mapping[int, tuple[int, int]]
    run: Callable[[OutputMessage, Rows], str | None] | None = None
    """The function of a program, which may decide that there is no output."""

    def output(self, message: OutputMessage, bound: list[int]) -> str | None:
        """Return the output for a message, given a list of block, nodes, block, nodes..."""
        return self.made(message, self.rows(bound))

    def made(self, message: OutputMessage, rows: Rows) -> str | None:
        """Return the output for a message and the bound tuples; None if there is none."""
        return self.write(message, (), rows) if self.run is None else self.run(message, rows)

    def rows(self, bound: list[int]) -> Rows:
        """Return the bound tuples, by block and by the tuple around it."""
        rows: Rows = {}
        place, end = 0, len(bound)
        while place < end:
            outer, size = self.sizes[bound[place]]
            nodes = tuple(bound[place + 1 : place + 1 + size])
            rows.setdefault((bound[place], nodes[:outer]), []).append(nodes)
            place += 1 + size
        return rows


class OutputTemplates(dict[int, OutputTemplate]):
    """Templates by id."""

    def __init__(self, definitions: Mapping[int, str]) -> None:
        self._definitions = definitions

    def __missing__(self, template_id: int) -> OutputTemplate:
        self[template_id] = _template(self._definitions[template_id])
        return self[template_id]


def is_program(nodes: list[Node]) -> bool:
    """Whether a template is a program."""
    return bool(nodes) and nodes[0][0] == "x"


@lru_cache(TEMPLATES_KEPT)
def _template(definition: str) -> OutputTemplate:
    nodes = template_nodes(definition)
    if is_program(nodes):
        [[_, code, slots, _, decides]] = nodes
        return OutputTemplate(content([], {}), dict(_sizes(nodes, 0)), output_program(code, slots, decides=decides))
    return OutputTemplate(content(nodes, {}), dict(_sizes(nodes, 0)))


def template_nodes(definition: str) -> list[Node]:
    """Return the nodes of a stored template."""
    _, nodes = json.loads(json.loads(definition)[0])
    return list(nodes)


def _sizes(nodes: list[Node], outer: int) -> Iterator[tuple[int, tuple[int, int]]]:
    for node in nodes:
        if node[0] == "x":
            yield from ((block, (0, size)) for block, size in node[3])
        elif node[0] in ("p", "a"):
            yield node[1], (outer, outer + 1)
        elif node[0] == "f":
            yield node[1], (outer, outer + node[2])
            yield from _sizes(node[3], outer + node[2])
        elif node[0] == "e":
            yield from _sizes(node[3], outer)
            yield from _sizes(node[4], outer)


@lru_cache(maxsize=65536)
def returned_id(path: str, base_position: int) -> int:
    """Return the id of a returned path annotated with its base."""
    return stable_id(path, brinfo_of(base_position))


def brinfo_of(base_position: int) -> str:
    """Return the annotation of a linear path for a base; empty for the document."""
    return f"bp#1={base_position}" if base_position else ""
