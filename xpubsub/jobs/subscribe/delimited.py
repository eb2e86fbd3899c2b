"""Reads CSV and TSV files of subscriptions, with or without a header."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from xpubsub.errors import Error
from xpubsub.jobs.subscribe.columns import (
    ACCEPTED,
    HOW_TO_NAME,
    OWN,
    REQUIRED,
    ColumnPlaces,
    find_columns,
    names_columns,
)
from xpubsub.jobs.subscribe.subscription_records import Record

DELIMITERS = {".csv": ",", ".tsv": "\t"}
_CALLED = {",": "comma", "\t": "tab"}
_LONGEST_CELL = 100_000_000
_BARE = re.compile(r"#?\s*\w[\w .-]*")
"""Matches a cell that could be the name of a column."""
_KNOWN = (f"The columns may be called {ACCEPTED}. If yours have other names, {HOW_TO_NAME}. "
          "If the row is a subscription, say --no-header (in Python, header=False).")
PlacedRow = tuple[int, list[str]]
"""The line on which a row starts, and its cells."""


class Delimited:
    """One file; `header` says whether its first row names the columns, and None means to find out."""

    def __init__(self, path: Path, columns: Mapping[str, str], header: bool | None) -> None:
        if columns and header is False:
            raise Error("--columns (columns=) names columns of a header; --no-header (header=False) says there is none")
        self._path = path
        self._delimiter = DELIMITERS[path.suffix.lower()]
        self._columns = columns
        self._header = header

    def records(self) -> list[Record]:
        """Return the subscriptions."""
        rows = self._rows()
        first = next(rows, None)
        if first is None:
            return []
        places = self._places(first)
        width = len(REQUIRED) if places is None else len(first[1])
        found = [] if places is not None else [self._record(first, dict(id=0, text=1), width)]
        found += [self._record(row, places or dict(id=0, text=1), width) for row in rows]
        return found

    def lines(self) -> list[int]:
        """Return the line on which each subscription starts."""
        rows = list(self._rows())
        has_header = bool(rows) and self._places(rows[0]) is not None
        return [line for line, _ in rows[has_header:]]

    def _rows(self) -> Iterator[PlacedRow]:
        """Yield the rows that are not blank."""
        csv.field_size_limit(_LONGEST_CELL)
        with self._path.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.reader(lines, delimiter=self._delimiter, strict=True)
            before = 0
            try:
                for cells in reader:
                    if cells:
                        yield before + 1, cells
                    before = reader.line_num
            except csv.Error as error:
                raise Error(f"{self._path}:{before + 1}: {error}: a cell that starts with a double quote "
                            "must end with one, and have two for each within") from None

    def _places(self, first: PlacedRow) -> ColumnPlaces | None:
        """Return the index of each column if the first row names them, else None."""
        line, cells = first
        if self._header is False:
            return None
        named = self._header or self._columns or names_columns(cells, self._columns)
        if not named and _looks_like_header(cells):
            raise Error(f"{self._path}:{line}: the first row looks like a header, but does not name an id and a text: "
                        f"{', '.join(cells)}\n{_KNOWN}")
        try:
            return find_columns(cells, self._columns) if named else None
        except Error as error:
            raise Error(f"{self._path}:{line}: {error}") from None

    def _record(self, row: PlacedRow, places: ColumnPlaces, width: int) -> Record:
        line, cells = row
        if len(cells) <= max(places["id"], places["text"]):
            raise Error(f"{self._path}:{line}: expected an id and a text, found {len(cells)} column(s) "
                        f"between {_CALLED[self._delimiter]}s")
        if any(cells[width:]):
            called = _CALLED[self._delimiter]
            raise Error(f"{self._path}:{line}: expected {width} columns, found {len(cells)}: put a text that contains "
                        f"a {called} in double quotes")
        if len(places) == len(REQUIRED):
            return cells[places["id"]], cells[places["text"]]
        own = (cells[places[name]] if name in places and places[name] < len(cells) else None for name in OWN)
        return cells[places["id"]], cells[places["text"]], *own


def _looks_like_header(cells: list[str]) -> bool:
    filled = [cell.strip() for cell in cells if cell.strip()]
    return len(filled) > 1 and all(_BARE.fullmatch(cell) for cell in filled)
