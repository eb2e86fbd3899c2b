"""`xpubsub clock`: show the clocks of streams, or set one."""

from __future__ import annotations

import json

import click

from xpubsub.cli.options import engine_options, given_time, opened, store_argument
from xpubsub.cli.output import json_option
from xpubsub.jobs.publish.times import shown_time
from xpubsub.limits import Limits


@click.command()
@store_argument
@click.option("--stream", metavar="S", help="The stream. Default: all streams that correlations read.")
@click.option("--set", "at", metavar="T", help="Set the clock of --stream to T: seconds since 1970, or ISO 8601.")
@click.option("--max-future", type=click.FloatRange(min=0), default=Limits.max_future, show_default=True, metavar="N",
              help="How many seconds T may be ahead of now; inf for no limit.")
@json_option
@engine_options
def clock(
    store: str, stream: str | None, at: str | None, max_future: float, as_json: bool, engine: str, master: str | None
) -> None:
    """Show the clocks of streams, or set one.

    A stream's clock is the latest time of its messages so far. A message that is behind the clock by more than the
    lateness is rejected. Setting a clock back drops the stream's kept messages that are later than the new time.

    \b
    Examples:
      xpubsub clock subs.duckdb
      xpubsub clock subs.duckdb --stream S --set 2024-05-01T12:00:00Z
    """
    if at is not None and stream is None:
        raise click.UsageError("--set needs --stream NAME: the clock to set")
    with opened(store, engine, master, limits=Limits(max_future=max_future)) as broker:
        if at is not None and stream is not None:
            broker.set_clock(stream, given_time(at))
        clocks = broker.clocks()
    for name, time in clocks.items():
        if stream is None or name == stream:
            click.echo(json.dumps({"stream": name, "clock": time}) if as_json else f"{name}: {shown_time(time)}")
    if stream is not None and stream not in clocks:
        click.echo(f"note: stream {stream} has no clock: no correlation reads it, or it has no messages yet", err=True)
