"""Writes docs/use-cases.md: what becomes of each query, with the message of its error.

    python -m tests.use_cases.table > docs/use-cases.md
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import xpubsub
from tests.use_cases import GROUPS, Case, cases
from xpubsub.errors import LocatedError
from xpubsub.language.flwr.syntax import Transformation
from xpubsub.language.xquery.compiled import read_transformation
from xpubsub.limits import Limits

SHOWN = 30
Ways = Mapping[str, "str | LocatedError"]

INTRODUCTION = """\
# Use cases

Which queries of the W3C's [XML Query Use Cases](https://www.w3.org/TR/xquery-use-cases/) and of
[XMark](https://projects.cwi.nl/xmark/) are accepted as [transformations](transformations.md), as they stand, and in which way:

- *joined*: joins do all but the copying;
- *computed*: a program for the message factory computes what joins do not;
- *Saxon*: with the extra `xpubsub[xquery]` Saxon evaluates the query, in messages that meet a necessary condition if there is
  one (*Saxon, checked*), or else in *every message*.

What a joined or computed one gives is compared with Saxon's result in the tests; of the others the table has the first reason why
we do not answer them natively, from the error itself, and the text that it points at.

`doc("…")` is the message, whatever its name: a query that reads several documents reads them in one message.

Left out: STRONG, which imports schemas and asks for types; TEXT, which the W3C moved to its use cases for full text; and what
was added for XQuery 3.0 and 3.1 (grouping, windows, maps, JSON).

Written by `python -m tests.use_cases.table` from the queries in [`tests/use_cases`](../tests/use_cases)."""

NATIVE, SAXON = ("joined", "computed"), {"checked": "Saxon, checked", "every message": "Saxon, every message"}
COLUMNS = (*NATIVE, *SAXON.values(), "refused")


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
        return f"| {case.name} | {case.documents} | {_native(case)} | | |"
    error, went = (error, SAXON[way]) if isinstance(way, str) else (way, "refused")
    reason = error.reason.partition(" is not supported")[0]
    place = f"line {error.line}, column {error.column}: {_pointed_at(error)}"
    return f"| {case.name} | {case.documents} | {went} | {reason} | {place} |"


def _native(case: Case) -> str:
    """How a query that needs no Saxon is carried out."""
    _, read = read_transformation(case.text, {}, Limits())
    return "joined" if isinstance(read, Transformation) else "computed"


def table() -> str:
    """The whole page."""
    errors, found = refusals(), ways()
    sections = (line for group in GROUPS for line in _section(group, errors, found))
    return "\n".join([INTRODUCTION, *_summary(errors, found), *sections])


def _summary(errors: Mapping[str, LocatedError], found: Ways) -> Iterator[str]:
    yield from ("", f"| group | queries | {' | '.join(COLUMNS)} |", f"|---|---|{'---|' * len(COLUMNS)}")
    for group, title in (*GROUPS.items(), ("", "all")):
        went = [_went(case, errors, found[case.id]) for case in cases() if group in ("", case.group)]
        yield f"| {title} | {len(went)} | {' | '.join(str(went.count(each)) for each in COLUMNS)} |"


def _went(case: Case, errors: Mapping[str, LocatedError], way: str | LocatedError) -> str:
    if case.id not in errors:
        return _native(case)
    return SAXON[way] if isinstance(way, str) else "refused"


def _section(group: str, errors: Mapping[str, LocatedError], found: Ways) -> Iterator[str]:
    yield from ("", f"## {GROUPS[group]}", "", "| query | reads | way | reason | at |", "|---|---|---|---|---|")
    yield from (row(case, errors.get(case.id), found[case.id]) for case in cases() if case.group == group)


def _pointed_at(error: LocatedError) -> str:
    line = error.text[error.offset:].partition("\n")[0]
    shown = line if len(line) <= SHOWN else f"{line[:SHOWN].rstrip()}…"
    return "`" + shown.strip().replace("|", "\\|") + "`"


if __name__ == "__main__":
    print(table())
