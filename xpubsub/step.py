"""A step: SQL with a name. Plans are made of steps, and engines run them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import sqlglot
from sqlglot import exp

from xpubsub.sqlfiles import sql_file

_PLACEHOLDER = re.compile(r"\$([a-z_]+)")


@dataclass(frozen=True)
class Step:
    """A named query, in DuckDB's dialect, over tables of the store and the results of earlier steps."""

    name: str
    sql: str
    reused: bool = False
    """Whether several later steps read the result, so that an engine with lazy results should compute it once."""
    ordered: bool = False
    """Whether the engine must keep the order of the joins, because its estimates of sizes would mislead it."""
    function: str = ""
    """The name of the Python function, if any, that turns the rows of the SQL into the result."""
    narrows: bool = False
    """Whether the result has all rows that later steps need of the table of the same name, which it hides from them."""
    standing: bool = False
    """Whether the result is the same for all batches, until subscriptions or tag paths change."""
    spread: str = ""
    """The column by which an engine on several machines spreads the rows: all later joins compare it."""


Pipeline = tuple[Step, ...]
"""Steps in the order in which they run."""


def file_step(
    name: str, variant: str = "", *, suffix: str = "", reused: bool = False, function: str = "", narrows: bool = False,
    standing: bool = False, tables: Mapping[str, str] | None = None, **values: str,
) -> Step:
    """Return the step in `sql/…/<name>.sql`, or in its variant `<name>.<variant>.sql`; its result is called `name`.

    A step that runs several times gets a different `suffix` each time. `tables` maps names in the file to the relations
    to read instead. `values` replace the `$placeholders` of the file, all of them and no others; they never contain a
    user's text.
    """
    file = f"{name}.{variant}" if variant else name
    sql = _filled(file, sql_file(file), values)
    bound = _bound(sql, tuple(tables.items())) if tables else sql
    return Step(f"{name}{suffix}", bound, reused, function=function, narrows=narrows, standing=standing)


def whole(relation: str) -> Step:
    """Return a step that reads all rows of a relation."""
    return Step(f"whole_{relation}", f"-- One row: a row of {relation}.\nselect * from {relation}")


def narrowed(table: str, column: str, relation: str) -> Step:
    """Return a step to those rows of a table whose column has a value that a relation has, too; it hides the table."""
    header = f"-- One row: a row of {table} with a {column} of {relation}."
    select = f"select t.* from {table} as t\nsemi join {relation} as r on r.{column} = t.{column}"
    return Step(table, f"{header}\n{select}", narrows=True)


def none_of(table: str) -> Step:
    """Return a step with the columns of a table and no row."""
    return Step(f"none_of_{table}", f"-- No row: the table is emptied.\nselect * from {table} where false")


def _filled(file: str, sql: str, values: Mapping[str, str]) -> str:
    wanted = set(_PLACEHOLDER.findall(sql))
    if wanted != values.keys():
        raise KeyError(f"{file}.sql has the placeholders {sorted(wanted)}, but was given {sorted(values)}")
    return _PLACEHOLDER.sub(lambda found: values[found[1]], sql)


@lru_cache(maxsize=4096)
def _bound(sql: str, tables: tuple[tuple[str, str], ...]) -> str:
    """Replace the names of relations, on the syntax tree."""
    tree = sqlglot.parse_one(sql, read="duckdb")
    names, found = dict(tables), set[str]()
    for table in list(tree.find_all(exp.Table)):
        if table.name in names:
            found.add(table.name)
            table.set("this", exp.to_identifier(names[table.name]))
    if found != names.keys():
        raise KeyError(f"{', '.join(sorted(names.keys() - found))} is not read by {sql}")
    return tree.sql(dialect="duckdb", pretty=True)
