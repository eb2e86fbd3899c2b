"""The Spark session of a store: the user's, or one that is started when it is first needed."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc
from py4j.protocol import Py4JError
from pyspark import cloudpickle
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import lit, struct
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructField, StructType

from xpubsub.arrow import ArrowFunction
from xpubsub.errors import EngineError, Error
from xpubsub.processes import cores

_FOR_BATCHES = {
    "spark.sql.adaptive.enabled": "false", "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.requireAllClusterKeysForCoPartition": "false",
    "spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 1)),
    "spark.sql.cteRecursionRowLimit": "-1", "spark.sql.cteRecursionLevelLimit": "-1",
}
"""Settings for batches: without adaptive execution and broadcasts a query is one job, however often it shuffles."""
PART_BYTES = 8_000_000
"""The size of a partition that is made of a table of this process."""
_HADOOP = "spark.hadoop."
_LOCAL_CORES = re.compile(r"local\[(\*|\d+)[,\]]")
_NO_PACKAGE = re.compile(r"No module named '(\w+)")
_STOPPED = "the Spark session has been stopped: open the store again, with a session that runs"
_PACKAGE_REMEDY = ("before the session starts, set PYSPARK_PYTHON to a Python that has xpubsub (here"
                   f" {sys.executable}), or ship xpubsub with spark-submit --py-files")
_REMEDIES = {
    "stopped SparkContext": _STOPPED,
    "Out of Memory Error": "matching needs more memory than a worker may use: raise Limits.worker_memory, or"
                           " repartition the frame so that a partition has fewer messages",
    "Python worker exited unexpectedly": "a Python worker of Spark has died; if memory was short, raise"
                                         " spark.executor.memoryOverhead or lower Limits.worker_memory",
    "OutOfMemoryError": "an executor of Spark is out of memory: raise spark.executor.memory, or repartition the frame"
                        " so that a partition has fewer messages",
    "ExecutorLostFailure": "Spark has lost executors again and again; if memory was short, raise spark.executor.memory"
                           " and spark.executor.memoryOverhead, or repartition the frame into more partitions",
}
"""What to do about failures of executors, by what Spark says of them; the first that fits."""


class SparkSessions:
    """Gives the session; starts one on `master` (default: local) if the user has none."""

    def __init__(self, given: SparkSession | None = None, master: str | None = None) -> None:
        if not all(hasattr(given or SparkSession, name) for name in ("createDataFrame", "sql")):
            raise Error(f"spark must be a SparkSession, not {type(given).__name__}")
        self._given = given or SparkSession.getActiveSession()
        self._master = master
        self._own: SparkSession | None = None
        self._private: SparkSession | None = None

    @property
    def session(self) -> SparkSession:
        """The session, started if needed."""
        if self._given is not None:
            _check_running(self._given)
            return self._given
        if self._own is None:
            self._own = start_session(self._master)
        return self._own

    @property
    def private(self) -> SparkSession:
        """A session with the same catalog but settings of its own, for many small queries."""
        if self._private is None:
            with explained("session"):
                private = self.session.newSession()
                for name, value in _FOR_BATCHES.items():
                    private.conf.set(name, value)
            self._private = private
        return self._private

    @property
    def running(self) -> bool:
        """Whether the user has given a session."""
        return self._given is not None

    @property
    def shares_disk(self) -> bool:
        """Whether the workers run on this machine, and see its files."""
        master = str(self.session.conf.get("spark.master", "") or "")
        return master.startswith("local") and not master.startswith("local-cluster")

    @property
    def local_cores(self) -> int:
        """How many cores of this machine Spark uses for its tasks; 1 if they run on other machines."""
        if not self.shares_disk:
            return 1
        found = _LOCAL_CORES.match(str(self.session.conf.get("spark.master")))
        return 1 if found is None else cores() if found[1] == "*" else min(cores(), int(found[1]))

    def hadoop_settings(self) -> dict[str, str]:
        """Return the session's settings for file systems; none if no session is running."""
        if self._given is None:
            return {}
        try:
            settings = self._given.conf.getAll
        except (PySparkException, Py4JError, AttributeError):
            return {}
        return {name.removeprefix(_HADOOP): str(value) for name, value in settings.items() if name.startswith(_HADOOP)}

    def close(self) -> None:
        """Stop the session if it was started here."""
        if self._own is not None:
            self._own.stop()
            self._own = None


def _check_running(session: SparkSession) -> None:
    """Raise an error if the user has stopped the session."""
    context = getattr(session, "_sc", None)
    if getattr(session, "is_stopped", False) or (context is not None and context._jsc is None):
        raise EngineError(_STOPPED)


def start_session(master: str | None) -> SparkSession:
    """Start a Spark session without a user interface; local unless a master is given."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("xpubsub").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    if master or "PYSPARK_GATEWAY_PORT" not in os.environ:
        builder = builder.master(master or "local[*]")
    try:
        session = builder.getOrCreate()
    except (PySparkException, RuntimeError, OSError) as error:
        raise EngineError(f"Spark did not start: {error}. It needs a Java runtime, 17 or later") from error
    session.sparkContext.setLogLevel("ERROR")
    return session


def frame_of(session: SparkSession, table: pa.Table) -> DataFrame:
    """Return an Arrow table as a frame; Spark makes a partition of each chunk, and loses chunks after an empty one.

    Only a small table becomes a local relation, which Spark splits among the workers by itself.
    """
    if not table.num_rows:
        return session.createDataFrame([], from_arrow_schema(table.schema))
    size = -(-table.num_rows // (1 + table.nbytes // PART_BYTES))
    whole = table.combine_chunks()
    return session.createDataFrame(
        pa.concat_tables([whole.slice(first, size) for first in range(0, whole.num_rows, size)]))


def is_frame(given: object) -> bool:
    """Whether something is a frame, rather than messages in this process."""
    return isinstance(given, DataFrame)


def mapped(frame: DataFrame, function: ArrowFunction, schema: pa.Schema) -> DataFrame:
    """Return a lazy frame with the results of a function, applied to a frame's batches by the workers."""
    return frame.mapInArrow(_named_if_missing(function), from_arrow_schema(schema))


def extended(
    frame: DataFrame, function: ArrowFunction, schema: pa.Schema, others: Sequence[StructField]
) -> DataFrame:
    """Like `mapped`, for a function whose rows have further columns of the frame after those of the schema."""
    fields = [*from_arrow_schema(schema).fields, *others]
    return frame.mapInArrow(_named_if_missing(function), StructType(fields))


def _named_if_missing(function: ArrowFunction) -> ArrowFunction:
    """Return the same function, which says what to do if a worker cannot load it, when a lazy frame is computed."""
    dumps: Callable[[ArrowFunction], bytes] = cloudpickle.dumps
    encoded, remedy = dumps(function), _PACKAGE_REMEDY

    def applied(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pickle

        try:
            loaded = pickle.loads(encoded)
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(f"{error}. Spark's workers have no package {error.name}: {remedy}") from None
        yield from loaded(batches)
    return applied


def collected_all(frames: Mapping[str, DataFrame]) -> dict[str, pa.Table]:
    """Run one job and return the rows of several frames, by name."""
    if len(frames) == 1:
        return {name: collected(frame, name) for name, frame in frames.items()}
    whole = reduce(_beside, (
        frame.select(lit(name).alias("frame"), struct("*").cast(_nullable(frame.schema)).alias(name))
        for name, frame in frames.items()))
    rows = collected(whole, ", ".join(frames))
    return {name: _part(rows, name) for name in frames}


def _beside(left: DataFrame, right: DataFrame) -> DataFrame:
    return left.unionByName(right, allowMissingColumns=True)


def _nullable(schema: StructType) -> StructType:
    """Return a schema whose columns may be null, as they are in the rows of other frames."""
    kinds = [(each.name, each.dataType) for each in schema.fields]
    return StructType([
        StructField(name, _nullable(kind) if isinstance(kind, StructType) else kind) for name, kind in kinds])


def _part(rows: pa.Table, name: str) -> pa.Table:
    """Return the rows of one frame, of those that were collected together."""
    column = rows.filter(pc.equal(rows["frame"], name))[name].combine_chunks()
    return pa.Table.from_arrays(column.flatten(), names=[field.name for field in column.type])


def collected(frame: DataFrame, what: str) -> pa.Table:
    """Run a job and return the rows of a frame."""
    with explained(what):
        return frame.toArrow()


@contextmanager
def explained(step: str, sql: str = "") -> Iterator[None]:
    """Raise Spark's errors as `EngineError`, with the step and its SQL."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise EngineError(_said(error), step=step, sql=sql) from error


def _said(error: Exception) -> str:
    said = str(error)
    if missing := _NO_PACKAGE.search(said):
        return f"Spark's workers have no package {missing[1]}: {_PACKAGE_REMEDY}"
    remedy = next((remedy for sign, remedy in _REMEDIES.items() if sign in said), None)
    return f"{remedy}. Spark says: {said}" if remedy else said
