"""Collects the queries of compiled filters column by column, as there may be millions of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from xpubsub.compile.shapes import QueryTemplate
from xpubsub.rows import COMPILED_BRANCH, COMPILED_QUERY, PREDICATE

Columns = dict[str, list[object]]


class QueryColumns:
    """The columns of queries, of their predicates, and of branches that must be checked together."""

    def __init__(self) -> None:
        self._queries: Columns = {name: [] for name in COMPILED_QUERY.names if name != "predicates"}
        self._ends = [0]
        self._predicates: Columns = {field.name: [] for field in PREDICATE}
        self._branches: Columns = {name: [] for name in COMPILED_BRANCH.names}

    def add(
        self, row_no: int, query_id: int, canonical: str, query: QueryTemplate, constants: tuple[object, ...]
    ) -> None:
        """Add a query and its predicates."""
        queries, predicates = self._queries, self._predicates
        queries["row_no"].append(row_no)
        queries["query_id"].append(query_id)
        queries["query"].append(canonical)
        queries["checked"].append(query.checked)
        predicates["linear_path_id"].extend(query.paths)
        predicates["op"].extend(query.ops)
        predicates["value"].extend(query.values(constants))
        predicates["number"].extend(query.numbers(constants))
        self._ends.append(self._ends[-1] + len(query.paths))

    def add_branches(self, row_no: int, query_id: int, query: QueryTemplate, constants: tuple[object, ...]) -> None:
        """Add the branches of a query that must be checked together."""
        count = len(query.branches["branch"])
        columns = {**query.branches, "row_no": [row_no] * count, "query_id": [query_id] * count,
                   "value": query.branch_values(constants), "number": query.branch_numbers(constants)}
        for name, column in columns.items():
            self._branches[name].extend(column)

    def queries(self) -> pa.Table:
        """Return the queries as rows of `compiled_query`."""
        structs = pa.StructArray.from_arrays(_arrays(self._predicates, list(PREDICATE)), fields=list(PREDICATE))
        predicates = pa.ListArray.from_arrays(pa.array(self._ends, pa.int32()), structs)
        return _table({**self._queries, "predicates": predicates}, COMPILED_QUERY)

    def branches(self) -> pa.Table:
        """Return the branches as rows of `compiled_branch`."""
        return _table(self._branches, COMPILED_BRANCH)


def _table(columns: Mapping[str, Sequence[object]], schema: pa.Schema) -> pa.Table:
    return pa.Table.from_arrays(_arrays(columns, list(schema)), schema=schema)


def _arrays(columns: Mapping[str, Sequence[object]], fields: Sequence[pa.Field]) -> list[pa.Array]:
    return [pa.array(columns[field.name], field.type) for field in fields]
