"""Documents like those of the NASA dataset (Tian 2004, section 5.2): astronomical catalogues, nested and recursive.

The paper has 2,433 documents, 23 MB, 357 thousand values at 73 distinct tag paths; so have these, about.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from benchmarks.workloads.nasa_values import VALUES

GRAMMAR: dict[str, tuple[tuple[str, float, int], ...]] = {
    "dataset": (
        ("@subject", 1, 1), ("title", 1, 1), ("altname", 1, 2), ("abstract", 1, 1), ("keywords", 0.8, 1),
        ("author", 1, 3), ("reference", 1, 5), ("descriptions", 0.7, 1), ("tableHead", 0.9, 1), ("history", 1, 1),
        ("identifier", 1, 1),
    ),
    "altname": (("@type", 1, 1),),
    "abstract": (("para", 1, 3),),
    "keywords": (("@parentListURL", 1, 1), ("keyword", 1, 8)),
    "keyword": (("@href", 0.5, 1),),
    "author": (("initial", 1, 2), ("lastName", 1, 1), ("suffix", 0.05, 1)),
    "reference": (("source", 1, 1),),
    "source": (("other", 0.7, 1), ("journal", 0.5, 1), ("definition", 0.1, 1)),
    "other": (("title", 1, 1), ("author", 0.9, 3), ("name", 1, 1), ("publisher", 0.6, 1), ("city", 0.6, 1),
              ("date", 1, 1)),
    "journal": (("title", 1, 1), ("author", 1, 3), ("name", 1, 1), ("volume", 1, 1), ("pageno", 0.9, 1),
                ("date", 1, 1), ("bibcode", 0.5, 1)),
    "date": (("year", 1, 1), ("month", 0.5, 1), ("day", 0.3, 1)),
    "descriptions": (("description", 1, 3), ("details", 0.3, 1)),
    "description": (("heading", 0.3, 1), ("para", 1, 2)),
    "details": (("para", 1, 2),),
    "tableHead": (("tableLinks", 0.8, 1), ("fields", 1, 1)),
    "tableLinks": (("tableLink", 1, 3),),
    "tableLink": (("@href", 1, 1), ("title", 1, 1)),
    "fields": (("field", 1, 50),),
    "field": (("name", 1, 1), ("units", 0.6, 1), ("column", 0.5, 1), ("definition", 0.9, 1)),
    "definition": (("para", 1, 1), ("footnote", 0.06, 1)),
    "para": (("footnote", 0.06, 1),),
    "footnote": (("para", 1, 1),),
    "history": (("ingest", 1, 1), ("revisions", 0.6, 1)),
    "ingest": (("creator", 1, 1), ("date", 1, 1)),
    "creator": (("lastName", 1, 1), ("affiliation", 0.4, 1)),
    "revisions": (("revision", 1, 4),),
    "revision": (("creator", 1, 1), ("date", 1, 1), ("description", 0.8, 1)),
}
"""For each element what it holds: a name, the chance that it is there, how many there are at most."""
_DEEPEST = 8
"""Levels at which a footnote may still begin."""


@dataclass
class Node:
    """An element, or an attribute: its name begins with @."""

    name: str
    value: str = ""
    below: list[Node] = field(default_factory=list)

    def xml(self) -> str:
        """The element as text."""
        attributes = "".join(f' {each.name[1:]}="{each.value}"' for each in self.below if each.name[0] == "@")
        elements = "".join(each.xml() for each in self.below if each.name[0] != "@")
        return f"<{self.name}{attributes}>{self.value}{elements}</{self.name}>"

    def is_leaf(self) -> bool:
        """Whether its value is all there is below it."""
        return bool(self.value) and all(each.name[0] == "@" for each in self.below)


def document(random: Random) -> Node:
    """One document."""
    return _node("dataset", random, 1)


def _node(name: str, random: Random, depth: int) -> Node:
    maker = VALUES.get(name.lstrip("@"))
    node = Node(name, maker(random) if maker else "")
    for below, chance, most in GRAMMAR.get(name, ()):
        if random.random() < chance and (below != "footnote" or depth <= _DEEPEST):
            count = 1 + int(random.random() * most)
            node.below.extend(_node(below, random, depth + 1) for _ in range(count))
    return node
