"""`xpubsub replay`: publish dead letters again."""

from __future__ import annotations

from typing import Any

import click

from xpubsub.cli.options import OF_SUBSCRIPTIONS, engine_options, limit_options, opened, plan_option, store_argument
from xpubsub.cli.publish_command import SOME_REJECTED
from xpubsub.cli.stream_command import stopping
from xpubsub.cli.tally import failures
from xpubsub.jobs.stream.opening import FORMATS
from xpubsub.limits import Limits


@click.command()
@store_argument
@click.argument("letters", metavar="DEAD_LETTERS")
@click.option("--sink", default="-", show_default=True, metavar="SINK",
              help="Where notifications go: dir:PATH, each:PATH or - (standard output).")
@click.option("--checkpoint", metavar="DIR",
              help="The directory of results that are not delivered yet. [default: DEAD_LETTERS/_replay]")
@click.option("--format", type=click.Choice(FORMATS), default=FORMATS[0], show_default=True,
              help="The files that dir:PATH gets as a sink.")
@plan_option
@limit_options(without=OF_SUBSCRIPTIONS)
@engine_options
def replay(store: str, letters: str, sink: str, engine: str, master: str | None, **options: Any) -> None:
    """Publish the dead letters of `xpubsub stream` again, for instance with another limit.

    DEAD_LETTERS is the directory of `--dead-letters dir:PATH`. Each letter is published once: the next replay leaves
    out what was published, and tries again what was rejected again.

    \b
    Examples:
      xpubsub replay subs.duckdb rejected
      xpubsub replay subs.duckdb rejected --max-depth 1000 --sink dir:late-matches
    """
    limits = Limits(**{name: options.pop(name) for name in list(options) if name in Limits.__dataclass_fields__})
    with opened(store, engine, master, limits=limits) as broker, stopping() as stop:
        figures = broker.replay(letters, sink, stop=stop, **options)
    published = figures.messages - figures.rejected
    counts = f"{published} letters published, {figures.notifications} notifications, {figures.rejected} rejected again"
    click.echo(counts + failures(figures.failed), err=True)
    if (figures.rejected or figures.failed) and not stop.is_set():
        raise SystemExit(SOME_REJECTED)
