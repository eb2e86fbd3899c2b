"""Tag paths of the NASA documents and many linear paths that match some of them (Tian 2004, Table 5.4)."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from benchmarks.workloads.nasa_documents import GRAMMAR
from benchmarks.workloads.nasa_values import VALUES
from benchmarks.workloads.path_variants import varied

_RECURSION = 2
"""How often a name may be repeated in a path."""


def tag_paths() -> list[str]:
    """The tag paths that lead to values; 73, as in the paper."""
    return ["/" + "/".join(path) for path in _paths(("dataset",))]


def _paths(path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if path[-1].lstrip("@") in VALUES:
        yield path
    for below, _, _ in GRAMMAR.get(path[-1], ()):
        if path.count(below) <= _RECURSION:
            yield from _paths((*path, below))


def linear_paths(count: int, seed: int) -> list[str]:
    """Distinct ways of writing the tag paths, with `//` and `*`."""
    random, paths = Random(seed), list(_paths(("dataset",)))
    found: dict[str, None] = {}
    while len(found) < count:
        found.setdefault(varied(random.choice(paths), random))
    return list(found)
