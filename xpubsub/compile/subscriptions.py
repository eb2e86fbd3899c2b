"""Compiles subscriptions: each text becomes the rows of its queries, or the reason why it is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

import pyarrow as pa

from xpubsub.collector import collector_paused
from xpubsub.compile.compiled_rows import CompiledRows
from xpubsub.compile.correlations import CorrelationRows, correlation_rows
from xpubsub.compile.queries import QueryWay, begins_with_document, query_way
from xpubsub.compile.row_types import CheckRow
from xpubsub.compile.shape_advice import Constants, ShapeAdvice, shape_advice
from xpubsub.compile.shapes import Shape, Shapes, ShapeTemplate, UnsafeShape, marked, shape_template
from xpubsub.compile.transformations import TransformationRows, transformation_rows
from xpubsub.errors import Error, LimitError, LocatedError, QuerySyntaxError, UnsupportedError
from xpubsub.ids import stable_id
from xpubsub.language.advice.subscriptions import Adviser
from xpubsub.language.flwr.syntax import Transformation
from xpubsub.language.flwr.weights import linear_weights
from xpubsub.language.reference import refuse_any_column
from xpubsub.language.xpath.branches import Query
from xpubsub.language.xpath.normal import FALSE, TRUE
from xpubsub.language.xpath1.variables import VariableValue
from xpubsub.language.xpath1.ways import EVERY_MESSAGE, FilterReader, FilterWay
from xpubsub.language.xquery.compiled import read_transformation
from xpubsub.language.xscl.detect import is_xscl
from xpubsub.language.xscl.parser import parse_xscl
from xpubsub.limits import Limits

NumberedText = tuple[int, str | None, str | None, int]
"""(row number, id, text, number of the compiler)."""
_REMEMBERED = 40_000
"""How many shapes, and how many texts of correlations, are remembered at a time."""
_TRANSFORMATION = re.compile(r"""\s*(?:
    < | \(: | \(*\s*(?:for|let|some|every)\s*\$ | xquery\s+(?:version|encoding)\b
  | import\s+(?:module|schema)\b | module\s+namespace\b | for\s+(?:tumbling|sliding)\s+window\b
  | declare\s+(?:default|namespace|variable|function|option|boundary-space|base-uri|construction|ordering
                |copy-namespaces|context|decimal-format|%)\s*(?!\s|[=<>!)\]|,+*-]|and\b|or\b|div\b|mod\b|$)
)""", re.VERBOSE)
"""Matches the start of a transformation; no XPath expression starts like this."""
_EVERY = ("every message: nothing that an index finds must be in a message that matches, so lxml reads each message;"
          " join it by and with a path that must exist, if there is one")
_EVERY_OUTPUT = ("every message: there is no outermost for that must bind something, so it is computed in each message;"
                 " begin it with for $x in /path, if there is such a path")
_NEVER, _ALWAYS = "can never match: its conditions are always false", "matches every message: it is always true"
_FOR = re.compile(r"""(?:"[^"]*"|'[^']*'|[^"'])*?\b(?:for|let)\s*\$""")
"""Matches a `for` or `let` outside a literal, as in `//a, for $b in //b return $b`."""


def is_transformation(text: str) -> bool:
    """Whether a text looks like a transformation; does not parse it."""
    return bool(_TRANSFORMATION.match(text) or ("$" in text and _FOR.match(text)))


@dataclass(frozen=True)
class Compiler:
    """Compiles subscriptions that share namespaces, a dialect, limits, variables and weights."""

    namespaces: Mapping[str, str] = field(default_factory=dict)
    dialect: str = "xpath"
    limits: Limits = field(default_factory=Limits)
    variables: Mapping[str, VariableValue] = field(default_factory=dict)
    strict: bool = False
    """Whether filters that are not indexed are refused."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """What the paths that a transformation returns are worth, as it writes them."""

    def check(self, text: str) -> None:
        """Raise an error if a subscription is wrong."""
        if is_xscl(text):
            self.correlation(text)
        elif self.is_transformation(text):
            self.answered(text)
        else:
            self.queries(text)

    def transformation(self, text: str) -> TransformationRows:
        """Return the rows of a transformation."""
        return self.advised_transformation(text)[0]

    def advised_transformation(self, text: str) -> tuple[TransformationRows, list[str]]:
        """The same, with warnings."""
        tree, read = read_transformation(text, self.namespaces, self.limits)
        rows = transformation_rows(tree)
        refuse_any_column((path.linear_path for path in rows.linear_paths), text)
        if isinstance(read, Transformation):
            linear_weights(read, self.weights, self.namespaces)
            return rows, self._adviser.transformation(read, text)
        self._refuse_weights("a transformation that computes something")
        return rows, [_EVERY_OUTPUT] if tree.always else []

    def is_transformation(self, text: str) -> bool:
        """Whether a text is a transformation; one that begins with `doc("…")` is, if Saxon can evaluate it."""
        return is_transformation(text) or (not self.strict and begins_with_document(text))

    def answered(self, text: str) -> tuple[TransformationRows, list[str]] | QueryWay:
        """Return the rows of a transformation, with warnings; or, if SQL cannot answer it, its way with Saxon."""
        try:
            return self.advised_transformation(text)
        except (UnsupportedError, QuerySyntaxError, LimitError) as error:
            if self.strict:
                raise
            self._refuse_weights("a query that Saxon evaluates")
            return query_way(text, self.namespaces, self.limits, error)

    def correlation(self, text: str) -> CorrelationRows:
        """Return the rows of a correlation."""
        return self.advised_correlation(text)[0]

    def advised_correlation(self, text: str) -> tuple[CorrelationRows, list[str]]:
        """The same, with warnings."""
        self._refuse_weights("a correlation")
        tree = parse_xscl(text, self.namespaces, self.limits)
        return correlation_rows(tree, text, self.limits), self._adviser.correlation(tree, text)

    def _refuse_weights(self, kind: str) -> None:
        if self.weights:
            raise Error(f"{kind} has no weights: they are for the paths that a transformation returns")

    def queries(self, text: str) -> list[Query]:
        """Return the queries of a filter."""
        return self.way(text).queries

    def way(self, text: str) -> FilterWay:
        """Return a filter, and the way it goes."""
        self._refuse_weights("a filter")
        way = self._reader.way(text, strict=self.strict)
        refuse_any_column((branch.linear_path for query in way.queries for branch in query.branches), text)
        return way

    def advice(self, text: str) -> list[str]:
        """Return the warnings about a filter."""
        return self._advised(self.way(text), text)

    def _advised(self, way: FilterWay, text: str) -> list[str]:
        """Return the warnings about a filter; those on contradictions are for what the subscriber wrote."""
        if way.written:
            return self._adviser.filter(way.core, text, way.normal)
        if way.name == EVERY_MESSAGE:
            return [_EVERY]
        verdict = {FALSE: [_NEVER], TRUE: [_ALWAYS]}.get(way.normal, [])
        return verdict if way.check is not None else [*verdict, *self._adviser.names(way.core)]

    def advised_template(self, text: str, marks: Constants) -> ShapeTemplate:
        """Return the template of a shape, with its warnings, given a text with marks for its constants."""
        way = self.way(text)
        if way.check is not None:
            raise UnsafeShape("constants decide what is necessary")
        template = shape_template(way.queries, marks)
        if not way.written:
            names = tuple(self._adviser.names(way.core))
            return replace(template, advice=ShapeAdvice(names)) if names else template
        return replace(template, advice=shape_advice(self._adviser, way.core, way.normal, text, marks))

    def own_template(self, text: str) -> ShapeTemplate:
        """Return the template of one text alone, with the warnings about it."""
        way = self.way(text)
        template = shape_template(way.queries)
        warnings = self._advised(way, text)
        advice = ShapeAdvice(tuple(warnings)) if warnings else None
        return replace(template, advice=advice, check=_check_row(way))

    @property
    def _reader(self) -> FilterReader:
        return FilterReader(self.namespaces, self.dialect, self.limits, self.variables)

    @property
    def _adviser(self) -> Adviser:
        return Adviser(self.namespaces, self.limits)


def _check_row(way: FilterWay) -> CheckRow | None:
    if way.check is None:
        return None
    expression, namespaces = way.check.expression, json.dumps(way.check.namespaces, sort_keys=True)
    return CheckRow(stable_id("check", expression, namespaces), expression, namespaces, way.name)


class CompilerRun:
    """Compiles rows one after the other; remembers shapes and the linear paths already returned.

    The rows of each compiler must come together, in the order of their numbers.
    """

    def __init__(self, compilers: Sequence[Compiler]) -> None:
        self._compilers = compilers
        self._rows = CompiledRows()
        self._shapes = Shapes()
        self._start(0)

    def _start(self, number: int) -> None:
        """Switch to another compiler, and drop what the previous one has remembered."""
        self._number, self._compiler = number, self._compilers[number]
        self._templates: dict[Shape, ShapeTemplate | None] = {}
        self._once: set[Shape] = set()
        self._correlation = lru_cache(_REMEMBERED)(self._compiler.advised_correlation)
        self._rows.forget_correlations()
        self._rows.warn_anew()

    def tables(self, rows: Iterable[NumberedText]) -> list[tuple[str, pa.Table]]:
        """Return the rows of some subscriptions by kind, including refusals."""
        with collector_paused():
            for number, alike in groupby(rows, itemgetter(3)):
                if number != self._number:
                    self._start(number)
                for row_no, subscription_id, text, _ in alike:
                    self._add(row_no, subscription_id, text)
            return self._rows.take()

    def _add(self, row_no: int, subscription_id: str | None, text: str | None) -> None:
        """Add one subscription; a refused one has a code and a reason instead of queries."""
        try:
            if not subscription_id:
                raise Error("the id is empty")
            if text is None:
                raise Error("the text is missing")
            warnings = self._compile(row_no, text)
            if warnings:
                self._rows.warn(row_no, subscription_id, warnings)
        except LocatedError as error:
            place = (error.line, error.column, error.caret() if error.text else None)
            self._rows.refuse(row_no, subscription_id, _code(error), error.reason, place)
        except Error as error:
            self._rows.refuse(row_no, subscription_id, "bad-row", str(error))

    def _compile(self, row_no: int, text: str) -> Sequence[str]:
        """Add the rows of one subscription; returns the warnings about it."""
        known = self._known(text)
        if known is None and is_xscl(text):
            correlation, warnings = self._correlation(text)
            self._rows.add_correlation(row_no, correlation)
            return warnings
        if known is None and self._compiler.is_transformation(text):
            answered = self._compiler.answered(text)
            if isinstance(answered, QueryWay):
                self._rows.add(row_no, answered.template, ())
                return answered.warnings
            self._rows.add_transformation(row_no, answered[0])
            return answered[1]
        template, constants = known or self._template(text)
        self._rows.add(row_no, template, constants)
        if template.advice is None:
            return ()
        return template.advice.names if not template.advice.depends(constants) else self._compiler.advice(text)

    def _known(self, text: str) -> tuple[ShapeTemplate, Constants] | None:
        """Return the template of a filter's shape, if it is known, and the text's constants."""
        if len(text) > self._compiler.limits.max_expression:
            return None
        shape, constants = self._shapes.take_out(text)
        known = self._templates.get(shape)
        return None if known is None or "" in constants else (known, constants)

    def _template(self, text: str) -> tuple[ShapeTemplate, Constants]:
        """Return the template of a filter's shape, or of the text alone, and the constants."""
        if len(text) <= self._compiler.limits.max_expression:
            shape, constants = self._shapes.take_out(text)
            if not constants or self._came_before(shape):
                self._learn(shape, constants, self._shapes.in_order(text))
        return self._known(text) or (self._compiler.own_template(text), ())

    def _came_before(self, shape: Shape) -> bool:
        """Whether a text of this shape came before: a shape that comes once is not worth a template."""
        before = shape in self._once
        if len(self._once) > 10 * _REMEMBERED:
            self._once.clear()
        self._once.add(shape)
        return before

    def _learn(self, shape: Shape, constants: Constants, text: str) -> None:
        if shape not in self._templates:
            if len(self._templates) > _REMEMBERED:
                self._templates.clear()
            self._templates[shape] = self._general(text, constants)

    def _general(self, text: str, constants: Constants) -> ShapeTemplate | None:
        """Return a template for all texts of a shape, or None if there cannot be one."""
        try:
            with_marks = marked(text, constants)
            return with_marks and self._compiler.advised_template(*with_marks)
        except (LocatedError, UnsafeShape):
            return None


def _code(error: LocatedError) -> str:
    return f"{type(error).__name__}:{error.code}"
