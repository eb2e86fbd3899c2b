"""Writes docs/use-cases.md: what becomes of each query, with the message of its error.

    python -m tests.use_cases.table > docs/use-cases.md
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tests.use_cases import GROUPS, Case, cases
from xpubsub.compile.subscriptions import Compiler
from xpubsub.errors import LocatedError
from xpubsub.language.flwr.syntax import Transformation
from xpubsub.language.xquery.compiled import read_transformation
from xpubsub.limits import Limits

SHOWN = 30

INTRODUCTION = """\
# Use cases

Which queries of the W3C's [XML Query Use Cases](https://www.w3.org/TR/xquery-use-cases/) and of
[XMark](https://projects.cwi.nl/xmark/) are accepted as [transformations](transformations.md), as they stand, and in which way:
*joined*, if joins do all but the copying, or *computed*, if a program for the message factory computes what joins do not.
What an accepted one gives is compared with Saxon's result in the tests; of a refused one the table has the first reason, from
the error itself, and the text that it points at.

`doc("…")` is the message, whatever its name: a query that reads several documents reads them in one message.

Left out: STRONG, which imports schemas and asks for types; TEXT, which the W3C moved to its use cases for full text; and what
was added for XQuery 3.0 and 3.1 (grouping, windows, maps, JSON).

Written by `python -m tests.use_cases.table` from the queries in [`tests/use_cases`](../tests/use_cases)."""


def refusals() -> dict[str, LocatedError]:
    """The error that subscribing raises, of each query that is refused."""
    found: dict[str, LocatedError] = {}
    for case in cases():
        try:
            Compiler().check(case.text)
        except LocatedError as error:
            found[case.id] = error
    return found


def row(case: Case, error: LocatedError | None) -> str:
    """One line of a table."""
    if error is None:
        return f"| {case.name} | {case.documents} | {way(case)} | | |"
    reason = error.reason.partition(" is not supported")[0]
    place = f"line {error.line}, column {error.column}: {_pointed_at(error)}"
    return f"| {case.name} | {case.documents} | refused | {reason} | {place} |"


def way(case: Case) -> str:
    """How an accepted query is carried out."""
    _, read = read_transformation(case.text, {}, Limits())
    return "joined" if isinstance(read, Transformation) else "computed"


def table() -> str:
    """The whole page."""
    errors = refusals()
    return "\n".join([INTRODUCTION, *_summary(errors), *(line for group in GROUPS for line in _section(group, errors))])


def _summary(errors: Mapping[str, LocatedError]) -> Iterator[str]:
    yield from ("", "| group | queries | joined | computed | refused |", "|---|---|---|---|---|")
    ways = {case.id: "refused" if case.id in errors else way(case) for case in cases()}
    for group, title in (*GROUPS.items(), ("", "all")):
        found = [ways[case.id] for case in cases() if group in ("", case.group)]
        yield f"| {title} | {len(found)} | {found.count('joined')} | {found.count('computed')} | {found.count('refused')} |"


def _section(group: str, errors: Mapping[str, LocatedError]) -> Iterator[str]:
    yield from ("", f"## {GROUPS[group]}", "", "| query | reads | | reason | at |", "|---|---|---|---|---|")
    yield from (row(case, errors.get(case.id)) for case in cases() if case.group == group)


def _pointed_at(error: LocatedError) -> str:
    line = error.text[error.offset:].partition("\n")[0]
    shown = line if len(line) <= SHOWN else f"{line[:SHOWN].rstrip()}…"
    return "`" + shown.strip().replace("|", "\\|") + "`"


if __name__ == "__main__":
    print(table())
