"""Translates steps from DuckDB's dialect: expands macros, renames tables, transpiles with sqlglot."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import sqlglot
from sqlglot import exp

from xpubsub.errors import EngineError
from xpubsub.sqlfiles import sql_file

FORBIDDEN_FUNCTIONS = frozenset({
    "list_slice", "list_zip", "hash", "array_slice", "list_position", "generate_subscripts", "range",
})
"""DuckDB functions that sqlglot leaves as they are, and that Spark lacks or defines differently."""
_SPARK_NAMES = {"list_extract": "TRY_ELEMENT_AT", "list_sort": "SORT_ARRAY"}
"""DuckDB functions that have another name in Spark, which sqlglot does not know."""
_MACROS = frozenset({"passes", "passes_open"})
"""Functions that are files of SQL expressions, with $1, $2 and so on as their arguments."""
_COMMENT = re.compile(r"--[^\n]*")
_PARAMETER = re.compile(r"\$(\d)")
_MACRO = "passes"
"""What the names of macros begin with."""


@lru_cache(maxsize=4096)
def parse(sql: str) -> exp.Expr:
    """Return a statement's tree with macros expanded; raise `EngineError` for what does not transpile faithfully."""
    tree = sqlglot.parse_one(sql, read="duckdb")
    tree = tree.transform(_expand)
    for node in tree.walk():
        _check(node)
    return tree


def render(sql: str, dialect: str, bind: Callable[[str], str] | None = None) -> str:
    """Return a statement in a dialect; `bind` maps each table to its full name.

    Steps are written in DuckDB's dialect, so for DuckDB only macros are expanded: to parse a statement takes longer
    than to run it on a small batch.
    """
    if dialect == "duckdb" and _MACRO not in sql:
        return sql
    return _render(sql, dialect) if bind is None else _bound(parse(sql), bind).sql(dialect=dialect)


def render_spark(sql: str, bind: Callable[[str], str], small: Callable[[str], bool]) -> str:
    """Return a statement for Spark, with a hint to build hash tables of small relations and of subqueries."""
    tree = parse(sql).copy()
    for select in tree.find_all(exp.Select):
        sources = [each.this for each in (select.args.get("from_"), *select.args.get("joins", ())) if each is not None]
        names = [each.alias_or_name for each in sources if not isinstance(each, exp.Table) or small(each.name)]
        if len(sources) > 1 and names:
            hint = exp.Anonymous(this="SHUFFLE_HASH", expressions=[exp.column(name) for name in names if name])
            select.set("hint", exp.Hint(expressions=[hint]))
    return _bound(tree, bind).sql(dialect="spark")


@lru_cache(maxsize=4096)
def joined_by(sql: str, table: str) -> str | None:
    """Return the first column of a table that a statement compares with a column of another relation."""
    tree = parse(sql)
    aliases = {each.alias_or_name for each in tree.find_all(exp.Table) if each.name == table}
    for equality in tree.find_all(exp.EQ):
        sides = [side for side in (equality.left, equality.right) if isinstance(side, exp.Column)]
        own = [side.name for side in sides if side.table in aliases]
        if len(sides) == 2 and len(own) == 1:
            return own[0]
    return None


@lru_cache(maxsize=4096)
def tables_in(sql: str) -> list[str]:
    """Return the tables and relations that a statement reads, repeated if it reads them several times."""
    return [table.name for table in parse(sql).find_all(exp.Table)]


@lru_cache(maxsize=1024)
def table_ddl(statement: str, dialect: str, name: str | None = None, location: str | None = None) -> str:
    """Return a `create table` statement in a dialect; on Spark as Parquet, at a location if one is given."""
    tree = sqlglot.parse_one(statement, read="duckdb")
    if name is not None:
        next(tree.find_all(exp.Table)).replace(exp.to_table(name))
    sql = tree.sql(dialect=dialect, pretty=True)
    if dialect == "spark" and isinstance(tree, exp.Create):
        sql += "\nUSING PARQUET" + (f" LOCATION {exp.Literal.string(location).sql(dialect)}" if location else "")
    return sql


@lru_cache(maxsize=16384)
def _render(sql: str, dialect: str) -> str:
    return str(_translated(parse(sql), dialect).sql(dialect=dialect))


def _bound(tree: exp.Expr, bind: Callable[[str], str]) -> exp.Expr:
    """Replace table names on the tree, except those of common table expressions."""
    tree = _translated(tree, "spark")
    own = {cte.alias_or_name for cte in tree.find_all(exp.CTE)}
    for table in list(tree.find_all(exp.Table)):
        if table.name and table.name not in own and isinstance(table.this, exp.Identifier):
            bound = exp.to_table(bind(table.name))
            alias = table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(table.name))
            bound.set("alias", alias.copy())
            bound.set("joins", table.args.get("joins"))
            bound.set("laterals", table.args.get("laterals"))
            table.replace(bound)
    return tree


def _translated(tree: exp.Expr, dialect: str) -> exp.Expr:
    """Return a copy of the tree; for Spark, with functions renamed that sqlglot does not translate."""
    return tree.transform(_to_spark) if dialect == "spark" else tree.copy()


def _to_spark(node: exp.Expr) -> exp.Expr:
    name = _SPARK_NAMES.get(node.name.lower()) if isinstance(node, exp.Anonymous) else None
    if name:
        node.set("this", name)
    return node


def _expand(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Anonymous) and node.name.lower() in _MACROS:
        arguments = [f"({argument.sql(dialect='duckdb')})" for argument in node.expressions]
        macro = _COMMENT.sub("", sql_file(node.name.lower()))
        return sqlglot.parse_one(_PARAMETER.sub(lambda match: arguments[int(match[1]) - 1], macro), read="duckdb")
    return node


def _check(node: exp.Expr) -> None:
    name = node.name.lower() if isinstance(node, exp.Anonymous) else node.key
    if name in FORBIDDEN_FUNCTIONS:
        raise EngineError(f"{name}() is not translated faithfully between engines")
    if isinstance(node, exp.ArrayAgg) and isinstance(node.this, exp.Order):
        raise EngineError("ORDER BY inside list() is lost between engines")
    if isinstance(node, exp.Bracket):
        raise EngineError("bracket indexes start at 1 in DuckDB and at 0 in Spark: use list_extract()")
    if isinstance(node, exp.Join) and node.method in ("ASOF", "POSITIONAL"):
        raise EngineError(f"{node.method} JOIN is not translated between engines")
