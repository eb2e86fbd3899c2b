"""`xpubsub subscribe --from FILE`: read the file, subscribe its rows and report the counts."""

from __future__ import annotations

import csv
from typing import Any

import click

from xpubsub.broker import Broker
from xpubsub.cli.places import located
from xpubsub.cli.progress import counting
from xpubsub.cli.warned import warn
from xpubsub.errors import RowErrors
from xpubsub.jobs.subscribe.columns import NAMES
from xpubsub.jobs.subscribe.incoming import read_rows


def columns_by_use(context: click.Context, option: click.Parameter, value: str | None) -> dict[str, str]:
    """Parse `--columns id=name,text=rule`; names can be quoted as in CSV."""
    found: dict[str, str] = {}
    for pair in next(csv.reader([value or ""]), []):
        column, equals, name = pair.strip().partition("=")
        if column not in NAMES or not equals or not name:
            reason = f"{pair!r} is not COLUMN=NAME; the columns are {', '.join(NAMES)}"
            raise click.BadParameter(reason, context, option)
        if found.setdefault(column, name) != name:
            raise click.BadParameter(f"the column {column} is given twice", context, option)
    return found


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
            raise located(error, self._file, self._columns, self._header) from error
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
