"""The Bib and Book DTDs of the XQuery use cases, and documents made from a DTD (Diao & Franklin 2003, section 6.1)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

BIB = """
<!ELEMENT bib (book*)>
<!ELEMENT book (title, (author+ | editor+), publisher, price)>
<!ATTLIST book year CDATA #REQUIRED>
<!ELEMENT author (last, first)>
<!ELEMENT editor (last, first, affiliation)>
<!ELEMENT title (#PCDATA)>
<!ELEMENT last (#PCDATA)>
<!ELEMENT first (#PCDATA)>
<!ELEMENT affiliation (#PCDATA)>
<!ELEMENT publisher (#PCDATA)>
<!ELEMENT price (#PCDATA)>
"""
BOOK = """
<!ELEMENT book (title, author+, section+)>
<!ELEMENT title (#PCDATA)>
<!ELEMENT author (#PCDATA)>
<!ELEMENT section (title, p*, figure*, section*)>
<!ATTLIST section id CDATA #REQUIRED difficulty CDATA #REQUIRED>
<!ELEMENT p (#PCDATA)>
<!ELEMENT figure (title, image)>
<!ATTLIST figure width CDATA #REQUIRED height CDATA #REQUIRED>
<!ELEMENT image EMPTY>
<!ATTLIST image source CDATA #REQUIRED>
"""
_CHOICE = expat.model.XML_CTYPE_CHOICE
_MIXED = expat.model.XML_CTYPE_MIXED
_ONCE, _OPTIONAL = expat.model.XML_CQUANT_NONE, expat.model.XML_CQUANT_OPT
_ANY_NUMBER = expat.model.XML_CQUANT_REP


@dataclass
class Dtd:
    """The content models and attributes of the elements."""

    root: str
    models: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, list[str]] = field(default_factory=dict)

    def children(self, name: str) -> list[str]:
        """The elements that may stand in an element."""
        return sorted(set(_names(self.models[name])))

    def has_text(self, name: str) -> bool:
        """Whether an element holds text."""
        return bool(self.models[name][0] == _MIXED)


def _names(model: Any) -> Iterator[str]:
    if model[2] is not None:
        yield model[2]
    for part in model[3]:
        yield from _names(part)


def read_dtd(text: str, root: str) -> Dtd:
    """A DTD; `root` is where documents start."""
    dtd = Dtd(root)
    parser = expat.ParserCreate()
    parser.ElementDeclHandler = dtd.models.__setitem__
    parser.AttlistDeclHandler = lambda element, name, *_: dtd.attributes.setdefault(element, []).append(name)
    parser.Parse(f"<!DOCTYPE {root} [{text}]><{root}/>", True)
    return dtd


@dataclass(frozen=True)
class Settings:
    """DocDepth, MaxRepeats (by element in its parent) and MaxValue."""

    depth: int
    repeats: Mapping[tuple[str, str], tuple[int, int]]
    """The least and the most times that an element stands in a parent."""
    values: int


class Documents:
    """Makes documents that conform to a DTD."""

    def __init__(self, dtd: Dtd, settings: Settings, seed: int) -> None:
        self.dtd = self._dtd = dtd
        self._settings = settings
        self._random = random.Random(seed)

    def document(self) -> str:
        """One document."""
        return self._element(self._dtd.root, 1)

    def _element(self, name: str, depth: int) -> str:
        attributes = "".join(f' {each}="{self._value()}"' for each in self._dtd.attributes.get(name, ()))
        if self._dtd.has_text(name):
            return f"<{name}{attributes}>{self._value()}</{name}>"
        return f"<{name}{attributes}>{self._content(self._dtd.models[name], name, depth + 1)}</{name}>"

    def _content(self, model: Any, parent: str, depth: int) -> str:
        kind, quantity, name, parts = model
        if depth > self._settings.depth and quantity in (_OPTIONAL, _ANY_NUMBER):
            return ""
        if kind == _CHOICE and quantity in (_ONCE, _OPTIONAL):
            return self._content(self._random.choice(parts), parent, depth)
        times = self._times(quantity, parent, name)
        if name is not None:
            return "".join(self._element(name, depth) for _ in range(times))
        chosen = (self._random.choice(parts) if kind == _CHOICE else None for _ in range(times))
        return "".join(
            self._content(part, parent, depth) for one in chosen for part in (parts if one is None else [one]))

    def _times(self, quantity: int, parent: str, name: str | None) -> int:
        if quantity == _ONCE:
            return 1
        least, most = self._settings.repeats.get((parent, name or ""), (1, 1))
        return 0 if quantity == _OPTIONAL and self._random.random() < 0.5 else self._random.randint(least, most)

    def _value(self) -> str:
        return f"v{self._random.randrange(self._settings.values)}"


def bib(values: int, seed: int) -> Documents:
    """Bib documents: 20 books, each with up to five authors or editors; some 150 elements."""
    repeats = {("bib", "book"): (20, 20), ("book", "author"): (1, 2), ("book", "editor"): (1, 2)}
    return Documents(read_dtd(BIB, "bib"), Settings(4, repeats, values), seed)


def book(values: int, seed: int) -> Documents:
    """Book documents: sections in sections, up to four deep; some 83 elements."""
    repeats = {("book", "section"): (6, 6), ("section", "p"): (0, 1), ("section", "figure"): (0, 1),
               ("section", "section"): (0, 2)}
    return Documents(read_dtd(BOOK, "book"), Settings(5, repeats, values), seed)
