"""The batch job for `spark-submit`: reads messages from a path and writes the notifications of a Spark store.

    python -m xpubsub.jobs.batch --store DIR --input PATH --output PATH [--rejects PATH] [--plan auto]

`--input` is a Parquet or JSON Lines file or folder with the columns `id` and `xml` (and `timestamp`, for
correlations), or files and folders of XML: each file is one message, its path the id. Output is Parquet, or CSV or
JSON Lines if the path ends in `.csv` or `.jsonl`.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from xpubsub.engines.parquet import ParquetEngine
from xpubsub.errors import Error
from xpubsub.jobs.gc import arrange_if_needed
from xpubsub.jobs.publish.messages import Batch
from xpubsub.limits import Limits
from xpubsub.plan.request import PlanRequest, described
from xpubsub.store.store import Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from xpubsub.jobs.publish.spark_publisher import SparkPublisher

_READERS = {".parquet": "parquet", ".jsonl": "json", ".ndjson": "json", ".json": "json"}
_WRITERS = {".csv": "csv", ".jsonl": "json", ".ndjson": "json"}


def read_messages(session: SparkSession, path: str, kind: str | None = None) -> DataFrame:
    """Read messages as a frame (id, xml); `kind` is `parquet`, `json` or `xml`, by default inferred from the path."""
    from xpubsub.engines.spark_session import explained

    kind = kind or _READERS.get(_suffix(path), "xml")
    with explained(f"read {path}"):
        if kind != "xml":
            return session.read.format(kind).load(path)
        files = session.read.format("binaryFile").option("recursiveFileLookup", "true").load(path)
    return files.selectExpr("path as id", "content as xml")


def write_frame(frame: DataFrame, path: str) -> None:
    """Write a frame to a new path; an existing path is an error."""
    from xpubsub.engines.spark_session import explained

    kind = _WRITERS.get(_suffix(path), "parquet")
    writer = frame.write.format(kind).mode("errorifexists")
    with explained(f"write {path}"):
        (writer.option("header", "true") if kind == "csv" else writer).save(path)


def _suffix(path: str) -> str:
    name = path.rstrip("/").rsplit("/", 1)[-1]
    return name[name.rfind(".") :].lower() if "." in name else ""


def run(publisher: SparkPublisher, session: SparkSession, arguments: argparse.Namespace) -> int:
    """Match all messages and write the results; returns the number of rejected messages."""
    messages = read_messages(session, arguments.input, arguments.format)
    notifications, rejected = publisher.frames(messages, Batch((), arguments.stream, PlanRequest.parse(arguments.plan)))
    write_frame(notifications, arguments.output)
    if arguments.rejects:
        write_frame(rejected, arguments.rejects)
    return int(rejected.count())


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    description = "Match a path of messages with the subscriptions of a Spark store."
    parse = argparse.ArgumentParser(prog="python -m xpubsub.jobs.batch", description=description)
    parse.add_argument("--store", required=True, help="directory of the store, as given to xpubsub init --engine spark")
    parse.add_argument("--input", required=True, help="Parquet or JSON Lines with id and xml, or XML files")
    parse.add_argument("--format", choices=("parquet", "json", "xml"), help="format of the input (default: by path)")
    parse.add_argument("--output", required=True, help="where notifications go: Parquet, or .csv or .jsonl")
    parse.add_argument("--rejects", help="where rejected messages go")
    parse.add_argument("--plan", default="auto", help=described())
    parse.add_argument("--stream", default="S", help="the stream the messages belong to")
    parse.add_argument("--master", help="Spark master (default: by spark-submit, or local[*])")
    return parse


def main(argv: list[str] | None = None) -> int:
    """Exit 0: done; 1: done, but messages were rejected; 2: wrong usage or bad input."""
    arguments = parser().parse_args(argv)
    try:
        from xpubsub.engines.spark_session import SparkSessions
        from xpubsub.jobs.publish.spark_publisher import SparkPublisher

        sessions = SparkSessions(master=arguments.master)
        engine = ParquetEngine(arguments.store, sessions.hadoop_settings(), create=False)
        store = Store(engine, create=False)
        arrange_if_needed(store)
        publisher = SparkPublisher(store, engine, sessions, Limits())
        rejected = run(publisher, sessions.session, arguments)
        publisher.close()
        engine.close()
    except Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"done; {rejected} message(s) rejected", file=sys.stderr)
    return 1 if rejected else 0


if __name__ == "__main__":
    sys.exit(main())
