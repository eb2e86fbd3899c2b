"""Print warnings about subscriptions on standard error."""

from __future__ import annotations

import click

from xpubsub.jobs.subscribe.subscribed import Subscribed

_SHOWN = 20


def warn(subscribed: Subscribed) -> None:
    """Print the first warnings, and how many more there are."""
    for text in subscribed.warnings[:_SHOWN]:
        click.echo(f"warning: {text}", err=True)
    more = len(subscribed.warnings) - _SHOWN + subscribed.more_warnings
    if more > 0:
        click.echo(f"warning: {more} more warnings", err=True)
