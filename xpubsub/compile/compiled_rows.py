"""Collects the rows of compiled subscriptions, by table."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from xpubsub.compile.correlations import CorrelationRows
from xpubsub.compile.query_columns import QueryColumns
from xpubsub.compile.row_types import COLUMNS, BranchpointRow, PartRow, RefusalRow
from xpubsub.compile.shape_advice import Constants
from xpubsub.compile.shapes import QueryTemplate, ShapeTemplate
from xpubsub.compile.transformations import TransformationRows
from xpubsub.ids import stable_id
from xpubsub.rows import (
    COMPILED_BRANCH,
    COMPILED_BRANCHPOINT,
    COMPILED_BRINFO,
    COMPILED_CHECK,
    COMPILED_CONDITION,
    COMPILED_CORRELATION,
    COMPILED_JOIN_COPY,
    COMPILED_JOIN_EDGE,
    COMPILED_JOIN_HOP,
    COMPILED_JOIN_PAIR,
    COMPILED_JOIN_PART,
    COMPILED_PART,
    COMPILED_PATH,
    COMPILED_QUERY,
    COMPILED_REPEAT,
    COMPILED_RETURN,
    COMPILED_STEP,
    COMPILED_TRANSFORMATION,
    COMPILED_VALUE,
    COMPILED_VARIABLE_CONDITION,
    COMPILED_WARNING,
    REFUSED,
    table_of,
)

_REMEMBERED = 20_000
"""How many shared templates are remembered at a time."""
MOST_WARNINGS = 1000
"""How many warnings keep their texts; further ones are only counted."""
ErrorPlace = tuple[int | None, int | None, str | None]
_NOWHERE: ErrorPlace = (None, None, None)
COMPILED_TABLES = {
    "refused": REFUSED, "compiled_query": COMPILED_QUERY, "compiled_path": COMPILED_PATH,
    "compiled_check": COMPILED_CHECK,
    "compiled_branch": COMPILED_BRANCH, "compiled_brinfo": COMPILED_BRINFO,
    "compiled_branchpoint": COMPILED_BRANCHPOINT, "compiled_part": COMPILED_PART,
    "compiled_transformation": COMPILED_TRANSFORMATION, "compiled_step": COMPILED_STEP,
    "compiled_condition": COMPILED_CONDITION, "compiled_return": COMPILED_RETURN, "compiled_repeat": COMPILED_REPEAT,
    "compiled_value": COMPILED_VALUE,
    "compiled_correlation": COMPILED_CORRELATION, "compiled_join_edge": COMPILED_JOIN_EDGE,
    "compiled_join_pair": COMPILED_JOIN_PAIR, "compiled_join_hop": COMPILED_JOIN_HOP,
    "compiled_join_copy": COMPILED_JOIN_COPY, "compiled_join_part": COMPILED_JOIN_PART,
    "compiled_variable_condition": COMPILED_VARIABLE_CONDITION, "compiled_warning": COMPILED_WARNING,
}
"""The tables that compiling returns, by name."""
_SHARED = {"compiled_return", "compiled_value", "compiled_join_part", "compiled_variable_condition"}
"""Rows that several subscriptions of a chunk may have in common."""


class CompiledRows:
    """The rows of a chunk of subscriptions; shared rows, such as linear paths, are returned only once."""

    def __init__(self) -> None:
        self._shared: dict[int, ShapeTemplate] = {}
        self._paths: set[tuple[object, ...]] = set()
        self._brinfos: set[tuple[object, ...]] = set()
        self._correlation_ids: set[int] = set()
        self._warned = 0
        self._clear()

    def _clear(self) -> None:
        self._rows: dict[str, list[tuple[object, ...]]] = {name: [] for name in COLUMNS}
        self._queries = QueryColumns()

    def forget_correlations(self) -> None:
        """Return the shared rows of correlations again from here on, as rows with smaller numbers may follow."""
        self._correlation_ids.clear()

    def add_correlation(self, row_no: int, rows: CorrelationRows) -> None:
        """Add a correlation; its shared rows are returned once, with the first correlation that needs them."""
        own = row_no, rows.correlation_id
        self._rows["compiled_correlation"].append((*own, *rows.correlation))
        if rows.correlation_id in self._correlation_ids:
            return
        self._correlation_ids.add(rows.correlation_id)
        self._add_conditions(row_no, rows.conditions)
        self._take_new(rows.linear_paths, rows.brinfos)
        self._rows["compiled_join_edge"].extend((*own, *edge) for edge in rows.edges)
        self._rows["compiled_join_pair"].extend((*own, *pair) for pair in rows.pairs)
        self._rows["compiled_join_hop"].extend((*own, *hop) for hop in rows.hops)
        self._rows["compiled_join_copy"].extend((*own, path_id) for path_id in rows.copied)
        self._rows["compiled_join_part"].extend((rows.correlation.template_id, *part) for part in rows.parts)
        self._rows["compiled_variable_condition"].extend(rows.variable_conditions)

    def _add_conditions(self, row_no: int, conditions: Sequence[tuple[ShapeTemplate, int | None]]) -> None:
        """Add conditions on nodes, which are queries like those of filters."""
        for template, want in conditions:
            for query in template.queries:
                canonical = query.text % ()
                query_id = stable_id("query", canonical)
                self._add_query(row_no, query_id, canonical, query, template.constants(()))
                self._rows["compiled_part"].append((row_no, *PartRow(query_id, want)))
            self._share(template)

    def add_transformation(self, row_no: int, rows: TransformationRows) -> None:
        """Add a transformation."""
        self._add_conditions(row_no, rows.conditions)
        self._take_new(rows.linear_paths, rows.brinfos)
        own = row_no, rows.transformation_id
        self._rows["compiled_transformation"].append((*own, *rows.transformation))
        self._rows["compiled_step"].extend((*own, *step) for step in rows.steps)
        self._rows["compiled_condition"].extend((*own, *condition) for condition in rows.looks)
        self._rows["compiled_return"].extend((rows.transformation.template_id, *path) for path in rows.returns)
        self._rows["compiled_value"].extend((rows.transformation.template_id, *path) for path in rows.values)
        self._rows["compiled_repeat"].extend((*own, *reason) for reason in rows.repeats)

    def refuse(
        self, row_no: int, subscription_id: str | None, code: str, reason: str, place: ErrorPlace = _NOWHERE
    ) -> None:
        """Add the refusal of a subscription."""
        self._rows["refused"].append((row_no, *RefusalRow(subscription_id, code, reason, *place)))

    def warn(self, row_no: int, subscription_id: str, warnings: Sequence[str]) -> None:
        """Add warnings about an accepted subscription."""
        told = warnings[: max(0, MOST_WARNINGS - self._warned)]
        self._warned += len(warnings)
        self._rows["compiled_warning"].extend((row_no, subscription_id, text, 1) for text in told)
        if len(told) < len(warnings):
            self._rows["compiled_warning"].append((row_no, subscription_id, None, len(warnings) - len(told)))

    def warn_anew(self) -> None:
        """Collect warnings again from here on, as rows with smaller numbers may follow; the first of all are kept."""
        self._warned = 0

    def add(self, row_no: int, template: ShapeTemplate, given: Constants) -> None:
        """Add a subscription, given its template and constants."""
        constants, done = template.constants(given), set[int]()
        for query in template.queries:
            canonical = query.text % tuple(map(repr, query.shown(constants)))
            query_id = stable_id("query", canonical)
            if query_id not in done:
                done.add(query_id)
                self._add_query(row_no, query_id, canonical, query, constants)
        if template.check is not None:
            self._rows["compiled_check"].append((row_no, *template.check))
        if id(template) not in self._shared:
            self._share(template)

    def _share(self, template: ShapeTemplate) -> None:
        if len(self._shared) > _REMEMBERED:
            self._shared.clear()
        self._shared[id(template)] = template
        self._take_new(template.linear_paths, template.brinfos)

    def _take_new(self, linear_paths: Sequence[tuple[object, ...]], brinfos: Sequence[tuple[object, ...]]) -> None:
        for known, new, rows in (
            (self._paths, self._rows["compiled_path"], linear_paths),
            (self._brinfos, self._rows["compiled_brinfo"], brinfos),
        ):
            new.extend(row for row in rows if row not in known)
            known.update(rows)

    def _add_query(
        self, row_no: int, query_id: int, canonical: str, query: QueryTemplate, constants: tuple[object, ...]
    ) -> None:
        self._queries.add(row_no, query_id, canonical, query, constants)
        if query.checked:
            self._queries.add_branches(row_no, query_id, query, constants)
            point = BranchpointRow(query_id, query.branches["brinfo_id"], query.shape, query.want)
            self._rows["compiled_branchpoint"].append((row_no, *point))

    def take(self) -> list[tuple[str, pa.Table]]:
        """Return all rows added since the last call, by kind."""
        by_column = {"compiled_query": self._queries.queries, "compiled_branch": self._queries.branches}
        tables = [(name, by_column[name]() if name in by_column else self._table(name)) for name in COMPILED_TABLES]
        self._clear()
        return tables

    def _table(self, name: str) -> pa.Table:
        rows = self._rows[name]
        return table_of(list(dict.fromkeys(rows)) if name in _SHARED else rows, COMPILED_TABLES[name], COLUMNS[name])
