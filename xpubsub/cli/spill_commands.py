"""`xpubsub complete` and `xpubsub merge`: what was spilled comes later, and is put into its place."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pyarrow.parquet as pq

from xpubsub.cli.options import OF_SUBSCRIPTIONS, engine_options, limit_options, opened, store_argument
from xpubsub.cli.output import check_ending, json_option, output_option, table_output
from xpubsub.cli.program import Failure
from xpubsub.cli.publish_command import NOTIFICATION_COLUMNS, PART_COLUMNS, SOME_REJECTED
from xpubsub.cli.tally import Tally
from xpubsub.jobs.publish.result import Result
from xpubsub.limits import Limits
from xpubsub.spill.merging import merge


@click.command()
@store_argument
@click.option("--limit", type=click.IntRange(min=1), metavar="N",
              help="Complete about N messages, the oldest first; by default all.")
@output_option
@json_option
@limit_options(without=OF_SUBSCRIPTIONS)
@engine_options
def complete(
    store: str, limit: int | None, output: str | None, as_json: bool, engine: str, master: str | None, **limits: Any
) -> None:
    """Complete the messages of which elements were spilled: print what was missing.

    The column part is filler for what belongs into a hole of an earlier output, whole for what could not be decided
    before. A message counts as completed once its notifications are written.

    \b
    Example:
      xpubsub complete subs.duckdb --output later.jsonl
    """
    check_ending(output)
    tally = Tally()

    def deliver(result: Result) -> None:
        with table_output(output, PART_COLUMNS, as_json=as_json) as writer:
            tally.notifications_to(writer, PART_COLUMNS)
            tally.add(result)

    with opened(store, engine, master, limits=Limits(**limits)) as broker:
        before = broker.stats().get("spilled messages", 0)
        broker.complete(limit, deliver=deliver)
        tally.messages = before - broker.stats().get("spilled messages", 0)
    tally.report(timings=False)
    if tally.rejected or tally.failed:
        raise SystemExit(SOME_REJECTED)


@click.command("merge")
@click.argument("files", nargs=-1, required=True, metavar="FILES...")
@output_option
@json_option
def merge_(files: tuple[str, ...], output: str | None, as_json: bool) -> None:
    """Put fillers into the holes of outputs.

    FILES are the notifications of `xpubsub publish --spill` and of `xpubsub complete`, in any order. The result is that
    of a run in which nothing was spilled. A hole without a filler, or a filler without a hole, is an error.

    \b
    Example:
      xpubsub merge now.jsonl later.jsonl --output all.jsonl
    """
    check_ending(output)
    merged = merge(*(_read(Path(file)) for file in files))
    with table_output(output, NOTIFICATION_COLUMNS, as_json=as_json) as writer:
        writer.write(merged)


def _read(path: Path) -> pa.Table:
    """Return the notifications in a file."""
    check_ending(str(path))
    try:
        rows = pq.read_table(path) if path.suffix.lower() == ".parquet" else pa.Table.from_pylist(list(_rows(path)))
    except (ValueError, AttributeError, pa.ArrowException, csv.Error) as error:
        raise Failure(f"{path} cannot be read: {error}") from error
    if not rows.num_rows:
        return PART_COLUMNS.empty_table()
    if missing := [name for name in PART_COLUMNS.names if name not in rows.column_names]:
        raise Failure(f"{path} has no column {' and no column '.join(missing)}: give what publish --spill, complete and"
                      " stream --overload have written")
    return rows


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="") as file:
        if path.suffix.lower() in (".jsonl", ".ndjson"):
            yield from (json.loads(line) for line in file if line.strip())
            return
        csv.field_size_limit(sys.maxsize)
        for row in csv.DictReader(file, delimiter="," if path.suffix.lower() == ".csv" else "\t"):
            yield {**row, "output": row.get("output") or None}
