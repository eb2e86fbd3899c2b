"""Writes docs/use-cases.md: what becomes of each query, with the message of its error.

    python -m tests.use_cases.table > docs/use-cases.md
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import xpubsub
from tests.use_cases import GROUPS, Case, cases
from xpubsub.errors import LocatedError

SHOWN = 30
Ways = Mapping[str, "str | LocatedError"]

INTRODUCTION = """\
# Use cases

Which queries of the W3C's [XML Query Use Cases](https://www.w3.org/TR/xquery-use-cases/) and of
[XMark](https://projects.cwi.nl/xmark/) are accepted as [transformations](transformations.md), as they stand, and by which
[way](transformations.md#ways): `indexed` is SQL, `checked` and `every message` need the extra `xpubsub[xquery]`. What an
accepted one gives is compared with Saxon's result in the tests. Of the others the table has the first reason why SQL does not
answer them, or why nothing does, from the error itself, and the text that it points at.

`doc("…")` is the message: a query of several documents is a [correlation](correlations.md).

Left out: STRONG, which imports schemas and asks for types; TEXT, which the W3C moved to its use cases for full text; and what
was added for XQuery 3.0 and 3.1 (grouping, windows, maps, JSON), of which SQL answers nothing.

Written by `python -m tests.use_cases.table` from the queries in [`tests/use_cases`](../tests/use_cases)."""


def refusals() -> dict[str, LocatedError]:
    """The error that subscribing raises, of each query that SQL does not answer."""
    return {name: found for name, found in ways(strict=True).items() if isinstance(found, LocatedError)}


def ways(*, strict: bool = False) -> Ways:
    """The way of each query, or the error that subscribing raises."""
    found: dict[str, str | LocatedError] = {}
    with xpubsub.connect(":memory:") as broker:
        for case in cases():
            try:
                broker.subscribe(case.id, case.text, strict=strict)
                found[case.id] = broker.show(case.id).way
            except LocatedError as error:
                found[case.id] = error
    return found


def row(case: Case, error: LocatedError | None, way: str | LocatedError) -> str:
    """One line of a table."""
    if error is None:
        return f"| {case.name} | {case.documents} | indexed | | |"
    error, way = (error, way) if isinstance(way, str) else (way, "refused")
    reason = error.reason.partition(" is not supported")[0]
    place = f"line {error.line}, column {error.column}: {_pointed_at(error)}"
    return f"| {case.name} | {case.documents} | {way} | {reason} | {place} |"


def table() -> str:
    """The whole page."""
    errors, found = refusals(), ways()
    sections = (line for group in GROUPS for line in _section(group, errors, found))
    return "\n".join([INTRODUCTION, *_summary(found), *sections])


def _summary(found: Ways) -> Iterator[str]:
    yield from ("", "| group | queries | indexed | checked | every message | refused |", "|---|---|---|---|---|---|")
    for group, title in GROUPS.items():
        went = [found[case.id] for case in cases() if case.group == group]
        counts = [went.count("indexed"), went.count("checked"), went.count("every message")]
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
