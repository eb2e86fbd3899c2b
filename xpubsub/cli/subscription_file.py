"""`xpubsub subscribe --from FILE`: read the file, subscribe its rows and report the counts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from xpubsub.broker import Broker
from xpubsub.cli.program import Failure
from xpubsub.cli.progress import counting
from xpubsub.cli.warned import warn
from xpubsub.errors import RowErrors
from xpubsub.jobs.subscribe.incoming import read_rows
from xpubsub.jobs.subscribe.subscription_files import row_lines


class SubscriptionFile:
    """A file of subscriptions, read before the store is opened or created."""

    def __init__(self, file: str, columns: dict[str, str], no_header: bool) -> None:
        self._file, self._columns, self._header = file, columns, False if no_header else None
        self._rows = read_rows(file, columns, self._header)

    def subscribe(self, broker: Broker, form: dict[str, Any]) -> None:
        """Add all subscriptions of the file, and print how many were new."""
        try:
            with counting("subscribing") as progress:
                added = broker.subscribe_many(self._rows, progress=progress, **form)
        except RowErrors as error:
            raise _located(error, self._file, self._columns, self._header) from error
        warn(added)
        click.echo(f"subscribed {int(added)} from {self._file}{_not_added(self._rows.ids(), int(added))}")


def _not_added(given: int, added: int) -> str:
    """Describe the subscriptions that were not added."""
    if not given:
        return ": the file has no subscriptions"
    if added == given:
        return ""
    were = "was" if given - added == 1 else "were"
    return f" ({f'{given - added} {were}' if added else f'all {given} were'} already there)"


def _located(error: RowErrors, file: str, columns: Mapping[str, str], header: bool | None) -> Failure:
    """Turn row errors into a `Failure` that gives the file and line of each bad row."""
    lines = row_lines(Path(file), columns, header)
    shown = [_refusal(row, file, lines) for row in error.rows[: error.SHOWN]]
    more = len(error.rows) - len(shown)
    tail = [f"... and {more} more"] if more > 0 else []
    return Failure("\n".join([f"nothing was subscribed: {len(error.rows)} bad row(s) in {file}", *shown, *tail]))


def _refusal(row: dict[str, object], file: str, lines: list[int]) -> str:
    number = int(str(row["row_no"]))
    place = f"{file}:{lines[number - 1]}" if number <= len(lines) else f"{file}: row {number}"
    within = f" at line {row['line']}, column {row['column']} of its text" if row.get("line") else ""
    caret = f"\n{row['caret']}" if row.get("caret") else ""
    return f"{place}: {row['subscription_id']}: {row['reason']}{within}{caret}"
