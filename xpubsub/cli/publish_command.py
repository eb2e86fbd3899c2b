"""`xpubsub publish`: match messages with all subscriptions, batch by batch."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import click
import pyarrow as pa

from xpubsub.broker import Broker
from xpubsub.cli.containers import is_container
from xpubsub.cli.documents import publish_documents
from xpubsub.cli.labels import Labels
from xpubsub.cli.message_tables import MESSAGE_COLUMNS
from xpubsub.cli.messages import STDIN, batches, message_paths, read_paths
from xpubsub.cli.options import (
    OF_SUBSCRIPTIONS,
    engine_options,
    limit_options,
    names_of_columns,
    namespace_option,
    opened,
    plan_option,
    store_argument,
    stream_option,
)
from xpubsub.cli.output import STDOUT, check_ending, json_option, output_option, table_output
from xpubsub.cli.progress import Reporter, reporting
from xpubsub.cli.received import TimedMessage
from xpubsub.cli.tally import FAILED_COLUMNS, REJECTED_COLUMNS, Tally
from xpubsub.limits import Limits
from xpubsub.plan.request import AUTO

NOTIFICATION_COLUMNS = pa.schema([
    ("message_id", pa.string()), ("subscription_id", pa.string()), ("output", pa.string()),
])
PART_COLUMNS = NOTIFICATION_COLUMNS.append(pa.field("part", pa.string()))
"""The columns of notifications while elements of messages are spilled."""
SOME_REJECTED = 1

"""The value of `--split` for units that the subscriptions imply."""


@click.command()
@store_argument
@click.argument("messages", nargs=-1, required=True, metavar="MESSAGES...")
@click.option("--split", metavar="PATH",
              help="Cut each of MESSAGES into units while it is read: a message is an outermost element that PATH"
                   " selects, such as /feed/entry or //person. Its id is the document's and #1, #2, ... With auto, the"
                   " subscriptions imply the units; their paths are then those of the whole document.")
@click.option("--spill", multiple=True, metavar="PATH",
              help="Keep the elements that PATH selects, such as /order/note, on disk until `xpubsub complete`. Can be"
                   " repeated. Notifications have a column part: whole, or reduced for an output with holes.")
@namespace_option
@output_option
@json_option
@click.option("--rejects", metavar="FILE", help="Write rejected messages to such a file instead of stderr.")
@click.option("--failed", metavar="FILE",
              help="Write each subscription whose query raised an error in a message to such a file instead of stderr.")
@plan_option
@click.option("--progress", is_flag=True, help="Report progress on stderr even if it is not a terminal.")
@stream_option
@click.option("--timings", is_flag=True, help="Print the plan and the time of each step on stderr.")
@click.option("--batch-size", type=click.IntRange(min=1), default=10_000, show_default=True, metavar="N",
              help="How many messages are matched together; ids must be unique within a batch.")
@click.option("--file-times", is_flag=True,
              help="For correlations: use each file's modification time as the time of its message.")
@click.option("--id-path", metavar="PATH",
              help="The id of a message is the text that this XPath finds in it, such as //MessageId.")
@click.option("--time-path", metavar="PATH",
              help="For correlations: the time of a message is what this XPath finds in it, such as //Created.")
@click.option("--columns", callback=names_of_columns(MESSAGE_COLUMNS), metavar="COLUMN=NAME,...",
              help="Names of columns in tables of messages, if other than above: id=key,xml=payload,time=created.")
@click.option("--replace", is_flag=True,
              help="For correlations: a file replaces the kept message with the same path.")
@limit_options(without=OF_SUBSCRIPTIONS)
@engine_options
def publish(
    store: str, messages: tuple[str, ...], split: str | None, spill: tuple[str, ...], namespaces: dict[str, str],
    output: str | None, as_json: bool, rejects: str | None, failed: str | None, plan: str, progress: bool, stream: str,
    timings: bool, batch_size: int, file_times: bool, id_path: str | None, time_path: str | None,
    columns: dict[str, str], replace: bool, engine: str, master: str | None, **limits: Any,
) -> None:
    """Match messages with all subscriptions.

    MESSAGES are files, directories (every *.xml below them), globs, or - for one message per line of standard input
    (with --split: for a document on standard input, which may never end).
    The id of a message is the path of its file, or stdin-TIME-N for line N of standard input. Files that cannot be
    read, or are given twice, are rejected.

    Files can also hold many messages: .zip and .tar archives of *.xml files; and .jsonl, .csv, .tsv and .parquet
    tables with a message in the column xml (or message, body) of each row, and perhaps the columns id and time. All
    but .zip and .parquet can be compressed (.gz, .bz2, .xz).

    Publishing a file again publishes a new message, unless --replace is given.

    \b
    Examples:
      xpubsub publish subs.duckdb inbox/ --output matches.csv --rejects rejects.csv
      zcat ticks.gz | xpubsub publish subs.duckdb - --timings
      xpubsub publish subs.duckdb invoices.zip --id-path "//inv:ID" --namespace inv=urn:invoices
      xpubsub publish subs.duckdb queue.jsonl.gz --columns id=key,xml=payload
      xpubsub publish subs.duckdb feed.xml --split /feed/entry
      xpubsub publish subs.duckdb inbox/ --spill //figure --output now.jsonl
    """
    _check_files(**{"--output": output, "--rejects": rejects, "--failed": failed})
    labels = Labels(id_path, time_path, namespaces)
    _check_split(split, spill, namespaces, file_times, labels, columns)
    paths = message_paths(messages)
    tally = Tally()
    with opened(store, engine, master, limits=Limits(**limits)) as broker, ExitStack() as outputs:
        schema = PART_COLUMNS if spill else NOTIFICATION_COLUMNS
        tally.notifications_to(outputs.enter_context(table_output(output, schema, as_json=as_json)), schema)
        if rejects is not None:
            tally.rejects_to(outputs.enter_context(table_output(rejects, REJECTED_COLUMNS)), REJECTED_COLUMNS)
        if failed is not None:
            tally.failures_to(outputs.enter_context(table_output(failed, FAILED_COLUMNS)), FAILED_COLUMNS)
        how: dict[str, Any] = {"stream": stream, "plan": plan, "replace": replace}
        one_each = split is None and STDIN not in paths and not any(map(is_container, paths))
        with reporting(progress, len(paths) if one_each else None) as reporter:
            if split is not None:
                publish_documents(broker, paths, tally, reporter, split=None if split == AUTO else split,
                                  namespaces=namespaces, batch_size=batch_size, tokens=timings, **how)
            else:
                read = read_paths(
                    paths, broker.limits.max_bytes, tally.refuse, file_times=file_times, columns=columns)
                if labels:
                    read = labels.put_on(read, tally.refuse)
                if spill:
                    how |= {"spill": spill, "namespaces": namespaces}
                _publish(broker, batches(read, batch_size), tally, reporter, **how)
    tally.report(timings=timings)
    if tally.rejected or tally.failed:
        raise SystemExit(SOME_REJECTED)


def _check_files(**files: str | None) -> None:
    named: dict[str, str] = {}
    for option, path in files.items():
        check_ending(path)
        if path == STDOUT and option != "--output":
            raise click.UsageError(f"{option} needs a file: without it, they are listed on standard error")
        if path is not None and (other := named.setdefault(os.path.realpath(path), option)) != option:
            raise click.UsageError(f"{other} and {option} name the same file")


def _check_split(
    split: str | None, spill: tuple[str, ...], namespaces: dict[str, str], file_times: bool, labels: Labels,
    columns: dict[str, str],
) -> None:
    if split is None and not spill and not labels and namespaces:
        raise click.UsageError("--namespace is for the names in --split, --spill, --id-path and --time-path")
    whole = {"--spill": spill, "--file-times": file_times, "--id-path and --time-path": labels, "--columns": columns}
    for option, given in whole.items():
        if split is not None and given:
            raise click.UsageError(f"{option} cannot be used together with --split")


def _publish(
    broker: Broker, cut: Iterator[Iterator[TimedMessage]], tally: Tally, reporter: Reporter, **how: Any
) -> None:
    for batch in cut:
        tally.add(broker.publish(tally.counted(batch), progress=reporter.read, **how))
        reporter.matched(tally.notified)
    tally.take_refused()
