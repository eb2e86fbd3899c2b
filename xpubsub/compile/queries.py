"""Compiles queries that SQL does not answer: Saxon evaluates them, in messages that meet a necessary condition."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from xpubsub.compile.row_types import CheckRow
from xpubsub.compile.shapes import ShapeTemplate, shape_template
from xpubsub.errors import LimitError, LocatedError, QuerySyntaxError, UnsupportedError
from xpubsub.ids import stable_id
from xpubsub.language.xpath.linear import REFERENCE_NAMESPACE
from xpubsub.language.xpath.normal import TRUE
from xpubsub.language.xpath1.ways import CHECKED, EVERY_MESSAGE, FilterReader, FilterWay
from xpubsub.language.xquery.condition import necessary_text
from xpubsub.language.xquery.evaluation import Evaluation, evaluation
from xpubsub.language.xquery.module import Module, read_module
from xpubsub.limits import Limits
from xpubsub.match.saxon import EXTRA, installed, static_error

_EVERY = ("every message: nothing that an index finds must be in a message that matches, so Saxon evaluates the query"
          " in each; begin it with `for $x in /path`, if there is such a path")


_REFERRING = re.compile(rf"\bref:|{re.escape(REFERENCE_NAMESPACE)}")
"""Matches what names a column of reference data, which Saxon does not see."""
_DOCUMENT = re.compile(r"\s*(?:doc|document|stream)\s*\(")


def begins_with_document(text: str) -> bool:
    """Whether a text begins with `doc("…")`, which no filter may, and Saxon can evaluate it."""
    return bool(_DOCUMENT.match(text)) and installed()


@dataclass(frozen=True)
class QueryWay:
    """A query, and the way it goes."""

    condition: FilterWay
    """The necessary condition."""
    text: str
    """What Saxon gets."""

    @property
    def name(self) -> str:
        """The name of the way."""
        return EVERY_MESSAGE if self.condition.normal == TRUE else CHECKED

    @property
    def template(self) -> ShapeTemplate:
        """The rows of the necessary condition, and what Saxon has to decide."""
        namespaces = json.dumps({})
        check = CheckRow(stable_id("check", self.text, namespaces), self.text, namespaces, self.name)
        return replace(shape_template(self.condition.queries), check=check)

    @property
    def warnings(self) -> list[str]:
        """What the subscriber should know."""
        return [_EVERY] if self.name == EVERY_MESSAGE else []


def query_way(text: str, namespaces: Mapping[str, str], limits: Limits, refused: LocatedError) -> QueryWay:
    """Return the way of a query that is refused otherwise; raises an error if Saxon cannot evaluate it either."""
    if _REFERRING.search(text) or REFERENCE_NAMESPACE in namespaces.values():
        raise refused
    if not installed():
        if isinstance(refused, UnsupportedError):
            reason = f"{refused.reason}; Saxon can evaluate it: {EXTRA}"
            raise UnsupportedError(reason, code=refused.code, text=refused.text, offset=refused.offset) from None
        raise refused
    if len(text) > limits.max_expression or "" in namespaces:
        raise refused
    try:
        module = read_module(text)
    except QuerySyntaxError:
        raise refused from None
    made = evaluation(module, namespaces)
    _check(made, text, limits, refused)
    return QueryWay(_condition(module, namespaces, limits), made.text)


def _check(made: Evaluation, text: str, limits: Limits, refused: LocatedError) -> None:
    """Raise the error that Saxon finds, or the one before if it is no less to the point."""
    found = static_error(made.text, limits)
    if found is None:
        return
    code, reason, line, column = found
    if isinstance(refused, QuerySyntaxError):
        raise refused
    raise QuerySyntaxError(reason, code=code, text=text, offset=min(made.offset(line, column), len(text))) from None


def _condition(module: Module, namespaces: Mapping[str, str], limits: Limits) -> FilterWay:
    """Return the necessary condition as a filter; one that is always true if none is known."""
    reader = FilterReader({**namespaces, **module.namespaces}, "xpath", limits, {})
    condition = necessary_text(module)
    if condition is not None:
        try:
            return reader.way(condition)
        except (QuerySyntaxError, UnsupportedError, LimitError):
            pass
    return reader.way("true()")
