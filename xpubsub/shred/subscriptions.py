"""Subscriptions → rows: each text is parsed and becomes the rows of its queries, or the reason for its refusal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

import pyarrow as pa

from xpubsub.collector import collector_paused
from xpubsub.errors import Error, LocatedError
from xpubsub.language.block_tree import block_tree
from xpubsub.language.branches import Query, queries
from xpubsub.language.flwr import parse_flwr
from xpubsub.language.normal import Normalizer
from xpubsub.language.xpath import parse_xpath
from xpubsub.language.xscl import parse_xscl
from xpubsub.language.xscl_detect import is_xscl
from xpubsub.limits import Limits
from xpubsub.shred.compiled import CompiledRows
from xpubsub.shred.correlations import CorrelationRows, correlation_rows
from xpubsub.shred.templates import Constants, Shape, Shapes, Template, UnsafeShape, marked, template_of
from xpubsub.shred.transformations import TransformationRows, transformation_rows

Row = tuple[int, str | None, str | None, int]
"""(row number, id, text, number of the compiler)."""
_REMEMBERED = 20_000
"""Shapes, and texts of correlations, that are remembered at a time."""
_TRANSFORMATION = re.compile(r"""\s*(?:
    < | \(: | \(*\s*(?:for|let|some|every)\s*\$ | xquery\s+(?:version|encoding)\b
  | import\s+(?:module|schema)\b | module\s+namespace\b | for\s+(?:tumbling|sliding)\s+window\b
  | declare\s+(?:default|namespace|variable|function|option|boundary-space|base-uri|construction|ordering
                |copy-namespaces|context|decimal-format|%)\s*(?!\s|[=<>!)\]|,+*-]|and\b|or\b|div\b|mod\b|$)
)""", re.VERBOSE)
"""How a transformation starts: in a way that no XPath does."""

@dataclass(frozen=True)
class Compiler:
    """Compiles subscriptions that share namespaces, a dialect and limits."""

    namespaces: Mapping[str, str] = field(default_factory=dict)
    dialect: str = "xpath"
    limits: Limits = field(default_factory=Limits)

    def check(self, text: str) -> None:
        """Raise what is wrong with a subscription."""
        if is_xscl(text):
            self.correlation(text)
        elif _TRANSFORMATION.match(text):
            self.transformation(text)
        else:
            self.queries(text)

    def transformation(self, text: str) -> TransformationRows:
        """The rows of a transformation."""
        return transformation_rows(block_tree(parse_flwr(text, self.namespaces, self.limits), text, self.limits))

    def correlation(self, text: str) -> CorrelationRows:
        """The rows of a correlation."""
        return correlation_rows(parse_xscl(text, self.namespaces, self.limits), text, self.limits)

    def queries(self, text: str) -> list[Query]:
        """The queries of a filter."""
        tree = parse_xpath(text, self.namespaces, self.dialect, self.limits)
        return queries(Normalizer(text, self.limits).boolean(tree), text, self.limits)


class CompilerRun:
    """Compiles rows one after the other; remembers shapes and the linear paths already handed out.

    The rows of each compiler come together, in the order of their numbers.
    """

    def __init__(self, compilers: Sequence[Compiler]) -> None:
        self._compilers = compilers
        self._rows = CompiledRows()
        self._shapes = Shapes()
        self._start(0)

    def _start(self, number: int) -> None:
        """Compile with this compiler from now on: nothing that others have made of texts holds any more."""
        self._number, self._compiler = number, self._compilers[number]
        self._templates: dict[Shape, Template | None] = {}
        self._correlation = lru_cache(_REMEMBERED)(self._compiler.correlation)
        self._rows.forget_correlations()

    def tables(self, rows: Iterable[Row]) -> list[tuple[str, pa.Table]]:
        """The rows of some subscriptions, by kind; refusals are among them."""
        with collector_paused():
            for number, alike in groupby(rows, itemgetter(3)):
                if number != self._number:
                    self._start(number)
                for row_no, subscription_id, text, _ in alike:
                    self._add(row_no, subscription_id, text)
            return self._rows.take()

    def _add(self, row_no: int, subscription_id: str | None, text: str | None) -> None:
        """One subscription; one that is refused has a code and a reason instead of queries."""
        try:
            if not subscription_id:
                raise Error("the id is empty")
            if text is None:
                raise Error("the text is missing")
            known = self._known(text)
            if known is not None:
                self._rows.add(row_no, *known)
            elif is_xscl(text):
                self._rows.add_correlation(row_no, self._correlation(text))
            elif _TRANSFORMATION.match(text):
                self._rows.add_transformation(row_no, self._compiler.transformation(text))
            else:
                self._rows.add(row_no, *self._template(text))
        except LocatedError as error:
            place = (error.line, error.column, error.caret() if error.text else None)
            self._rows.refuse(row_no, subscription_id, _code(error), error.reason, place)
        except Error as error:
            self._rows.refuse(row_no, subscription_id, "bad-row", str(error))

    def _known(self, text: str) -> tuple[Template, Constants] | None:
        """The template of a filter's shape, if it has been learned: such a text needs no further look."""
        if len(text) > self._compiler.limits.max_expression:
            return None
        shape, constants = self._shapes.take_out(text)
        known = self._templates.get(shape)
        return None if known is None or "" in constants else (known, constants)

    def _template(self, text: str) -> tuple[Template, Constants]:
        """The template of a filter's shape if it has one, else the text's own."""
        if len(text) <= self._compiler.limits.max_expression:
            self._learn(*self._shapes.take_out(text), text)
        return self._known(text) or (template_of(self._compiler.queries(text)), ())

    def _learn(self, shape: Shape, constants: Constants, text: str) -> None:
        if shape not in self._templates:
            if len(self._templates) > _REMEMBERED:
                self._templates.clear()
            self._templates[shape] = self._general(text, constants)

    def _general(self, text: str, constants: Constants) -> Template | None:
        """A template for all texts of a shape, if there is one."""
        try:
            with_marks = marked(text, constants)
            return with_marks and template_of(self._compiler.queries(with_marks[0]), with_marks[1])
        except (LocatedError, UnsafeShape):
            return None


def _code(error: LocatedError) -> str:
    return f"{type(error).__name__}:{error.code}"
