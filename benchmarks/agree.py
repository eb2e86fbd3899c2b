"""Check on real documents that xpubsub and lxml agree: subscriptions derived from the documents, all pairs compared.

    python benchmarks/agree.py --data DIR --sets maven-poms,newsml-g2 --subscriptions 2000 --seed 1

DIR holds one NAME.tar.gz per set. Exits 1 on any disagreement, about a pair or about a document's being well-formed.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree
from rich.console import Console
from rich.table import Table

import xpubsub
from xpubsub.compile.subscriptions import Compiler

SETS = "maven-poms,newsml-g2,ubl-xrechnung,iso20022-camt"
BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
SHOWN = 8
"""Disagreements listed per set."""
BY_DESIGN = frozenset({"entities-forbidden", "external-forbidden", "dtd-forbidden"})
"""Documents that lxml reads and xpubsub refuses on purpose."""
_EXPONENT = re.compile(r"\s*-?[\d.]+[eE]")
_ANY_NAMESPACE = re.compile(r"\*:([\w.\-]+)")
_NUMBER = re.compile(r"\s*-?\d{1,12}(\.\d{1,6})?\s*")
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)


@dataclass
class Documents:
    """The documents of a set: all as bytes, those that lxml reads as trees, and what is known of their names."""

    given: list[tuple[str, bytes]]
    trees: dict[str, etree._ElementTree] = field(default_factory=dict)
    prefixes: dict[str, str] = field(default_factory=dict)
    """URI → prefix."""
    exponents: set[str] = field(default_factory=set)
    """Local names with a value such as 5e1, which libxml2, unlike XPath 1.0, reads as a number."""
    elements: list[etree._Element] = field(default_factory=list)
    by_tag: dict[str, list[etree._Element]] = field(default_factory=dict)

    def read(self) -> None:
        """Parse everything and note the namespaces and values in it."""
        for name, data in self.given:
            try:
                self.trees[name] = etree.fromstring(data, _PARSER).getroottree()
            except etree.XMLSyntaxError:
                continue
            for element in self.trees[name].iter(etree.Element):
                self._note(element)

    def _note(self, element: etree._Element) -> None:
        self.elements.append(element)
        self.by_tag.setdefault(str(element.tag), []).append(element)
        for name, value in [(element.tag, element.text or ""), *element.attrib.items()]:
            qualified = etree.QName(name)
            if qualified.namespace:
                self.prefixes.setdefault(qualified.namespace, f"n{len(self.prefixes)}")
            if _EXPONENT.match(value):
                self.exponents.update(etree.QName(each).localname for each in (name, element.tag))
                self.exponents.update(etree.QName(each).localname for each in element.iterancestors())


class Deriver:
    """Makes subscriptions out of documents: paths that occur, conditions with values that occur."""

    def __init__(self, documents: Documents, seed: int) -> None:
        self._documents = documents
        self._random = random.Random(seed)

    def accepted(self, count: int) -> dict[str, str]:
        """Expressions by id; those that are refused as unsupported or too large are drawn again."""
        compiler = Compiler({prefix: uri for uri, prefix in self._documents.prefixes.items()})
        accepted: dict[str, str] = {}
        while len(accepted) < count:
            expression = self.expression()
            try:
                compiler.queries(expression)
                accepted[f"s{len(accepted)}"] = expression
            except (xpubsub.UnsupportedError, xpubsub.LimitError):
                continue
        return accepted

    def expression(self) -> str:
        """One expression: a path with predicates, compared or not, alone or combined."""
        one = self._whole()
        chance = self._random.random()
        if chance < 0.08:
            return f"{one} and {self._whole()}"
        if chance < 0.16:
            return f"{one} or {self._whole()}"
        return f"not({one})" if chance < 0.20 else one

    def _whole(self) -> str:
        element = self._random.choice(self._documents.elements)
        path, exact = self._absolute(element)
        return self._ended(path, exact, element, self._random.random() < 0.5)

    def _absolute(self, element: etree._Element) -> tuple[str, bool]:
        """A path from the root to an element, and whether its last step names the element."""
        line = [*reversed([*element.iterancestors()]), element]
        guarded = set(self._random.sample(range(len(line)), min(self._random.choice((0, 1, 1, 2)), len(line))))
        path, skipping, exact = "", False, True
        for index, each in enumerate(line):
            last = index == len(line) - 1
            if not last and index not in guarded and self._random.random() < 0.25:
                skipping = True
                continue
            test, exact = self._test(each)
            path += ("//" if skipping or self._random.random() < 0.1 else "/") + test
            path += self._predicates(each, exact, 2) if index in guarded else ""
            skipping = False
        return path, exact

    def _test(self, element: etree._Element) -> tuple[str, bool]:
        chance = self._random.random()
        local = etree.QName(element).localname
        if chance < 0.08:
            return "*", False
        if chance < 0.12:
            return f"*:{local}", True
        if chance < 0.15 and etree.QName(element).namespace:
            return f"{self._documents.prefixes[str(etree.QName(element).namespace)]}:*", False
        return self._name(str(element.tag)), True

    def _name(self, name: str) -> str:
        qualified = etree.QName(name)
        prefix = self._documents.prefixes.get(qualified.namespace or "")
        if qualified.namespace == "http://www.w3.org/XML/1998/namespace":
            prefix = "xml"
        return f"{prefix}:{qualified.localname}" if prefix else qualified.localname

    def _predicates(self, element: etree._Element, exact: bool, depth: int) -> str:
        count = self._random.choice((1, 1, 1, 2, 2, 3, 4))
        return "".join(f"[{self._condition(element, exact, depth)}]" for _ in range(count))

    def _condition(self, element: etree._Element, exact: bool, depth: int) -> str:
        chance = self._random.random()
        if depth and chance < 0.12:
            return f"not({self._condition(element, exact, depth - 1)})"
        if depth and chance < 0.24:
            word = self._random.choice(("or", "or", "and"))
            return f"{self._condition(element, exact, depth - 1)} {word} {self._condition(element, exact, depth - 1)}"
        if chance < 0.27:
            other = self._random.choice(self._documents.elements)
            return self._ended(self._absolute(other)[0] if depth else "//" + self._name(str(other.tag)), False, other)
        same = self._documents.by_tag[str(element.tag)]
        if self._random.random() < 0.4:
            element = self._random.choice(same)
        return self._relative(element, exact, depth)

    def _relative(self, element: etree._Element, exact: bool, depth: int) -> str:
        """A condition on an element: on itself, on one below it, on an attribute or text."""
        below = [each for each in element.iterchildren(etree.Element)]
        if not below or self._random.random() < 0.2:
            return self._ended(".", exact, element)
        child = self._random.choice(below)
        path, exact = self._test(child)
        while self._random.random() < 0.4 and len(child):
            deeper = self._random.choice([*child.iterdescendants(etree.Element)] or [child])
            if deeper is child:
                break
            step = "/" if deeper.getparent() is child else "//"
            child = deeper
            test, exact = self._test(child)
            path += step + test
        path = ".//" + path if self._random.random() < 0.15 else path
        if depth and self._random.random() < 0.25:
            path += self._predicates(child, exact, depth - 1)
        return self._ended(path, exact, child)

    def _ended(self, path: str, exact: bool, element: etree._Element, bare: bool = False) -> str:
        """A path to an element, gone on to an attribute or text perhaps, and tested perhaps."""
        chance, attributes = self._random.random(), list(element.attrib.items())
        value, name = "".join(element.itertext(etree.Element, with_tail=True)), etree.QName(element).localname
        if attributes and chance < 0.35:
            attribute, value = self._random.choice(attributes)
            name = etree.QName(attribute).localname
            everything = self._random.random() < 0.15
            exact = not everything
            path += "/@*" if everything else "/@" + self._name(attribute)
        elif chance < 0.55 and (element.text or "").strip():
            path, value = path + "/text()", element.text or ""
        path = path.removeprefix("./") if not path.startswith(".//") else path
        return path if bare else self._tested(path, value, exact and name not in self._documents.exponents)

    def _tested(self, path: str, value: str, numeric: bool) -> str:
        numeric = numeric or not self._documents.exponents
        if numeric and _NUMBER.fullmatch(value) and self._random.random() < 0.7:
            return self._compared(path, self._number(value))
        chance, value = self._random.random(), value if self._random.random() < 0.5 else value.strip()
        if chance < 0.2 or len(value) > 300 or ("'" in value and '"' in value) or "*:" in value:
            return path
        if chance < 0.45:
            start = self._random.randrange(len(value) + 1) if chance < 0.3 else 0
            piece = value[start : start + self._random.randint(1, 12)]
            return f"{'contains' if chance < 0.38 else 'starts-with'}({path}, {_quoted(piece)})"
        return self._either(path, "=" if chance < 0.85 else "!=", _quoted(value))

    def _compared(self, path: str, number: str) -> str:
        operator = self._random.choice(("=", "!=", "<", "<=", ">", ">="))
        constant = _quoted(number) if self._random.random() < 0.2 else number
        return self._either(path, operator, constant)

    def _either(self, path: str, operator: str, constant: str) -> str:
        sides = (constant, operator, path) if self._random.random() < 0.1 else (path, operator, constant)
        return " ".join(sides)

    def _number(self, value: str) -> str:
        shift = self._random.choice((0, 0, 0, 1, -1, 0.5))
        return f"{float(value) + shift:.6f}".rstrip("0").rstrip(".")


def _quoted(text: str) -> str:
    return f'"{text}"' if "'" in text else f"'{text}'"


@dataclass
class Outcome:
    """What came out for one set."""

    documents: int
    rejected: int
    subscriptions: int
    pairs: int
    matches: int
    disagreements: list[str]
    seconds: float
    lxml_seconds: float
    timings: dict[str, float]


def check(documents: Documents, count: int, seed: int, engine: str, plan: str) -> Outcome:
    """Derive subscriptions, match with both, compare."""
    documents.read()
    expressions = Deriver(documents, seed).accepted(count)
    result, seconds = _publish(documents, expressions, engine, plan)
    ours = {(row["message_id"], row["subscription_id"]) for row in result.notifications.to_pylist()}
    started = time.perf_counter()
    theirs = set(_judged(documents, expressions))
    lxml_seconds = time.perf_counter() - started
    rejected = {row["message_id"]: row["code"] for row in result.rejected.to_pylist()}
    different = [*_unlike_rejections(documents, rejected)]
    for message, subscription in sorted(ours ^ theirs):
        if message not in rejected and message in documents.trees:
            says = "xpubsub" if (message, subscription) in ours else "lxml"
            different.append(f"only {says} matches {message}: {expressions[subscription]}")
    pairs = len(documents.trees) * count
    return Outcome(len(documents.given), len(rejected), count, pairs, len(ours), different, seconds, lxml_seconds,
                   result.timings)


def _publish(
    documents: Documents, expressions: dict[str, str], engine: str, plan: str
) -> tuple[xpubsub.Result, float]:
    namespaces = {prefix: uri for uri, prefix in documents.prefixes.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = ":memory:" if engine == "duckdb" else f"{folder}/warehouse"
        with xpubsub.connect(path, engine) as broker:
            broker.subscribe_many(expressions.items(), namespaces=namespaces)
            started = time.perf_counter()
            result = broker.publish(documents.given, plan=plan)
            return result, time.perf_counter() - started


def _judged(documents: Documents, expressions: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The pairs that match by lxml; relative paths start at the document node."""
    namespaces = {prefix: uri for uri, prefix in documents.prefixes.items()}
    for subscription, expression in expressions.items():
        judge = judged_by_lxml(expression, namespaces)
        for message, tree in documents.trees.items():
            if judge(tree):
                yield message, subscription


def judged_by_lxml(expression: str, namespaces: dict[str, str]) -> Callable[[etree._ElementTree], bool]:
    """The judge of one expression."""
    translated = _ANY_NAMESPACE.sub(r"*[local-name()='\1']", expression)
    judge = etree.XPath(f"boolean(/self::node()[boolean({translated})])", namespaces=namespaces)
    return lambda tree: bool(judge(tree))


def _unlike_rejections(documents: Documents, rejected: dict[str, str]) -> Iterator[str]:
    for name, _ in documents.given:
        if name in rejected and name in documents.trees and rejected[name] not in BY_DESIGN:
            yield f"only lxml reads {name}: rejected as {rejected[name]}"
        if name not in rejected and name not in documents.trees:
            yield f"only xpubsub reads {name}"


def read_set(folder: Path, name: str) -> Documents:
    """The documents of one set, out of its archive."""
    with tempfile.TemporaryDirectory() as unpacked, tarfile.open(folder / f"{name}.tar.gz") as archive:
        archive.extractall(unpacked, filter="data")
        paths = sorted(Path(unpacked).rglob("*.xml"))
        return Documents([(str(path.relative_to(unpacked)), path.read_bytes()) for path in paths if path.is_file()])


def report(console: Console, outcomes: dict[str, Outcome]) -> None:
    """The table, and under it the first disagreements of each set."""
    table = Table("set", title="agreement with lxml")
    for heading in ("documents", "rejected", "subscriptions", "pairs", "matches", "disagreements", "s", "s lxml"):
        table.add_column(heading, justify="right")
    for name, each in outcomes.items():
        counts = (each.documents, each.rejected, each.subscriptions, each.pairs, each.matches, len(each.disagreements))
        table.add_row(name, *(f"{count:,}" for count in counts), f"{each.seconds:.1f}", f"{each.lxml_seconds:.1f}")
    console.print(table)
    for name, each in outcomes.items():
        for line in each.disagreements[:SHOWN]:
            console.print(f"{name}: {line}", markup=False, highlight=False, soft_wrap=True)


def _arguments(given: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=BESIDE if BESIDE.is_dir() else None, help="folder of the sets")
    parser.add_argument("--sets", default=SETS, help=f"names with commas (default: {SETS})")
    parser.add_argument("--engine", default="duckdb", choices=("duckdb", "spark"))
    parser.add_argument("--plan", default="auto")
    parser.add_argument("--subscriptions", type=int, default=1000, help="per set (default: 1000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timings", action="store_true", help="also print the seconds of each step")
    arguments = parser.parse_args(given)
    if arguments.data is None:
        parser.error("--data: which folder holds the sets (NAME.tar.gz)?")
    for name in arguments.sets.split(","):
        if not (arguments.data / f"{name}.tar.gz").is_file():
            parser.error(f"--sets: there is no {arguments.data / name}.tar.gz")
    return arguments


def main(given: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    arguments, console = _arguments(given), Console()
    outcomes: dict[str, Outcome] = {}
    for name in arguments.sets.split(","):
        documents = read_set(arguments.data, name)
        outcomes[name] = check(documents, arguments.subscriptions, arguments.seed, arguments.engine, arguments.plan)
        if arguments.timings:
            steps = sorted(outcomes[name].timings.items(), key=lambda step: -step[1])
            console.print(name, ", ".join(f"{step} {seconds:.2f}" for step, seconds in steps))
    report(console, outcomes)
    return 1 if any(each.disagreements for each in outcomes.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
