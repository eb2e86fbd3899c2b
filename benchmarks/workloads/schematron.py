"""Rules of Schematron for invoices (EN 16931, XRechnung) as filters, and invoices in UBL."""

from __future__ import annotations

import gzip
import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, cycle, islice
from pathlib import Path
from random import Random

from lxml import etree

RULES = ("schematron-en16931.tsv.gz", "schematron-xrechnung.tsv.gz")
INVOICES = "ubl-xrechnung.tar.gz"
_OASIS = "urn:oasis:names:specification:ubl:schema:xsd:"
NAMESPACES = {
    "ubl": f"{_OASIS}Invoice-2", "cn": f"{_OASIS}CreditNote-2", "cac": f"{_OASIS}CommonAggregateComponents-2",
    "cbc": f"{_OASIS}CommonBasicComponents-2",
}
_CONSTANT = re.compile(r"'([^']*)'|(?<![\w.'-])([0-9]+)(?![\w.'])")
_ID = re.compile(r"(<cbc:ID>)")


@dataclass(frozen=True)
class Rules:
    """Filters that match invoices which break a rule, and the invoices."""

    texts: list[str]
    messages: list[tuple[str, str]]
    different: int
    """How many rules they are made of, by changing constants."""

    @property
    def sizes(self) -> dict[str, int]:
        """How many there are."""
        return {"subscriptions": len(self.texts), "messages": len(self.messages)}


def schematron(folder: Path, subscriptions: int, messages: int, seed: int) -> Rules:
    """Read the rules and the invoices; repeat both, changed, until there are enough."""
    invoices = list(_invoices(folder / INVOICES))
    tree = etree.fromstring(invoices[0].encode()).getroottree()
    rules = [text for text in dict.fromkeys(_rules(folder)) if _evaluates(text, tree)]
    texts = list(islice(_variants(rules), subscriptions))
    Random(seed).shuffle(texts)
    numbered = zip(count(), islice(cycle(invoices), messages), strict=False)
    return Rules(texts, [(f"m{n}", _ID.sub(rf"\g<1>{n}-", xml)) for n, xml in numbered], len(rules))


def _rules(folder: Path) -> Iterator[str]:
    """Each test of a file, put on the context that is written before it."""
    for name in RULES:
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            context = ""
            for kind, _, _, _, _, _, source, text in (line.rstrip("\n").split("\t") for line in lines):
                if "UBL-validation" in source:
                    context = text if kind == "context" else context
                    if kind == "test" and "$" not in context + text and "xs:" not in context + text:
                        yield f"({_anywhere(context)})[not({text})]".replace("exists(", "boolean(")


def _anywhere(pattern: str) -> str:
    """Return a pattern as a path: where it does not start at the document it may stand anywhere."""
    if "[" in pattern:
        return pattern if pattern.startswith("/") else f"//{pattern}"
    return " | ".join(each if each.startswith("/") else f"//{each}" for each in pattern.split(" | "))


def _evaluates(text: str, tree: etree._ElementTree) -> bool:
    try:
        etree.XPath(f"boolean({text})", namespaces=NAMESPACES)(tree)
    except etree.XPathError:
        return False
    return True


def _variants(rules: list[str]) -> Iterator[str]:
    """Yield the rules, then the same with other constants."""
    yield from rules
    seen = set(rules)
    for number in count(1):
        for rule in rules:
            changed = _CONSTANT.sub(lambda found, number=number: _changed(found, number), rule)  # type: ignore[misc]
            if changed not in seen:
                seen.add(changed)
                yield changed


def _changed(found: re.Match[str], number: int) -> str:
    """Return another constant; an empty string stays."""
    if found[1] is None:
        return str(int(found[2]) + number)
    return f"'{found[1]}{number}'" if found[1] else found[0]


def _invoices(path: Path) -> Iterator[str]:
    with tarfile.open(path) as archive:
        for member in archive:
            if member.name.endswith("_ubl.xml") and (file := archive.extractfile(member)) is not None:
                text = file.read().decode("utf-8-sig")
                if "<ubl:Invoice" in text:
                    yield text
