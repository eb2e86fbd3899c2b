"""Writes expressions for lxml, which evaluates them: names have prefixes of our own, variables are gone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lxml import etree

from xpubsub.errors import LimitError
from xpubsub.language.xpath1.tree import (
    AnyTest,
    AxisStep,
    Calling,
    Chars,
    Filtered,
    Location,
    Negative,
    Numeral,
    Operation,
    Root,
    XPathTree,
)

_LEVELS = (("or",), ("and",), ("=", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*", "div", "mod"), ("|",))
_LEVEL = {op: level for level, ops in enumerate(_LEVELS) for op in ops}


@dataclass
class LxmlText:
    """Writes one expression; collects the namespaces that it uses."""

    namespaces: dict[str, str] = field(default_factory=dict)
    """By prefix."""

    def write(self, tree: XPathTree) -> str:
        """Write an expression."""
        match tree:
            case Root():
                return "/self::node()"
            case Location(start, steps):
                return self._location(start, steps)
            case Filtered(base, predicates):
                return f"({self.write(base)}){self._predicates(predicates)}"
            case Operation(op, parts):
                return self._operation(op, parts)
            case Negative(part):
                return f"-({self.write(part)})"
            case Calling(name, arguments):
                return f"{name}({', '.join(map(self.write, arguments))})"
            case Chars(value):
                return quoted_text(value)
            case Numeral(written):
                return written

    def _operation(self, op: str, parts: tuple[XPathTree, ...]) -> str:
        first, *others = parts
        beside = isinstance(first, Operation) and _LEVEL[first.op] == _LEVEL[op] and op not in ("and", "or", "|")
        written = [self.write(first) if beside else self._operand(first), *map(self._operand, others)]
        return f" {op} ".join(written)

    def _operand(self, tree: XPathTree) -> str:
        return f"({self.write(tree)})" if isinstance(tree, Operation) else self.write(tree)

    def _location(self, start: XPathTree | None, steps: tuple[AxisStep, ...]) -> str:
        written = "/".join(map(self._step, steps))
        if start is None:
            return written or "."
        if isinstance(start, Root):
            return f"/{written or 'self::node()'}"
        return f"({self.write(start)})/{written or 'self::node()'}"

    def _step(self, step: AxisStep) -> str:
        return f"{step.axis}::{self._test(step.test)}{self._predicates(step.predicates)}"

    def _predicates(self, predicates: tuple[XPathTree, ...]) -> str:
        return "".join(f"[{self.write(each)}]" for each in predicates)

    def _test(self, test: AnyTest) -> str:
        if test.kind != "name":
            return f"{test.kind}({'' if test.local is None else quoted_text(test.local)})"
        if test.uri is None:
            return "*" if test.local is None else f"*[local-name() = {quoted_text(test.local)}]"
        local = "*" if test.local is None else test.local
        return f"{self._prefix(test.uri)}:{local}" if test.uri else local

    def _prefix(self, uri: str) -> str:
        known = {each: prefix for prefix, each in self.namespaces.items()}
        if uri not in known:
            known[uri] = f"n{len(known)}"
            self.namespaces[known[uri]] = uri
        return known[uri]


def quoted_text(value: str) -> str:
    """Write a string; one with both kinds of quotes is put together."""
    if "'" not in value:
        return f"'{value}'"
    if '"' not in value:
        return f'"{value}"'
    pieces = ", \"'\", ".join(f"'{piece}'" for piece in value.split("'"))
    return f"concat({pieces})"


def truth_text(tree: XPathTree) -> tuple[str, dict[str, str]]:
    """Return the truth of an expression at the document node, for lxml, and its namespaces by prefix."""
    writer = LxmlText()
    return f"boolean(/self::node()[boolean({writer.write(tree)})])", writer.namespaces


def compiled_xpath(expression: str, namespaces: Mapping[str, str]) -> etree.XPath:
    """Compile an expression; raises `LimitError` if it is too large for lxml."""
    try:
        return etree.XPath(expression, namespaces=dict(namespaces), smart_strings=False)
    except etree.XPathError as error:
        raise LimitError(f"lxml cannot compile the expression: {error}", code="limit-lxml", text="") from None


_TINY = etree.ElementTree(etree.Element("a"))


def evaluated(tree: XPathTree) -> str | float | bool:
    """Return the value of an expression that does not depend on a message."""
    value = compiled_xpath(LxmlText().write(tree), {})(_TINY)
    assert isinstance(value, str | float | bool)
    return value


