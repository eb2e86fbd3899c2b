"""Finds the columns of subscriptions by their accepted names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from xpubsub.checks import check_text
from xpubsub.errors import Error

NAMES = {
    "id": ("id", "subscription_id"), "text": ("text", "xpath", "expression", "query"),
    "namespaces": ("namespaces",), "dialect": ("dialect",), "stream": ("stream",),
    "max_delay": ("max_delay",), "variables": ("variables",), "partial": ("partial",), "weights": ("weights",),
}
"""The accepted names of each column, in any case."""
REQUIRED = ("id", "text")
OWN = ("namespaces", "dialect", "stream", "max_delay", "variables", "partial", "weights")
"""The columns by which a row overrides the arguments of the call."""
ACCEPTED = ", ".join(f"{first} (or {', '.join(others)})" if others else first for first, *others in NAMES.values())
HOW_TO_NAME = "name them with --columns id=NAME,text=NAME (in Python, columns={'id': NAME, 'text': NAME})"
_SURELY_MEANT = 0.85
"""How similar to an accepted name a name must be to count as a typing error."""

ColumnPlaces = dict[str, int]
"""The index of each column, from 0."""


def check_columns(columns: object) -> dict[str, str]:
    """Check the `columns` argument; returns an empty dict for None."""
    if columns is None:
        return {}
    if not isinstance(columns, Mapping):
        raise Error(f"columns must map {', '.join(NAMES)} to names of columns, not be {type(columns).__name__}")
    for column in columns:
        if column not in NAMES:
            raise Error(f"unknown key {column!r} in columns: use {', '.join(NAMES)}")
    return {column: check_text(f"the name of the column {column}", name) for column, name in columns.items()}


def find_columns(names: Sequence[str], columns: Mapping[str, str]) -> ColumnPlaces:
    """Return the index of each column among the names; raises an error if one is missing or appears twice."""
    places = {column: place for column in NAMES if (place := _place(column, names, columns)) is not None}
    for column in REQUIRED:
        if column not in places:
            raise Error(f"no column {' or '.join(NAMES[column])} among {', '.join(names)}: {HOW_TO_NAME}")
    _refuse_slips([name for place, name in enumerate(names) if place not in places.values()], places)
    return places


def names_columns(names: Sequence[str], columns: Mapping[str, str]) -> bool:
    """Whether the names include an id and a text."""
    return all(_places(column, names, columns) for column in REQUIRED)


def _place(column: str, names: Sequence[str], columns: Mapping[str, str]) -> int | None:
    places = _places(column, names, columns)
    if column in columns and not places:
        raise Error(f"there is no column {columns[column]!r} for the {column}: the columns are {', '.join(names)}")
    if len(places) > 1:
        found = " and ".join(names[place] for place in places)
        raise Error(f"two columns are for the {column}, {found}: leave one out, or choose with --columns "
                    f"{column}=NAME (in Python, columns={{{column!r}: NAME}})")
    return places[0] if places else None


def _places(column: str, names: Sequence[str], columns: Mapping[str, str]) -> list[int]:
    if column in columns:
        exact = [place for place, name in enumerate(names) if name == columns[column]]
        return exact or _named(names, (columns[column].strip().lower(),))
    return _named(names, NAMES[column])


def _named(names: Sequence[str], wanted: tuple[str, ...]) -> list[int]:
    return [place for place, name in enumerate(names) if name.strip().lower() in wanted]


def _refuse_slips(others: Sequence[str], places: ColumnPlaces) -> None:
    """Refuse a column whose name is nearly that of a missing one; other columns are ignored."""
    missing = [column for column in OWN if column not in places]
    for name in others:
        for column in get_close_matches(name.strip().lower(), missing, 1, _SURELY_MEANT):
            raise Error(f"the column {name!r} is not known; if it is for the {column}, call it {column} or say "
                        f"--columns {column}={name} (in Python, columns={{{column!r}: {name!r}}}), else leave it out")
