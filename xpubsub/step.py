"""A step: SQL with a name. Plans build steps, engines run them; neither knows more of the other."""

from __future__ import annotations

from dataclasses import dataclass

from xpubsub.sqlfiles import sql_file


@dataclass(frozen=True)
class Step:
    """One relation of a pipeline, in DuckDB's dialect, over the tables of the store and earlier steps."""

    name: str
    sql: str
    reused: bool = False
    """Whether more than one later step reads it, so that it is worth keeping where results are lazy."""
    ordered: bool = False
    """Whether its joins are written in the order in which they are to be carried out: guessed sizes would mislead."""


Pipeline = tuple[Step, ...]
"""Steps in the order in which they run; each reads tables of the store and earlier steps."""


def file_step(name: str, *, file: str | None = None, reused: bool = False, **values: str) -> Step:
    """A step of a SQL file; `$name` in the file is replaced by a value of ours, never by a user's text."""
    sql = sql_file(file or name)
    for key, value in values.items():
        sql = sql.replace(f"${key}", value)
    return Step(name, sql, reused)
