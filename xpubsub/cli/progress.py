"""Show progress on stderr: a bar on a terminal; elsewhere a line per batch, if requested."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


class Reporter(Protocol):
    """Is told when messages are read and when batches are matched."""

    def read(self, messages: int) -> None:
        """Report that this many more messages were read."""

    def matched(self, notifications: int) -> None:
        """Report that a batch is matched, and the total number of notifications."""


class Silence:
    """Shows nothing."""

    def read(self, messages: int) -> None:
        """Do nothing."""

    def matched(self, notifications: int) -> None:
        """Do nothing."""


class Lines:
    """Prints a line per batch."""

    def __init__(self) -> None:
        self._messages = 0

    def read(self, messages: int) -> None:
        """Count the messages."""
        self._messages += messages

    def matched(self, notifications: int) -> None:
        """Print the counts."""
        click.echo(f"{self._messages} messages, {notifications} notifications", err=True)


class Bar:
    """Shows a progress bar; it has no total when messages come from standard input."""

    def __init__(self, progress: Progress, total: int | None) -> None:
        self._progress = progress
        self._task = progress.add_task("publishing", total=total, notifications=0)

    def read(self, messages: int) -> None:
        """Move the bar."""
        self._progress.advance(self._task, messages)

    def matched(self, notifications: int) -> None:
        """Show the number of notifications."""
        self._progress.update(self._task, notifications=notifications)


@contextmanager
def reporting(asked: bool, total: int | None) -> Iterator[Reporter]:
    """Choose a reporter that suits stderr."""
    if not sys.stderr.isatty():
        yield Lines() if asked else Silence()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
               TextColumn("{task.fields[notifications]} notifications"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=not asked) as progress:
        yield Bar(progress, total)


@contextmanager
def counting(what: str) -> Iterator[Callable[[int], None] | None]:
    """Show a counter without a total on a terminal; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:.0f}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda amount: progress.advance(task, amount)
