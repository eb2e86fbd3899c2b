"""Show on stderr what a streaming job does: a line that changes on a terminal; elsewhere a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click
from rich.console import Console
from rich.live import Live
from rich.text import Text

from xpubsub.cli.tally import failures
from xpubsub.jobs.stream.figures import Figures

EVERY = 10.0
"""Seconds between lines where stderr is not a terminal."""
_SPAN = 1.0
"""Seconds over which rates are measured, at least."""


class Rates:
    """Messages and notifications per second, since the last look that is long enough ago."""

    def __init__(self) -> None:
        self._at, self._messages, self._notifications = time.monotonic(), 0, 0
        self._shown = (0.0, 0.0)

    def line(self, figures: Figures) -> str:
        """Return the heartbeat line."""
        now = time.monotonic()
        span = now - self._at
        if span >= _SPAN:
            counts = figures.messages - self._messages, figures.notifications - self._notifications
            self._shown = counts[0] / span, counts[1] / span
            self._at, self._messages, self._notifications = now, figures.messages, figures.notifications
        backlog = "" if figures.backlog is None else f", backlog {figures.backlog}"
        aside = f"{figures.rejected} rejected{failures(figures.failed)}"
        return (f"{figures.messages} messages ({self._shown[0]:.0f}/s), {figures.notifications} notifications"
                f" ({self._shown[1]:.0f}/s), {aside}, delay {figures.delay:.2f} s{backlog}")


@contextmanager
def beating(asked: bool) -> Iterator[Callable[[Figures], None] | None]:
    """Give a function that shows figures; None if nothing is to be shown."""
    rates = Rates()
    if sys.stderr.isatty():
        with Live(Text(""), console=Console(stderr=True), transient=True, auto_refresh=False) as live:
            yield lambda figures: live.update(Text(rates.line(figures)), refresh=True)
    elif asked:
        yield _lines(rates)
    else:
        yield None


def _lines(rates: Rates) -> Callable[[Figures], None]:
    last = [time.monotonic()]

    def show(figures: Figures) -> None:
        if time.monotonic() - last[0] >= EVERY:
            last[0] = time.monotonic()
            click.echo(rates.line(figures), err=True)

    return show
