"""How far long work has come: a bar on a terminal, a line per batch elsewhere if asked for. On stderr only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


class Reporter(Protocol):
    """Hears of messages as they are read, and of batches as they are matched."""

    def read(self, messages: int) -> None:
        """So many more messages were read."""

    def matched(self, notifications: int) -> None:
        """The batch is matched, with so many notifications in all."""


class Silence:
    """Says nothing."""

    def read(self, messages: int) -> None:
        """Say nothing."""

    def matched(self, notifications: int) -> None:
        """Say nothing."""


class Lines:
    """A line per batch."""

    def __init__(self) -> None:
        self._messages = 0

    def read(self, messages: int) -> None:
        """Count."""
        self._messages += messages

    def matched(self, notifications: int) -> None:
        """Say how far it is."""
        click.echo(f"{self._messages} messages, {notifications} notifications", err=True)


class Bar:
    """A bar, whose end is known unless messages come from standard input."""

    def __init__(self, progress: Progress, total: int | None) -> None:
        self._progress = progress
        self._task = progress.add_task("publishing", total=total, notifications=0)

    def read(self, messages: int) -> None:
        """Move the bar."""
        self._progress.advance(self._task, messages)

    def matched(self, notifications: int) -> None:
        """Show the count."""
        self._progress.update(self._task, notifications=notifications)


@contextmanager
def reporting(asked: bool, total: int | None) -> Iterator[Reporter]:
    """The reporter that suits where stderr goes."""
    if not sys.stderr.isatty():
        yield Lines() if asked else Silence()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
               TextColumn("{task.fields[notifications]} notifications"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=not asked) as progress:
        yield Bar(progress, total)


@contextmanager
def counting(what: str) -> Iterator[Callable[[int], None] | None]:
    """A bar on a terminal that counts what is done, of a number not known before; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:.0f}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda amount: progress.advance(task, amount)
