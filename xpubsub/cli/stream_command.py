"""`xpubsub stream`: publish messages as they come, and deliver the results exactly once."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType
from typing import Any

import click

from xpubsub.cli.heartbeat import beating
from xpubsub.cli.options import (
    OF_SUBSCRIPTIONS,
    engine_options,
    limit_options,
    namespace_option,
    opened,
    plan_option,
    store_argument,
    stream_option,
)
from xpubsub.cli.publish_command import SOME_REJECTED
from xpubsub.cli.tally import counted
from xpubsub.jobs.overload.settings import OVERLOAD_POLICIES, Overload
from xpubsub.jobs.stream.opening import FORMATS
from xpubsub.jobs.stream.options import MAX_BATCH_BYTES, MAX_MESSAGES
from xpubsub.limits import Limits


@click.command()
@store_argument
@click.option("--source", required=True, metavar="SRC",
              help="Where messages come from: dir:PATH, - (standard input), tcp:HOST:PORT or"
                   " kafka:SERVERS/TOPIC.")
@click.option("--sink", required=True, metavar="SINK",
              help="Where notifications go: dir:PATH, each:PATH, - (standard output) or kafka:SERVERS/TOPIC.")
@click.option("--dead-letters", metavar="SINK", help="Where rejected messages go, such as dir:PATH.")
@click.option("--checkpoint", metavar="DIR",
              help="The directory of results that are not delivered yet. [default: STORE.stream]")
@click.option("--format", type=click.Choice(FORMATS), default=FORMATS[0], show_default=True,
              help="The files that dir:PATH gets as a sink.")
@stream_option
@plan_option
@click.option("--split", metavar="PATH",
              help="Cut each file, standard input or connection into units while it is read: a message is an outermost"
                   " element that PATH selects, such as /feed/entry. Its id is the document's and #1, #2, ..."
                   " With auto, the subscriptions at the start of the job imply the units, as in publish.")
@namespace_option
@click.option("--file-times", is_flag=True,
              help="For correlations: use each file's modification time as the time of its message.")
@click.option("--done", metavar="delete|DIR",
              help="Delete published files of a directory, or move them to DIR; their names are then not kept.")
@click.option("--max-file-age", metavar="AGE",
              help="Do not read files that were modified so much (such as 7d) before the newest one published; the job"
                   " then does not keep their names.")
@click.option("--max-messages", type=click.IntRange(min=1), default=MAX_MESSAGES, show_default=True, metavar="N",
              help="The most messages of a batch.")
@click.option("--max-batch-bytes", type=click.IntRange(min=1), default=MAX_BATCH_BYTES, show_default=True, metavar="N",
              help="The size of a batch's messages from which on it gets no further message.")
@click.option("--once", is_flag=True, help="Stop when the source has no more messages, instead of waiting for more.")
@click.option("--resume", is_flag=True,
              help="Standard input, or the server of a connection, begins with its first line again: leave out the"
                   " lines that were published before.")
@click.option("--overload", type=click.Choice(OVERLOAD_POLICIES), metavar="POLICY",
              help="What to do when messages come too fast: optprune, optr, tox and random choose elements that are"
                   " spilled to disk and completed later; whole sets whole messages aside; backpressure lets the source"
                   " wait, which is the default.")
@click.option("--overload-buffer", type=click.IntRange(min=1024), default=Overload.buffer, show_default=True,
              metavar="N", help="With --overload: the bytes of messages that are read ahead.")
@click.option("--overload-messages", type=click.IntRange(min=1), default=Overload.messages, show_default=True,
              metavar="N", help="With --overload: the number of messages that are read ahead.")
@click.option("--metrics", type=click.IntRange(1, 65_535), metavar="PORT",
              help="Serve figures to Prometheus at http://127.0.0.1:PORT/metrics.")
@click.option("--progress", is_flag=True, help="Report on stderr every ten seconds even if it is not a terminal.")
@click.option("--control/--no-control", default=True, show_default=True,
              help="Let your other commands reach a DuckDB store while the job runs, by the socket STORE.sock.")
@limit_options(without=OF_SUBSCRIPTIONS)
@engine_options
def stream(
    store: str, source: str, sink: str, progress: bool, engine: str, master: str | None, overload: str | None,
    overload_buffer: int, overload_messages: int, **options: Any,
) -> None:
    """Publish messages as they come, and deliver the results, each exactly once.

    A job that was stopped or killed goes on where it ended when the same command is run again. Ctrl-C and SIGTERM
    finish the batch under way; a second one ends the job at once, which loses nothing either.

    While the job runs, `subscribe`, `unsubscribe`, `list`, `show`, `stats`, `explain`, `schema`, `clock` and `gc` work
    as always. Changed subscriptions apply from the next batch.

    \b
    Sources:
      dir:PATH        a directory that fills: each *.xml file is a message; files must appear by a rename
      -               standard input, one message per line, or with --split one per unit
      tcp:HOST:PORT   a server that sends one message per line; the job connects to it, again and again
      kafka:SERVERS/TOPIC   the records of a topic; add ?config=FILE for settings of the client
    \b
    Sinks:
      dir:PATH        a directory with a file per batch, Parquet or JSON Lines (--format)
      each:PATH       a directory with a JSON Lines file per subscription
      -               standard output, JSON Lines
      kafka:SERVERS/TOPIC   JSON records; consumers must read committed transactions only

    \b
    Examples:
      xpubsub stream subs.duckdb --source dir:inbox --sink dir:matches --dead-letters dir:rejected
      xpubsub stream subs.duckdb --source dir:inbox --sink dir:matches --format jsonl --once
      xpubsub stream subs.duckdb --source dir:inbox --sink dir:matches --done inbox/.done
      tail -f ticks.log | xpubsub stream subs.duckdb --source - --sink -
      xpubsub stream subs.duckdb --source tcp:localhost:9000 --sink each:subscribers
      curl -sN https://example.org/feed | xpubsub stream subs.duckdb --source - --sink - --split /feed/entry
      xpubsub stream subs.duckdb --source kafka:localhost:9092/ticks --sink kafka:localhost:9092/matches
      xpubsub stream subs.duckdb --source tcp:localhost:9000 --sink dir:matches --overload optprune
    """
    limits = Limits(**{name: options.pop(name) for name in list(options) if name in Limits.__dataclass_fields__})
    with opened(store, engine, master, limits=limits) as broker, stopping() as stop, beating(progress) as beat:
        relief = None if overload is None else Overload(overload, overload_buffer, overload_messages)
        figures = broker.stream(source, sink, stop=stop, progress=beat, overload=relief, **options)
    click.echo(counted(figures.messages, figures.notifications, figures.rejected, figures.failed), err=True)
    if (figures.rejected or figures.failed) and not stop.is_set():
        raise SystemExit(SOME_REJECTED)


@contextmanager
def stopping() -> Iterator[Event]:
    """Give an event that the first Ctrl-C or SIGTERM sets; the second raises `KeyboardInterrupt`."""
    stop = Event()

    def handle(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        click.echo("stopping after the batch under way; once more to stop at once", err=True)

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
