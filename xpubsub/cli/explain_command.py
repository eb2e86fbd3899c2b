"""`xpubsub explain`: why messages match a subscription, or why they do not."""

from __future__ import annotations

import dataclasses
import json
import os

import click

from xpubsub.cli.messages import STDIN, read_message
from xpubsub.cli.options import engine_options, given_time, looked_at, plan_option, store_argument
from xpubsub.cli.output import json_option
from xpubsub.cli.program import Failure
from xpubsub.open_store import DEFAULT_STREAM
from xpubsub.spill.choose import POLICIES


@click.command()
@store_argument
@click.argument("given", nargs=-1, required=True, metavar="ID MESSAGES...")
@click.option("--stream", "streams", multiple=True, metavar="NAME",
              help="The stream that the messages are published to. Repeat it to give one per message. "
                   f"[default: {DEFAULT_STREAM}]")
@click.option("--time", "times", multiple=True, metavar="T",
              help="For correlations: the time of a message, in seconds or as 2026-01-31T12:00:00. Repeat it once per "
                   "message. Without it, each message is later than the one before.")
@click.option("--file-times", is_flag=True, help="Use each file's modification time as the time of its message.")
@click.option("--sql", is_flag=True, help="Also print the plan and the SQL of each step.")
@click.option("--spill", is_flag=True,
              help="Explain instead what a job with --overload would spill of such messages: no ID is given.")
@click.option("--policy", default="optprune", show_default=True, type=click.Choice(tuple(POLICIES)),
              help="With --spill: how to choose.")
@click.option("--load", default=2.0, show_default=True, metavar="TIMES",
              help="With --spill: how many times as many messages come as can be processed.")
@json_option
@plan_option
@engine_options
def explain(
    store: str, given: tuple[str, ...], streams: tuple[str, ...], times: tuple[str, ...], file_times: bool, sql: bool,
    spill: bool, policy: str, load: float, as_json: bool, plan: str, engine: str, master: str | None,
) -> None:
    """Explain why MESSAGES match a subscription, or which condition fails first.

    A message is a file, or - for standard input. A filter or transformation takes one message. A correlation takes one
    message per block, in the order of publishing; or a single message, to see which blocks it fits.

    \b
    Examples:
      xpubsub explain subs.duckdb s1 tick.xml
      xpubsub explain subs.duckdb s1 tick.xml --stream stocks --sql
      xpubsub explain subs.duckdb pair order.xml payment.xml --time 0 --time 90
      xpubsub explain subs.duckdb pair order.xml payment.xml --stream orders --stream payments
      xpubsub explain subs.duckdb --spill order.xml --load 3
    """
    subscription_id, messages = ("", given) if spill else (given[0], given[1:])
    _check_options(messages, streams, spill, of_messages=bool(times) or file_times or sql)
    if as_json and (spill or sql):
        raise click.UsageError("--json is for the explanation of a subscription, without --sql and --spill")
    at = _times(messages, times, file_times)
    with looked_at(store, engine, master) as broker:
        xmls = [read_message(message, broker.limits.max_bytes) for message in messages]
        stream = streams if len(streams) > 1 else (*streams, DEFAULT_STREAM)[0]
        if spill:
            click.echo(broker.explain_spill(*xmls, stream=str(stream), policy=policy, load=load))
            return
        explanation = broker.explain(subscription_id, *xmls, stream=stream, times=at)
        if as_json:
            click.echo(json.dumps(dataclasses.asdict(explanation), ensure_ascii=False))
            return
        click.echo(str(explanation))
        if len(messages) > 1:
            click.echo("\n".join(f"message {number}: {name}" for number, name in enumerate(messages, start=1)))
        if sql:
            click.echo(f"\n{broker.explain_sql(plan)}")


def _check_options(messages: tuple[str, ...], streams: tuple[str, ...], spill: bool, *, of_messages: bool) -> None:
    if not messages:
        raise click.UsageError("give the id of a subscription, and at least one message")
    if spill and (of_messages or len(streams) > 1):
        raise click.UsageError("--spill takes one --stream, and neither times nor --sql")


def _times(messages: tuple[str, ...], times: tuple[str, ...], file_times: bool) -> list[float | str | None] | None:
    if messages.count(STDIN) > 1:
        raise Failure("- is given twice: standard input can be read only once")
    if times and file_times:
        raise click.UsageError("use --time or --file-times, not both")
    if file_times:
        return [None if message == STDIN else os.path.getmtime(message) for message in messages]
    return [given_time(text) for text in times] if times else None
