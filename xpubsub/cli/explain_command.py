"""`explain`: why messages match a subscription, or why not."""

from __future__ import annotations

import os
from datetime import datetime

import click

from xpubsub.broker import DEFAULT_STREAM
from xpubsub.cli.messages import STDIN, read_file
from xpubsub.cli.options import engine_options, looked_at, plan_option, store_argument
from xpubsub.cli.program import Failure


@click.command()
@store_argument
@click.argument("subscription_id", metavar="ID")
@click.argument("messages", nargs=-1, required=True, metavar="MESSAGES...")
@click.option("--stream", "streams", multiple=True, metavar="NAME",
              help="The stream that the messages are published to; or once for each of them. "
                   f"[default: {DEFAULT_STREAM}]")
@click.option("--time", "times", multiple=True, metavar="T",
              help="For correlations, the time of a message, once for each: seconds, or 2026-01-31T12:00:00. "
                   "Without it, the messages arrive one after the other.")
@click.option("--file-times", is_flag=True, help="The time of a message is that of its file's last change.")
@click.option("--sql", is_flag=True, help="Print the plan and the SQL of each of its steps as well.")
@plan_option
@engine_options
def explain(
    store: str, subscription_id: str, messages: tuple[str, ...], streams: tuple[str, ...], times: tuple[str, ...],
    file_times: bool, sql: bool, plan: str, engine: str, master: str | None,
) -> None:
    """Say why MESSAGES match a subscription, or the first thing that fails: what `publish` of them would do.

    A message is a file, or - for standard input. Give one; of a correlation, one (which block could it be?) or as many
    as it has blocks, in the order in which they are published.

    \b
    Examples:
      xpubsub explain subs.duckdb s1 tick.xml
      xpubsub explain subs.duckdb s1 tick.xml --stream stocks --sql
      xpubsub explain subs.duckdb pair order.xml payment.xml --time 0 --time 90
      xpubsub explain subs.duckdb pair order.xml payment.xml --stream orders --stream payments
    """
    given = _times(messages, times, file_times)
    with looked_at(store, engine, master) as broker:
        xmls = [read_file(message, broker.limits.max_bytes) for message in messages]
        stream = streams if len(streams) > 1 else (*streams, DEFAULT_STREAM)[0]
        click.echo(str(broker.explain(subscription_id, *xmls, stream=stream, times=given)))
        if len(messages) > 1:
            click.echo("\n".join(f"message {number}: {name}" for number, name in enumerate(messages, start=1)))
        if sql:
            click.echo(f"\n{broker.explain_sql(plan)}")


def _times(messages: tuple[str, ...], times: tuple[str, ...], file_times: bool) -> list[float | datetime | None] | None:
    if messages.count(STDIN) > 1:
        raise Failure("- is given twice: there is one standard input")
    if times and file_times:
        raise click.UsageError("--time and --file-times exclude each other")
    if file_times:
        return [None if message == STDIN else os.path.getmtime(message) for message in messages]
    return [_time(text) for text in times] if times else None


def _time(text: str) -> float | datetime:
    """A number of seconds, or a date with a time."""
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise Failure(f"--time {text}: a time is a number of seconds, or written as 2026-01-31T12:00:00") from None
