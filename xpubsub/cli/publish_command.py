"""`publish`: messages in, notifications out, batch by batch."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import click
import pyarrow as pa

from xpubsub.broker import Broker
from xpubsub.cli.messages import STDIN, Message, batches, message_paths, read_messages
from xpubsub.cli.options import (
    OF_SUBSCRIPTIONS,
    engine_options,
    limit_options,
    opened,
    plan_option,
    store_argument,
    stream_option,
)
from xpubsub.cli.output import check_ending, table_output
from xpubsub.cli.progress import Reporter, reporting
from xpubsub.cli.tally import REJECTED, Tally
from xpubsub.limits import Limits

NOTIFICATIONS = pa.schema([("message_id", pa.string()), ("subscription_id", pa.string()), ("output", pa.string())])
SOME_REJECTED = 1


@click.command()
@store_argument
@click.argument("messages", nargs=-1, required=True, metavar="MESSAGES...")
@click.option("--output", metavar="FILE", help="Notifications: .csv, .tsv, .jsonl or .parquet; without it, stdout.")
@click.option("--rejects", metavar="FILE", help="Messages that were rejected, likewise; without it, stderr.")
@plan_option
@click.option("--progress", is_flag=True, help="Report on stderr also when it is no terminal.")
@stream_option
@click.option("--timings", is_flag=True, help="Print the plan and the seconds of each step, on stderr.")
@click.option("--batch-size", type=click.IntRange(min=1), default=10_000, show_default=True, metavar="N",
              help="Messages that are matched together; ids are unique within a batch.")
@click.option("--file-times", is_flag=True,
              help="For correlations, the time of a message is that of its file's last change, not of its arrival.")
@click.option("--replace", is_flag=True,
              help="For correlations, a file takes the place of the message kept with the same path.")
@limit_options(without=OF_SUBSCRIPTIONS)
@engine_options
def publish(
    store: str, messages: tuple[str, ...], output: str | None, rejects: str | None, plan: str, progress: bool,
    stream: str, timings: bool, batch_size: int, file_times: bool, replace: bool, engine: str, master: str | None,
    **limits: Any,
) -> None:
    """Match messages with all subscriptions.

    MESSAGES are files, directories (every *.xml below), globs, or - for one message per line of standard input. The id
    of a message is its file's path, or stdin-TIME-N for the line N. A file that is published again is another message,
    unless --replace is given. A file that cannot be read is rejected, and so is one that is named twice.

    \b
    Examples:
      xpubsub publish subs.duckdb inbox/ --output matches.csv --rejects rejects.csv
      zcat ticks.gz | xpubsub publish subs.duckdb - --timings
    """
    _check_files(output, rejects)
    paths = message_paths(messages)
    tally = Tally()
    with opened(store, engine, master, limits=Limits(**limits)) as broker, ExitStack() as outputs:
        tally.notifications_to(outputs.enter_context(table_output(output, NOTIFICATIONS)), NOTIFICATIONS)
        if rejects is not None:
            tally.rejects_to(outputs.enter_context(table_output(rejects, REJECTED)), REJECTED)
        with reporting(progress, None if STDIN in paths else len(paths)) as reporter:
            read = read_messages(paths, broker.limits.max_bytes, tally.refuse, file_times=file_times)
            _publish(broker, batches(read, batch_size), tally, reporter, stream=stream, plan=plan, replace=replace)
    tally.report(timings=timings)
    if tally.rejected:
        raise SystemExit(SOME_REJECTED)


def _check_files(output: str | None, rejects: str | None) -> None:
    check_ending(output)
    check_ending(rejects)
    if output is not None and rejects is not None and os.path.realpath(output) == os.path.realpath(rejects):
        raise click.UsageError("--output and --rejects name the same file")


def _publish(
    broker: Broker, cut: Iterator[Iterator[Message]], tally: Tally, reporter: Reporter, **how: Any
) -> None:
    for batch in cut:
        tally.add(broker.publish(tally.counted(batch), progress=reporter.read, **how))
        reporter.matched(tally.notified)
    tally.take_refused()
