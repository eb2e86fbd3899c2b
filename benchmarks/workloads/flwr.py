"""FLWR queries over a DTD, with the parameters of Diao & Franklin 2003, Table 1."""

from __future__ import annotations

import random
from dataclasses import dataclass

from benchmarks.workloads.dtds import Dtd


@dataclass(frozen=True)
class Parameters:
    """D1, PP, RP, D2, DSProb, and MaxValue."""

    binding_depth: int = 2
    predicates: int = 1
    returns: int = 2
    depth: int = 2
    descendants: float = 0.2
    values: int = 10
    computed: float = 0
    """The share of queries with `order by`, expressions in attributes, and aggregates."""


class Queries:
    """Makes distinct queries: a `for` over a path of the DTD, predicates and return paths below it."""

    def __init__(self, dtd: Dtd, parameters: Parameters, seed: int) -> None:
        self._dtd = dtd
        self._given = parameters
        self._random = random.Random(seed)

    def distinct(self, number: int) -> list[str]:
        """So many queries, no two the same."""
        found: dict[str, None] = {}
        tried = 0
        while len(found) < number:
            tried += 1
            if tried > 50 * number:
                raise ValueError(f"there are hardly {number} distinct queries with {self._given}")
            found[self._query()] = None
        return list(found)

    def _query(self) -> str:
        element, path = self._walk(self._dtd.root, self._random.randint(1, self._given.binding_depth - 1))
        from_root = f"{self._axis()}{self._dtd.root}{path}"
        path = from_root if self._random.random() > self._given.descendants else f"//{element}"
        conditions = sorted({self._predicate(element) for _ in range(self._given.predicates)})
        returned = sorted({self._below(element) for _ in range(self._given.returns)})
        content = "".join(f"{{ $x{each} }}" for each in returned)
        if self._random.random() < self._given.computed:
            return self._computed(path, conditions, returned)
        return f"<results>{{ for $x in {path} where {' and '.join(conditions)} return <r>{content}</r> }}</results>"

    def _computed(self, path: str, conditions: list[str], returned: list[str]) -> str:
        """A query with a key to order by, attributes that are computed, and a number beside the copies."""
        first, last = returned[0], returned[-1]
        return (f"<results>{{ for $x in {path} where {' and '.join(conditions)} order by ($x{first})[1] descending "
                f'return <r first="{{ $x{first}[1] }}" n="{{ count($x{last}) }}">{{ sum($x{last}/string-length(.)) }}'
                f"{{ $x{last} }}</r> }}</results>")

    def _below(self, element: str) -> str:
        return self._walk(element, self._random.randint(1, self._given.depth))[1]

    def _walk(self, element: str, steps: int) -> tuple[str, str]:
        """Where a path of at most so many steps down from an element ends, and the path."""
        path = ""
        for _ in range(steps):
            onward = self._dtd.children(element)
            if not onward:
                break
            element = self._random.choice(onward)
            path += f"{self._axis()}{element}"
        return element, path

    def _predicate(self, element: str) -> str:
        """A comparison of an attribute, or of an element's text, with a value."""
        ends: list[str] = []
        while not ends:
            end, path = self._walk(element, self._random.randint(0, self._given.depth))
            ends = [f"{path}/@{each}" for each in self._dtd.attributes.get(end, ())]
            ends += [path] if self._dtd.has_text(end) else []
        return f'$x{self._random.choice(ends)} = "v{self._random.randrange(self._given.values)}"'

    def _axis(self) -> str:
        return "//" if self._random.random() < self._given.descendants else "/"
