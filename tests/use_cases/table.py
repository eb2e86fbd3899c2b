"""Writes docs/use-cases.md: what becomes of each query, with the message of its error.

    python -m tests.use_cases.table > docs/use-cases.md
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from tests.use_cases import GROUPS, Case, cases
from xpubsub.compile.queries import QueryWay
from xpubsub.compile.subscriptions import Compiler
from xpubsub.errors import LocatedError
from xpubsub.language.flwr.syntax import Transformation
from xpubsub.language.xquery.compiled import read_transformation
from xpubsub.limits import Limits

SHOWN = 30
Ways = Mapping[str, "str | LocatedError"]

INTRODUCTION = """\
# Use cases

Which queries of the W3C's [XML Query Use Cases](https://www.w3.org/TR/xquery-use-cases/) and of
[XMark](https://projects.cwi.nl/xmark/) are accepted as [transformations](transformations.md), as they stand, and by which
[way](transformations.md#ways): `joined` and `computed` are indexed, by joins alone or with a program for the message factory;
`checked` and `every message` need the extra `xpubsub[xquery]`. What an accepted one gives is compared with Saxon's result in
the tests. Of the others the table has the first reason why they are not indexed, or why nothing answers them, from the error
itself, and the text that it points at.

`doc("…")` is the message: a query of several documents is a [correlation](correlations.md).

Left out: STRONG, which imports schemas and asks for types; TEXT, which the W3C moved to its use cases for full text; and what
was added for XQuery 3.0 and 3.1 (grouping, windows, maps, JSON), none of which is indexed.

Written by `python -m tests.use_cases.table` from the queries in [`tests/use_cases`](../tests/use_cases)."""


def refusals() -> dict[str, LocatedError]:
    """The error that subscribing raises, of each query that SQL does not answer."""
    return {name: found for name, found in ways(strict=True).items() if isinstance(found, LocatedError)}


@cache
def ways(*, strict: bool = False) -> Ways:
    """The way of each query, or the error that subscribing raises."""
    found: dict[str, str | LocatedError] = {}
    compiler = Compiler(strict=strict)
    for case in cases():
        try:
            if not compiler.is_transformation(case.text):
                compiler.check(case.text)
            done = compiler.answered(case.text)
            found[case.id] = done.name if isinstance(done, QueryWay) else way(case)
        except LocatedError as error:
            found[case.id] = error
    return found


def row(case: Case, error: LocatedError | None, way: str | LocatedError) -> str:
    """One line of a table."""
    if error is None:
        return f"| {case.name} | {case.documents} | {way} | | |"
    error, way = (error, way) if isinstance(way, str) else (way, "refused")
    reason = error.reason.partition(" is not supported")[0]
    place = f"line {error.line}, column {error.column}: {_pointed_at(error)}"
    return f"| {case.name} | {case.documents} | {way} | {reason} | {place} |"


def way(case: Case) -> str:
    """How an accepted query is carried out."""
    _, read = read_transformation(case.text, {}, Limits())
    return "joined" if isinstance(read, Transformation) else "computed"


def table() -> str:
    """The whole page."""
    errors, found = refusals(), ways()
    sections = (line for group in GROUPS for line in _section(group, errors, found))
    return "\n".join([INTRODUCTION, *_summary(found), *sections])


def _summary(found: Ways) -> Iterator[str]:
    names = ("joined", "computed", "checked", "every message")
    yield from ("", f"| group | queries | {' | '.join(names)} | refused |", "|---" * 7 + "|")
    for group, title in (*GROUPS.items(), ("", "all")):
        went = [found[case.id] for case in cases() if group in ("", case.group)]
        counts = [went.count(name) for name in names]
        yield f"| {title} | {len(went)} | {' | '.join(map(str, (*counts, len(went) - sum(counts))))} |"


def _section(group: str, errors: Mapping[str, LocatedError], found: Ways) -> Iterator[str]:
    yield from ("", f"## {GROUPS[group]}", "", "| query | reads | way | reason | at |", "|---|---|---|---|---|")
    yield from (row(case, errors.get(case.id), found[case.id]) for case in cases() if case.group == group)


def _pointed_at(error: LocatedError) -> str:
    line = error.text[error.offset:].partition("\n")[0]
    shown = line if len(line) <= SHOWN else f"{line[:SHOWN].rstrip()}…"
    return "`" + shown.strip().replace("|", "\\|") + "`"


if __name__ == "__main__":
    print(table())
