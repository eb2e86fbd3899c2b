"""The NASA workload (Tian 2004, section 5.2): nested documents, branching subscriptions with values that occur.

A subscription has 2 to 10 predicates, 7.7 in the mean; 80% are equalities, some steps are `//` or `*`. Half of the
subscriptions take all predicates from one document, which they mostly match; the others mix those of several.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

import pyarrow as pa

from benchmarks.workloads.nasa_documents import Node, document
from benchmarks.workloads.path_variants import JOINED, START, Forms, Variants

_T = TypeVar("_T")
_COUNTS = (2, 3, 4, 5, 6, 7, 8, 9, 10)
_WEIGHTS = (2, 3, 4, 6, 9, 14, 18, 21, 23)
_SOURCES = 500
"""Documents that subscriptions are derived from."""
_LONGEST = 60
"""Characters of a value that a predicate may hold."""
_DEEPEST = 3
"""Steps from a branching element to the values below it."""
_UNEQUAL = 0.06
_ORDERED = 0.8
"""How often a predicate on a text is `!=`, and on a number one of `< <= > >=`: together a fifth of all."""


@dataclass(frozen=True)
class Leaf:
    """A value below an element, and the ways of writing the path to it."""

    paths: Sequence[Forms]
    value: str
    numeric: bool


@dataclass
class Place:
    """An element with several values below it, and the ways of writing the path to it."""

    paths: Sequence[Forms]
    leaves: list[Leaf] = field(default_factory=list)


@dataclass
class Source:
    """What subscriptions take from one document: the values near its root, and its other places by path."""

    root: Place
    places: list[list[Place]]


class Deriver:
    """Makes subscriptions out of documents."""

    def __init__(self, documents: Iterable[Node], random: Random) -> None:
        self._random = random
        self._variants = Variants(random)
        self._sources = [_source(each, self._variants) for each in documents]

    def text(self) -> str:
        """One subscription."""
        random, own = self._random.random, self._any(self._sources)
        left, mixed = self._random.choices(_COUNTS, _WEIGHTS)[0], random() < 0.5
        near = self._conditions(own.root, min(left - 1, int(3 * random())))
        predicates, left = [f"[{each[START]}]" for each in near], left - len(near)
        while True:
            place = self._any(self._any((self._any(self._sources) if mixed else own).places))
            branch, used = self._branch(place, min(left, 1 + int(3 * random())))
            left -= used
            if left <= 0:
                return f"{self._root()}{''.join(predicates)}{branch[JOINED]}"
            predicates.append(f"[{branch[START]}]")

    def _root(self) -> str:
        chance = self._random.random()
        return "//dataset" if chance < 0.2 else "/*" if chance < 0.3 else "/dataset"

    def _branch(self, place: Place, count: int) -> tuple[Forms, int]:
        """A path to a place with conditions on it, and their number."""
        conditions, path = self._conditions(place, count), self._variants.any(place.paths)
        tail = "".join(f"[{each[START]}]" for each in conditions[:-1]) + conditions[-1][JOINED]
        return (path[START] + tail, path[JOINED] + tail), len(conditions)

    def _conditions(self, place: Place, count: int) -> list[Forms]:
        """Conditions on different values below a place; fewer if it has fewer."""
        size, first = len(place.leaves), int(len(place.leaves) * self._random.random())
        return [self._condition(place.leaves[(first + each) % size]) for each in range(min(count, size))]

    def _condition(self, leaf: Leaf) -> Forms:
        start, joined = self._variants.any(leaf.paths)
        test = self._test(leaf)
        return start + test, joined + test

    def _test(self, leaf: Leaf) -> str:
        random = self._random.random
        if leaf.numeric and random() < _ORDERED:
            away = int(20 * random())
            return f" {self._any(('>', '>='))} {int(leaf.value) - 1 - away}" if random() < 0.5 else \
                f" {self._any(('<', '<='))} {int(leaf.value) + 1 + away}"
        return f' {"!=" if random() < _UNEQUAL else "="} "{leaf.value}"'

    def _any(self, members: Sequence[_T]) -> _T:
        return members[int(len(members) * self._random.random())]


def _source(root: Node, variants: Variants) -> Source:
    near = Place((), [leaf for leaf in _leaves(root, variants, 2)])
    places: dict[tuple[str, ...], list[Place]] = {}
    _add_places(root, (), variants, places)
    return Source(near, list(places.values()))


def _add_places(
    node: Node, path: tuple[str, ...], variants: Variants, places: dict[tuple[str, ...], list[Place]]
) -> None:
    for below in node.below:
        here = (*path, below.name)
        if len(leaves := _leaves(below, variants, _DEEPEST)) > 1:
            places.setdefault(here, []).append(Place(variants.of(here), leaves))
        _add_places(below, here, variants, places)


def _leaves(node: Node, variants: Variants, deepest: int, path: tuple[str, ...] = ()) -> list[Leaf]:
    """The short values below an element."""
    found = []
    for below in node.below:
        here = (*path, below.name)
        if below.is_leaf() and len(below.value) <= _LONGEST:
            found.append(Leaf(variants.of(here), below.value, below.value.isdigit()))
        if len(here) < deepest:
            found.extend(_leaves(below, variants, deepest, here))
    return found


@dataclass(frozen=True)
class Nasa:
    """Documents as messages m0, m1, …, and subscriptions s0, s1, … as an Arrow table of id and text."""

    messages: list[tuple[str, str]]
    subscriptions: pa.Table

    @property
    def sizes(self) -> dict[str, int]:
        """How many of each."""
        return {"subscriptions": self.subscriptions.num_rows, "messages": len(self.messages)}

    def first(self, count: int) -> Nasa:
        """The same with only the first subscriptions."""
        return Nasa(self.messages, self.subscriptions.slice(0, count))

    def first_texts(self, count: int) -> list[str]:
        """The first subscriptions' texts."""
        texts: list[str] = self.subscriptions["text"].slice(0, count).to_pylist()
        return texts


def nasa(documents: int, subscriptions: int, seed: int) -> Nasa:
    """The workload; one with fewer subscriptions has the first of those of one with more."""
    random = Random(seed)
    nodes = [document(random) for _ in range(documents)]
    messages = [(f"m{number}", node.xml()) for number, node in enumerate(nodes)]
    deriver = Deriver(nodes[:_SOURCES], random)
    ids = pa.array((f"s{number}" for number in range(subscriptions)), pa.string(), size=subscriptions)
    texts = pa.array((deriver.text() for _ in range(subscriptions)), pa.string(), size=subscriptions)
    return Nasa(messages, pa.table({"id": ids, "text": texts}))
