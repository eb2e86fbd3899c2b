"""Writes docs/use-cases.md: what becomes of each query, with the message of its error.

    python -m tests.use_cases.table > docs/use-cases.md
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import xpubsub
from tests.use_cases import GROUPS, Case, cases
from xpubsub.errors import LocatedError

SHOWN = 30

INTRODUCTION = """\
# Use cases

Which queries of the W3C's [XML Query Use Cases](https://www.w3.org/TR/xquery-use-cases/) and of
[XMark](https://projects.cwi.nl/xmark/) are accepted as [transformations](transformations.md), as they stand. What an accepted one
gives is compared with Saxon's result in the tests; of a refused one the table has the first reason, from the error itself,
and the text that it points at. Many have more reasons than one.

`doc("…")` is the message, whatever its name: of the queries that join several documents, none is accepted.

Left out: STRONG, which imports schemas and asks for types; TEXT, which the W3C moved to its use cases for full text; and what
was added for XQuery 3.0 and 3.1 (grouping, windows, maps, JSON), of which nothing is in the subset.

Written by `python -m tests.use_cases.table` from the queries in [`tests/use_cases`](../tests/use_cases)."""


def refusals() -> dict[str, LocatedError]:
    """The error that subscribing raises, of each query that is refused."""
    found: dict[str, LocatedError] = {}
    with xpubsub.connect(":memory:") as broker:
        for case in cases():
            try:
                broker.subscribe(case.id, case.text)
            except LocatedError as error:
                found[case.id] = error
    return found


def row(case: Case, error: LocatedError | None) -> str:
    """One line of a table."""
    if error is None:
        return f"| {case.name} | {case.documents} | accepted | | |"
    reason = error.reason.partition(" is not supported")[0]
    place = f"line {error.line}, column {error.column}: {_pointed_at(error)}"
    return f"| {case.name} | {case.documents} | refused | {reason} | {place} |"


def table() -> str:
    """The whole page."""
    errors = refusals()
    return "\n".join([INTRODUCTION, *_summary(errors), *(line for group in GROUPS for line in _section(group, errors))])


def _summary(errors: Mapping[str, LocatedError]) -> Iterator[str]:
    yield from ("", "| group | queries | accepted | refused |", "|---|---|---|---|")
    for group, title in GROUPS.items():
        accepted = [case.id not in errors for case in cases() if case.group == group]
        yield f"| {title} | {len(accepted)} | {accepted.count(True)} | {accepted.count(False)} |"


def _section(group: str, errors: Mapping[str, LocatedError]) -> Iterator[str]:
    yield from ("", f"## {GROUPS[group]}", "", "| query | reads | | reason | at |", "|---|---|---|---|---|")
    yield from (row(case, errors.get(case.id)) for case in cases() if case.group == group)


def _pointed_at(error: LocatedError) -> str:
    line = error.text[error.offset:].partition("\n")[0]
    shown = line if len(line) <= SHOWN else f"{line[:SHOWN].rstrip()}…"
    return "`" + shown.strip().replace("|", "\\|") + "`"


if __name__ == "__main__":
    print(table())
