"""Streaming frames of messages (id, xml, timestamp, arrived), from a directory or from Kafka."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xpubsub.engines.spark_session import explained
from xpubsub.errors import EngineError, Error
from xpubsub.jobs.stream.disposing import DELETE
from xpubsub.jobs.stream.kafka_client import KafkaAddress
from xpubsub.jobs.stream.source_options import SourceOptions
from xpubsub.jobs.stream.spark_source import SparkSource

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_FILES = "path string, modificationTime timestamp, length long, content binary"
_NO_AGE = "36500d"
"""Spark leaves out files that are much older than the newest; here none is old enough."""
_FORMAT = "kafka"
_CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.13"


def spark_source(session: SparkSession, given: Any, options: SourceOptions) -> SparkSource | None:
    """Return the source that a text names, if Spark can read it in batches; else None."""
    scheme, _, rest = given.partition(":") if isinstance(given, str) else ("", "", "")
    if scheme not in ("dir", "kafka") or not rest or options.cutters is not None:
        return None
    if not hasattr(session, "_jvm") or session._jvm is None:
        raise Error("the streaming job needs Spark's own session, not Spark Connect: start it on the driver")
    frame = _directory(session, rest, options) if scheme == "dir" else _kafka(session, rest, options)
    if options.checkpoint is None:
        raise Error("the streaming job on Spark needs a checkpoint")
    marks = (options.checkpoint / "spark").absolute()
    return SparkSource(frame, marks.as_uri(), once=options.once, max_messages=options.max_messages)


def _directory(session: SparkSession, path: str, options: SourceOptions) -> DataFrame:
    from pyspark.sql.functions import col, expr, lit

    base = path.rstrip("/") if "://" in path else f"file:{os.path.abspath(path)}"
    if "://" not in path and not os.path.isdir(path):
        raise Error(f"dir:{path}: there is no such directory")
    reader = session.readStream.format("binaryFile").schema(_FILES).option("pathGlobFilter", "*.xml")
    age = _NO_AGE if options.max_file_age is None else f"{int(options.max_file_age * 1e6)}us"
    reader = reader.option("recursiveFileLookup", "true").option("maxFileAge", age).options(**_cleaning(options.done))
    with explained("stream"):
        files = reader.option("maxFilesPerTrigger", options.max_messages).load(base)
        name = expr(f"substring(path, {len(base) + 2})")
        at = col("modificationTime") if options.file_times else lit(None).cast("timestamp")
        return files.select(name.alias("id"), col("content").alias("xml"), at.alias("timestamp"),
                            col("modificationTime").alias("arrived"))


def _cleaning(done: str | None) -> dict[str, str]:
    """Return the options by which Spark deletes or moves the files of a batch, when the next batch begins."""
    if done is None or done == DELETE:
        return {} if done is None else {"cleanSource": "delete"}
    target = done if "://" in done else Path(done).absolute().as_uri()
    return {"cleanSource": "archive", "sourceArchiveDir": target}


def _kafka(session: SparkSession, text: str, options: SourceOptions) -> DataFrame:
    from pyspark.sql.functions import col, concat_ws

    address = KafkaAddress.parse(text)
    settings = {f"kafka.{name}": value for name, value in address.settings.items()}
    settings |= {
        "kafka.bootstrap.servers": address.servers, "subscribe": address.topic, "startingOffsets": "earliest",
        "failOnDataLoss": "true", "maxOffsetsPerTrigger": str(options.max_messages),
        "kafka.isolation.level": "read_committed",
    }
    try:
        with explained("stream"):
            records = session.readStream.format(_FORMAT).options(**settings).load()
    except EngineError as error:
        if "Failed to find" not in str(error):
            raise
        raise _no_connector(session) from error
    name = concat_ws("/", "topic", "partition", "offset")
    return records.select(
        name.alias("id"), col("value").alias("xml"), col("timestamp"), col("timestamp").alias("arrived"))


def _no_connector(session: SparkSession) -> Error:
    """Return the error for a session that cannot read Kafka."""
    wanted = f"{_CONNECTOR}:{session.version}"
    return EngineError(
        f"Spark has no connector for Kafka: start the session with the package {wanted}, by spark-submit --packages, by"
        f" spark.jars.packages, or by PYSPARK_SUBMIT_ARGS='--packages {wanted} pyspark-shell'; with --jars or"
        " spark.jars name its jar and those of spark-token-provider-kafka-0-10, kafka-clients and commons-pool2")
