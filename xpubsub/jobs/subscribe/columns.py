"""The columns of subscriptions: the names they may have, and where they stand among others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from xpubsub.checks import check_text
from xpubsub.errors import Error

NAMES = {
    "id": ("id", "subscription_id"), "text": ("text", "xpath", "expression", "query"),
    "namespaces": ("namespaces",), "dialect": ("dialect",), "stream": ("stream",),
}
"""What a column may be called, whatever the case of its letters."""
REQUIRED = ("id", "text")
OWN = ("namespaces", "dialect", "stream")
"""What a row may say for itself; without it, what the call says holds."""
ACCEPTED = ", ".join(f"{first} (or {', '.join(others)})" if others else first for first, *others in NAMES.values())
HOW_TO_NAME = "name them with --columns id=NAME,text=NAME (in Python, columns={'id': NAME, 'text': NAME})"
_SURELY_MEANT = 0.85
"""How much a name must look like an accepted one to be taken for a slip."""

Places = dict[str, int]
"""Where each column stands, from 0."""


def check_columns(columns: object) -> dict[str, str]:
    """The names that a caller gives columns; none if there are none."""
    if columns is None:
        return {}
    if not isinstance(columns, Mapping):
        raise Error(f"columns must map {', '.join(NAMES)} to names of columns, not be {type(columns).__name__}")
    for column in columns:
        if column not in NAMES:
            raise Error(f"columns has the key {column!r}: the keys are {', '.join(NAMES)}")
    return {column: check_text(f"the name of the column {column}", name) for column, name in columns.items()}


def find_columns(names: Sequence[str], columns: Mapping[str, str]) -> Places:
    """Where the columns stand among names; an error if one is missing, or if there are two of it."""
    places = {column: place for column in NAMES if (place := _place(column, names, columns)) is not None}
    for column in REQUIRED:
        if column not in places:
            raise Error(f"no column {' or '.join(NAMES[column])} among {', '.join(names)}: {HOW_TO_NAME}")
    _refuse_slips([name for place, name in enumerate(names) if place not in places.values()], places)
    return places


def names_columns(names: Sequence[str], columns: Mapping[str, str]) -> bool:
    """Whether an id and a text are among names."""
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


def _refuse_slips(others: Sequence[str], places: Places) -> None:
    """Other columns are ignored, but one whose name is nearly that of a missing one is not."""
    missing = [column for column in OWN if column not in places]
    for name in others:
        for column in get_close_matches(name.strip().lower(), missing, 1, _SURELY_MEANT):
            raise Error(f"the column {name!r} is not known; if it is for the {column}, call it {column} or say "
                        f"--columns {column}={name} (in Python, columns={{{column!r}: {name!r}}}), else leave it out")
