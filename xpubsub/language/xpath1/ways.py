"""Decides which way an expression goes: SQL decides it, lxml decides it on candidates, or on every message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xpubsub.errors import LimitError, QuerySyntaxError, UnsupportedError
from xpubsub.language.reference import computes_reference
from xpubsub.language.xpath.branches import Query, queries
from xpubsub.language.xpath.normal import TRUE, Disjunction, Normalizer
from xpubsub.language.xpath.parser import parse_xpath
from xpubsub.language.xpath.syntax import And, Expr, Number
from xpubsub.language.xpath1.exact import exact_filter
from xpubsub.language.xpath1.inexact import Inexact
from xpubsub.language.xpath1.libxml import compiled_xpath, truth_text
from xpubsub.language.xpath1.necessary import necessary_filter
from xpubsub.language.xpath1.parser import parse_tree
from xpubsub.language.xpath1.tree import XPathTree
from xpubsub.language.xpath1.variables import VariableValue
from xpubsub.limits import Limits

INDEXED, CHECKED, EVERY_MESSAGE = WAYS = ("indexed", "checked", "every message")


@dataclass(frozen=True)
class LxmlCheck:
    """What lxml decides about candidates."""

    expression: str
    namespaces: Mapping[str, str]


@dataclass(frozen=True)
class FilterWay:
    """A filter, and the way it goes."""

    core: Expr
    """What SQL decides: the filter itself, or a necessary condition."""
    normal: Disjunction
    queries: list[Query]
    written: bool
    """Whether the subscriber wrote it in the core language."""
    check: LxmlCheck | None = None

    @property
    def name(self) -> str:
        """The name of the way."""
        return INDEXED if self.check is None else EVERY_MESSAGE if self.normal == TRUE else CHECKED


def _computes(way: FilterWay) -> bool:
    return computes_reference(branch.linear_path for query in way.queries for branch in query.branches)


@dataclass(frozen=True)
class FilterReader:
    """Reads filters that share namespaces, a dialect, limits and variables."""

    namespaces: Mapping[str, str]
    dialect: str
    limits: Limits
    variables: Mapping[str, VariableValue]

    def way(self, text: str, *, strict: bool = False) -> FilterWay:
        """Return a filter and its way; with `strict`, what is not indexed is refused."""
        try:
            return self._core(text)
        except (UnsupportedError, LimitError, QuerySyntaxError) as error:
            refused = error
        try:
            tree = parse_tree(text, self.namespaces, self.dialect, self.limits, self.variables)
        except QuerySyntaxError as error:
            if isinstance(refused, QuerySyntaxError) and refused.offset > error.offset:
                raise refused from None
            raise
        try:
            made = self._made(exact_filter(tree), text)
            if _computes(made):
                raise Inexact
            return made
        except (Inexact, UnsupportedError, LimitError):
            if strict:
                raise refused from None
            return self._checked(tree, text)

    def checked(self, text: str) -> FilterWay:
        """Return a filter that lxml decides, whether or not SQL could."""
        return self._checked(parse_tree(text, self.namespaces, self.dialect, self.limits, self.variables), text)

    def _core(self, text: str) -> FilterWay:
        core = parse_xpath(text, self.namespaces, self.dialect, self.limits)
        normal = Normalizer(text, self.limits).boolean(core)
        return FilterWay(core, normal, queries(normal, text, self.limits), True)

    def _made(self, core: Expr, text: str) -> FilterWay:
        normal = Normalizer(text, self.limits).boolean(core)
        return FilterWay(core, normal, queries(normal, text, self.limits), False)

    def _checked(self, tree: XPathTree, text: str) -> FilterWay:
        check = LxmlCheck(*truth_text(tree))
        compiled_xpath(check.expression, check.namespaces)
        way = self._within_limits(necessary_filter(tree), text)
        return FilterWay(way.core, way.normal, way.queries, False, check)

    def _within_limits(self, core: Expr | None, text: str) -> FilterWay:
        """Return as much of a necessary condition as the limits allow."""
        parts = core.parts if isinstance(core, And) else () if core is None else (core,)
        way = self._made(Number(1.0), text)
        kept: tuple[Expr, ...] = ()
        for part in parts if core is not None else ():
            try:
                made = self._made(And((*kept, part)), text)
                if not _computes(made):
                    way, kept = made, (*kept, part)
            except (LimitError, UnsupportedError):
                continue
        return way
