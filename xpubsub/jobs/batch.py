"""The batch job for `spark-submit`: reads messages from a path and writes the notifications of a Spark store.

    python -m xpubsub.jobs.batch --store DIR --input PATH --output PATH [--rejects PATH] [--failed PATH] [--plan auto]

`--input` is a file or folder with the columns `id` and `xml` (and `timestamp`, for correlations), in any format that
the Spark session knows, or files and folders of XML: each file is one message, its path the id. Output is Parquet, or
CSV or JSON Lines if the path ends in `.csv` or `.jsonl`, or any other format that the session knows.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from xpubsub.engines.parquet import ParquetEngine
from xpubsub.errors import EngineError, Error
from xpubsub.jobs.gc import arrange_if_needed
from xpubsub.jobs.publish.messages import Batch
from xpubsub.limits import Limits
from xpubsub.plan.request import PlanRequest, described
from xpubsub.store.store import Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from xpubsub.jobs.publish.spark_publisher import SparkPublisher

_FORMATS = {".parquet": "parquet", ".jsonl": "json", ".ndjson": "json", ".json": "json", ".csv": "csv", ".orc": "orc"}
_XML = "xml"
_UNKNOWN_FORMAT = "DATA_SOURCE_NOT_FOUND"


def read_messages(
    session: SparkSession, path: str, kind: str | None = None, options: dict[str, str] | None = None
) -> DataFrame:
    """Read messages as a frame (id, xml); `kind` is `xml` or a format of Spark's, by default inferred from the path."""
    from xpubsub.engines.spark_session import explained

    kind = kind or _FORMATS.get(_suffix(path), _XML)
    with explained(f"read {path}"), _known(kind):
        if kind != _XML:
            defaults = {"header": "true", "multiLine": "true"} if kind == "csv" else {}
            return session.read.format(kind).options(**defaults, **(options or {})).load(path)
        files = session.read.format("binaryFile").option("recursiveFileLookup", "true").load(path)
    return files.selectExpr("path as id", "content as xml")


def write_frame(frame: DataFrame, path: str, kind: str | None = None) -> None:
    """Write a frame to a new path; an existing path is an error."""
    from xpubsub.engines.spark_session import explained

    kind = kind or _FORMATS.get(_suffix(path), "parquet")
    writer = frame.write.format(kind).mode("errorifexists")
    with explained(f"write {path}"), _known(kind):
        (writer.option("header", "true") if kind == "csv" else writer).save(path)


@contextmanager
def _known(kind: str) -> Iterator[None]:
    """Say how to add a format that the session does not know."""
    try:
        yield
    except Exception as error:
        if _UNKNOWN_FORMAT not in str(error):
            raise
        raise EngineError(f"this Spark does not know the format {kind}: name its package in spark.jars.packages, for"
                          " example io.delta:delta-spark_2.13:VERSION") from error


def _suffix(path: str) -> str:
    name = path.rstrip("/").rsplit("/", 1)[-1]
    return name[name.rfind(".") :].lower() if "." in name else ""


def run(publisher: SparkPublisher, session: SparkSession, arguments: argparse.Namespace) -> int:
    """Match all messages and write the results; returns the number of rejected messages and failed queries."""
    messages = read_messages(session, arguments.input, arguments.format, _options(arguments.option))
    keep = [name for name in (arguments.keep or "").split(",") if name]
    batch = Batch((), arguments.stream, PlanRequest.parse(arguments.plan))
    notifications, rejected, failed = publisher.frames(messages, batch, keep)
    write_frame(notifications, arguments.output, arguments.output_format)
    if arguments.rejects:
        write_frame(rejected, arguments.rejects, arguments.output_format)
    if arguments.failed:
        write_frame(failed, arguments.failed, arguments.output_format)
    return int(rejected.count()) + int(failed.count())


def _options(given: list[str] | None) -> dict[str, str]:
    """Read options of a format, each `name=value`."""
    for each in given or []:
        if "=" not in each:
            raise Error(f"--option is written name=value, not {each!r}")
    return {name: value for name, _, value in (each.partition("=") for each in given or [])}


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    description = "Match a path of messages with the subscriptions of a Spark store."
    parse = argparse.ArgumentParser(prog="python -m xpubsub.jobs.batch", description=description)
    parse.add_argument("--store", required=True, help="directory of the store, as given to xpubsub init --engine spark")
    parse.add_argument("--input", required=True, help="Parquet or JSON Lines with id and xml, or XML files")
    parse.add_argument("--format", help="format of the input: xml, or any that Spark knows, such as parquet, json, csv,"
                                        " delta (default: by path)")
    parse.add_argument("--option", action="append", help="option of the input's format, name=value; may be repeated")
    parse.add_argument("--output", required=True, help="where notifications go: Parquet, or .csv or .jsonl")
    parse.add_argument("--rejects", help="where rejected messages go")
    parse.add_argument("--failed", help="where the subscriptions go whose query raised an error in a message")
    parse.add_argument("--output-format", help="format of the output, such as delta (default: by path)")
    parse.add_argument("--keep", help="columns of the input to add to the output, separated by commas")
    parse.add_argument("--plan", default="auto", help=described())
    parse.add_argument("--stream", default="S", help="the stream the messages belong to")
    parse.add_argument("--master", help="Spark master (default: by spark-submit, or local[*])")
    return parse


def main(argv: list[str] | None = None) -> int:
    """Exit 0: done; 1: done, but messages were rejected or queries failed; 2: wrong usage or bad input."""
    arguments = parser().parse_args(argv)
    try:
        aside = _main(arguments)
    except Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"done; {aside} message(s) rejected or queries failed", file=sys.stderr)
    return 1 if aside else 0


def _main(arguments: argparse.Namespace) -> int:
    from xpubsub.engines.spark_session import SparkSessions
    from xpubsub.jobs.publish.spark_publisher import SparkPublisher

    sessions = SparkSessions(master=arguments.master)
    engine = ParquetEngine(arguments.store, sessions.hadoop_settings(), create=False)
    store = Store(engine, create=False)
    arrange_if_needed(store)
    publisher = SparkPublisher(store, engine, sessions, Limits())
    try:
        return run(publisher, sessions.session, arguments)
    finally:
        publisher.close()
        engine.close()


if __name__ == "__main__":
    sys.exit(main())
