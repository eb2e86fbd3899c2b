"""The queries of the W3C's use cases and of XMark, and what becomes of each: see README.md beside this file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saxonche import PySaxonApiError

from tests.saxon import Judge

HERE = Path(__file__).parent
GROUPS = {
    "xmp": "XMP: experiences and exemplars", "tree": "TREE: queries that preserve hierarchy",
    "seq": "SEQ: queries based on sequence", "r": "R: access to relational data",
    "sgml": "SGML: standard generalized markup language", "string": "STRING: string search",
    "ns": "NS: queries using namespaces", "parts": "PARTS: recursive parts explosion", "xmark": "XMark",
}
_HEADER = re.compile(r"^\(: (Q\w+) (.*)\n   (accepted|refused): (.*?)(?:\n   at: (.*))? :\)\n", re.MULTILINE)
_MESSAGE = "declare variable $message := /;"
"""In functions there is no context item."""
FAILED = "failed"
_DOCUMENT = re.compile(r'\bdoc\("[^"]*"\)')


@dataclass(frozen=True)
class Case:
    """One query: `expected` is where it binds something, if accepted, or else what it is refused for."""

    group: str
    name: str
    documents: str
    outcome: str
    expected: str
    at: str
    text: str

    @property
    def id(self) -> str:
        """The name of the subscription, and of the test."""
        return f"{self.group}-{self.name}"

    def judge(self, bound: str) -> Judge:
        """Saxon with the query: the document it is given stands for every one that the query names."""
        prolog, body = re.fullmatch(r"(?s)(.*;\n)?(.*)", self.text).groups()  # type: ignore[union-attr]
        declared = _DOCUMENT.sub("$message", prolog or "").replace("declare function", f"{_MESSAGE} declare function", 1)
        return Judge(_DOCUMENT.sub("(/)", body), bound, declared)


def cases(*outcomes: str) -> list[Case]:
    """The queries with these outcomes, or all of them."""
    return [case for group in GROUPS for case in _read(group) if case.outcome in outcomes or not outcomes]


def documents() -> dict[str, str]:
    """The documents beside the queries."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted((HERE / "documents").glob("*.xml"))}


def judged(trees: dict[str, Any]) -> dict[tuple[str, str], str]:
    """What each accepted query makes of each document, according to Saxon, or that it fails."""
    found: dict[tuple[str, str], str] = {}
    for case in cases("accepted"):
        judge = case.judge(f"exists(({case.expected}))")
        for name, tree in trees.items():
            try:
                result = judge.evaluate(tree)
            except PySaxonApiError:
                result = FAILED
            if result is not None:
                found[name, case.id] = result
    return found


def _read(group: str) -> Iterator[Case]:
    text = (HERE / "queries" / f"{group}.xq").read_text(encoding="utf-8")
    headers = list(_HEADER.finditer(text))
    ends = [header.start() for header in headers[1:]] + [len(text)]
    for header, end in zip(headers, ends, strict=True):
        name, read, outcome, expected, at = header.groups()
        yield Case(group, name, read, outcome, expected, at or "", text[header.end():end].strip())
