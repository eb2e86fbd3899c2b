"""A step: SQL with a name. Plans build steps, engines run them; neither knows more of the other."""

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
    """One relation of a pipeline, in DuckDB's dialect, over the tables of the store and earlier steps."""

    name: str
    sql: str
    reused: bool = False
    """Whether more than one later step reads it, so that it is worth keeping where results are lazy."""
    ordered: bool = False
    """Whether its joins are written in the order in which they are to be carried out: guessed sizes would mislead."""
    function: str = ""
    """The name of the function that makes the relation out of the rows of the SQL, if there is one."""


Pipeline = tuple[Step, ...]
"""Steps in the order in which they run; each reads tables of the store and earlier steps."""


def file_step(
    name: str, variant: str = "", *, suffix: str = "", reused: bool = False, function: str = "",
    tables: Mapping[str, str] | None = None, **values: str,
) -> Step:
    """The step of `sql/…/<name>.sql`, or of its variant `<name>.<variant>.sql`; its relation is called `name`.

    A step that runs several times has a suffix for each. `tables` says which relation stands for a name in the file;
    `$placeholder` is replaced by a value of ours, never by a user's text. A value too many or too few is an error.
    """
    file = f"{name}.{variant}" if variant else name
    sql = _filled(file, sql_file(file), values)
    bound = _bound(sql, tuple(tables.items())) if tables else sql
    return Step(f"{name}{suffix}", bound, reused, function=function)


def whole(relation: str) -> Step:
    """All rows of a relation."""
    return Step(f"whole_{relation}", f"-- One row: a row of {relation}.\nselect * from {relation}")


def none_of(table: str) -> Step:
    """No row, with the columns of a table."""
    return Step(f"none_of_{table}", f"-- No row: a table that is emptied.\nselect * from {table} where false")


def _filled(file: str, sql: str, values: Mapping[str, str]) -> str:
    wanted = set(_PLACEHOLDER.findall(sql))
    if wanted != values.keys():
        raise KeyError(f"{file}.sql has the placeholders {sorted(wanted)}, but was given {sorted(values)}")
    return _PLACEHOLDER.sub(lambda found: values[found[1]], sql)


@lru_cache(maxsize=4096)
def _bound(sql: str, tables: tuple[tuple[str, str], ...]) -> str:
    """Other relations in place of some, replaced on the syntax tree."""
    tree = sqlglot.parse_one(sql, read="duckdb")
    names, found = dict(tables), set[str]()
    for table in list(tree.find_all(exp.Table)):
        if table.name in names:
            found.add(table.name)
            table.set("this", exp.to_identifier(names[table.name]))
    if found != names.keys():
        raise KeyError(f"{', '.join(sorted(names.keys() - found))} is not read by {sql}")
    return tree.sql(dialect="duckdb", pretty=True)
