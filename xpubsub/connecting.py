"""`connect`: open a store and return its broker."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from xpubsub.arrange.arranger import MOST_SLOTS
from xpubsub.broker import Broker
from xpubsub.checks import is_text
from xpubsub.engines.base import Engine
from xpubsub.engines.duckdb import DuckDBEngine
from xpubsub.engines.parquet import ParquetEngine
from xpubsub.errors import EngineError, Error, StoreError
from xpubsub.jobs.control.place import is_reachable
from xpubsub.jobs.gc import arrange_if_needed
from xpubsub.jobs.overload.settings import Overload, check_overload
from xpubsub.jobs.publish.publisher import Publisher
from xpubsub.limits import Limits
from xpubsub.remote import RemoteBroker
from xpubsub.store.store import Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


ENGINES = ("duckdb", "spark")


def connect(
    path: str | os.PathLike[str] | None = None, engine: str | None = None, *, spark: SparkSession | None = None,
    limits: Limits | None = None, slots: int | None = None, master: str | None = None, create: bool | None = None,
    read_only: bool = False, overload: Overload | None = None,
) -> Broker:
    """Open a store and return its `Broker`; create the store if nothing is at the path.

    - `path`: a DuckDB file or `:memory:`; with Spark, a directory. With a Spark session and no path, the store is in
      the session's warehouse.
    - `engine`: `"duckdb"` or `"spark"`; by default Spark if `spark` is given, else DuckDB.
    - `spark`: a Spark session to use. Without one, the Spark engine starts its own, on `master` (default: local).
    - `limits`: bounds on messages and subscriptions, an `xpubsub.Limits`.
    - `slots`: for a new store, how many predicates of a query stand in one row (1 to 8, default 5).
    - `create`: False raises `StoreError` if there is no store; True or None creates it.
    - `read_only`: the store is neither created nor changed. `list`, `show`, `stats`, `schemas` and `explain` work, also
      on a write-protected file and while other processes read it.
    - `overload`: what streaming jobs do when messages come too fast, an `xpubsub.Overload`; by default sources wait.

    While a streaming job has a DuckDB store open in another process, the broker makes its calls there, by the job's
    control socket: all except those that publish. Subscriptions that it changes apply from the job's next batch.
    """
    if path is None and spark is not None:
        path = f"{spark.conf.get('spark.sql.warehouse.dir')}/xpubsub"
    engine = engine or ("duckdb" if spark is None else "spark")
    if engine not in ENGINES:
        raise Error(f"unknown engine {engine!r}: the engines are {', '.join(ENGINES)}")
    if engine == "duckdb" and spark is not None:
        raise Error("a store of the engine duckdb has no Spark session: pass engine=\"spark\" with spark=, or neither")
    if slots is not None and (type(slots) is not int or not 1 <= slots <= MOST_SLOTS):
        raise Error(f"slots must be an integer from 1 to {MOST_SLOTS}, not {slots!r}")
    if limits is not None and not isinstance(limits, Limits):
        raise Error(f"limits must be an xpubsub.Limits, not {type(limits).__name__}")
    if read_only and create:
        raise Error("a store cannot be created read-only: pass create=True or read_only=True, not both")
    how = {"create": not read_only and create is not False, "read_only": bool(read_only)}
    opening = _on_duckdb if engine == "duckdb" else _on_spark
    check_overload(overload)
    broker = opening(_path(path), limits or Limits(), slots, how, spark, master)
    broker.overload = overload
    return broker


def _path(path: str | os.PathLike[str] | None) -> str:
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not text or "\0" in text or not is_text(text):
        raise Error(f"path must name a file, a directory or ':memory:', not {path!r}")
    return text


def _on_duckdb(path: str, limits: Limits, slots: int | None, how: dict[str, bool], *_: object) -> Broker:
    """Open a store, or else reach the job that has it open; a job that ends just then has released it."""
    try:
        return _opened(path, limits, slots, how)
    except StoreError as error:
        if error.held is None or slots is not None:
            raise
        if is_reachable(error.held.file):
            return RemoteBroker(error.held, limits, read_only=how["read_only"])
    return _opened(path, limits, slots, how)


def _opened(path: str, limits: Limits, slots: int | None, how: dict[str, bool]) -> Broker:
    store = _stored(DuckDBEngine(path, **how), slots, how["create"])
    return Broker(store, Publisher(store, limits), limits)


def _on_spark(
    path: str, limits: Limits, slots: int | None, how: dict[str, bool], spark: SparkSession | None, master: str | None
) -> Broker:
    try:
        from xpubsub.engines.spark_session import SparkSessions
        from xpubsub.jobs.publish.spark_publisher import SparkPublisher
    except ImportError as error:
        raise EngineError("Spark is not installed: pip install 'xpubsub[spark]'") from error
    sessions = SparkSessions(spark, master)
    engine = ParquetEngine(path, sessions.hadoop_settings(), **how)
    store = _stored(engine, slots, how["create"])
    return Broker(store, SparkPublisher(store, engine, sessions, limits), limits)


def _stored(engine: Engine, slots: int | None, create: bool) -> Store:
    """Return the engine's store; close the engine if the store cannot be used."""
    try:
        store = Store(engine, slots=slots, create=create)
        if not engine.read_only:
            arrange_if_needed(store)
    except BaseException:
        engine.close()
        raise
    return store
