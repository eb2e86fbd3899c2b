"""Real documents from an archive, and subscriptions derived from them: plain, twisted, and as people write them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from random import Random

from lxml import etree

from benchmarks.agree import Deriver, Documents, read_set

_LONGEST = 60
"""Characters of a value that a condition may hold."""


@dataclass(frozen=True)
class Derived:
    """Messages m0, m1, … and texts for s0, s1, …."""

    messages: list[tuple[str, str]]
    texts: list[str]
    namespaces: dict[str, str]

    @property
    def sizes(self) -> dict[str, int]:
        """How many of each."""
        return {"subscriptions": len(self.texts), "messages": len(self.messages)}

    def first(self, count: int) -> Derived:
        """The same with only the first subscriptions."""
        return Derived(self.messages, self.texts[:count], self.namespaces)


class RealDocuments:
    """The documents of an archive, and what can be made of them."""

    def __init__(self, folder: Path, name: str, largest: int = 2**20) -> None:
        read = read_set(folder, name)
        self._documents = Documents([(each, data) for each, data in read.given if len(data) <= largest])
        self._documents.read()
        self._texts = [etree.tostring(tree, encoding="unicode") for tree in self._documents.trees.values()]
        self.namespaces = {prefix: uri for uri, prefix in self._documents.prefixes.items()}

    def derived(self, kind: str, messages: int, subscriptions: int, seed: int) -> Derived:
        """Different subscriptions of a kind, and documents, repeated until there are enough."""
        numbered = [(f"m{number}", xml) for number, xml in enumerate(islice(cycle(self._texts), messages))]
        if kind == "people":
            drawn = Deriver(self._documents, seed).accepted(subscriptions + subscriptions // 4).values()
            texts = [text for text in drawn if "*:" not in text][:subscriptions]
        else:
            texts = self._drawn(_MAKERS[kind], subscriptions, Random(seed))
        return Derived(numbered, texts, self.namespaces)

    def _drawn(self, make: Callable[[_Leaf, _Leaf, Random], str], count: int, random: Random) -> list[str]:
        leaves, texts = self._leaves(), dict[str, None]()
        while len(texts) < count:
            texts[make(random.choice(leaves), random.choice(leaves), random)] = None
        return list(texts)

    def _leaves(self) -> list[_Leaf]:
        """The elements with a short value and nothing below."""
        return [_Leaf(self._path(each), text) for each in self._documents.elements
                if not len(each) and (text := (each.text or "").strip()) and len(text) <= _LONGEST and "'" not in text]

    def _path(self, element: etree._Element) -> list[str]:
        line = [element, *element.iterancestors()][::-1]
        names = [etree.QName(each) for each in line]
        return [f"{self._documents.prefixes[str(name.namespace)]}:{name.localname}" if name.namespace
                else str(name.localname) for name in names]


@dataclass(frozen=True)
class _Leaf:
    path: list[str]
    value: str


def _plain(leaf: _Leaf, _: _Leaf, random: Random) -> str:
    """A path, or a path with one comparison."""
    inner, chance = leaf.path[-2:], random.random()
    path = f"//{'/'.join(inner)}" if chance < 0.4 else "/" + "/".join(leaf.path)
    chance = random.random()
    if chance < 0.15:
        return path
    if chance < 0.4 and leaf.value.replace(".", "", 1).isdigit():
        return f"{path} {random.choice('<>')} {float(leaf.value) + random.randrange(100):.2f}"
    return f"{path} = '{leaf.value if chance < 0.9 else leaf.value[:-1]}'"


def _twisted(leaf: _Leaf, other: _Leaf, random: Random) -> str:
    """Nested `not()`, absolute paths in predicates, `contains()` at the top."""
    own, root, last = "/".join(leaf.path[:-1]), other.path[0], leaf.path[-1]
    inner = "/".join(other.path[1:])
    part = leaf.value[: 1 + random.randrange(len(leaf.value))]
    return random.choice((
        f"/{own}[not({last} = '{leaf.value}' and not(/{root}/{inner} = '{other.value}'))]",
        f"not(//{leaf.path[-2]}[not({last})]) and /{root}[not({inner} = '{other.value}')]",
        f"/{own}[/{root}/{inner} = '{other.value}']/{last}",
        f"contains(//{last}, '{part}')",
        f"//*[{last}[not(contains(., '{part}'))]][not(/{root}[not({inner})])]",
    ))


_MAKERS = {"plain": _plain, "twisted": _twisted}
