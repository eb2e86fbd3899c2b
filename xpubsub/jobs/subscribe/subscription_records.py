"""Reads one subscription from a Python value: a pair, or a mapping with the names of columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xpubsub.checks import check_text
from xpubsub.errors import Error
from xpubsub.jobs.subscribe.columns import OWN, REQUIRED, find_columns

Record = tuple[Any, ...]
"""(id, text), or these and the columns of `OWN`, None for what a row does not give."""


class Records:
    """Reads subscriptions one by one; columns are looked up once for the same names."""

    def __init__(self, columns: Mapping[str, str]) -> None:
        self._columns = columns
        self._names: dict[tuple[Any, ...], list[Any]] = {}

    def of(self, row: Any, place: str) -> Record:
        """Return a subscription; an error names its place."""
        if isinstance(row, Mapping):
            row = tuple(None if name is None else row[name] for name in self._of(tuple(row), place))
        elif not isinstance(row, tuple | list) or len(row) != 2:
            raise Error(f"{place}: a subscription must be (id, text)")
        subscription_id = check_text(f"{place}: the id of a subscription", row[0], empty=True)
        return subscription_id, check_text(f"{place}: the text of a subscription", row[1], empty=True), *row[2:]

    def _of(self, names: tuple[Any, ...], place: str) -> list[Any]:
        """Return the names of a mapping's columns in the order of a record; the row's own only if it has some."""
        if names not in self._names:
            try:
                places = find_columns([str(name) for name in names], self._columns)
            except Error as error:
                raise Error(f"{place}: {error}") from None
            wanted = (*REQUIRED, *OWN) if any(column in places for column in OWN) else REQUIRED
            self._names[names] = [names[places[column]] if column in places else None for column in wanted]
        return self._names[names]
