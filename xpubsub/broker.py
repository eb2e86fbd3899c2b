"""The broker: the library's front door."""

from __future__ import annotations

import builtins
import os
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from xpubsub.engines.base import Engine
from xpubsub.engines.duckdb import DuckDBEngine
from xpubsub.errors import EngineError, Error
from xpubsub.jobs.explain import Explanation, explain_subscription
from xpubsub.jobs.explain_plan import explain_plan
from xpubsub.jobs.gc import collect
from xpubsub.jobs.incoming import read_rows
from xpubsub.jobs.publish import Publisher
from xpubsub.jobs.result import Result
from xpubsub.jobs.subscribe import SubscribeForm, subscribe, unsubscribe
from xpubsub.language.xpath import DIALECTS
from xpubsub.limits import Limits
from xpubsub.shred.subscriptions import Compiler
from xpubsub.store.listing import Shown, list_subscriptions, show_subscription, store_stats
from xpubsub.store.migrations import script
from xpubsub.store.store import Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from xpubsub.jobs.frames import FramePublisher

DEFAULT_STREAM = "S"
ENGINES = ("duckdb", "spark")


def connect(
    path: str | os.PathLike[str], engine: str | None = None, *, spark: SparkSession | None = None,
    limits: Limits | None = None, slots: int | None = None, master: str | None = None,
) -> Broker:
    """Open a store, creating it if need be: a DuckDB file or `:memory:`, or a directory with Spark."""
    engine = engine or ("duckdb" if spark is None else "spark")
    if engine not in ENGINES:
        raise Error(f"there is no engine {engine!r}: the engines are {', '.join(ENGINES)}")
    if slots is not None and not 1 <= slots <= 8:
        raise Error(f"slots is a number from 1 to 8, not {slots}")
    store = Store(_open(engine, os.fspath(path), spark, master), slots=slots)
    return Broker(store, limits or Limits())


def _open(engine: str, path: str, spark: SparkSession | None, master: str | None) -> Engine:
    if engine == "duckdb":
        return DuckDBEngine(path)
    try:
        from xpubsub.engines.spark import SparkEngine
    except ImportError as error:
        raise EngineError("Spark is not installed: pip install 'xpubsub[spark]'") from error
    return SparkEngine(path, spark, master)


def print_sql(engine: str) -> str:
    """The DDL of a store as an engine runs it."""
    return script(engine)


def _publisher(store: Store, limits: Limits) -> Publisher | FramePublisher:
    if not store.engine.DISTRIBUTED:
        return Publisher(store, limits)
    from xpubsub.engines.spark import SparkEngine
    from xpubsub.jobs.frames import FramePublisher

    assert isinstance(store.engine, SparkEngine)
    return FramePublisher(store, store.engine, limits)


class Broker:
    """Subscriptions in, messages in, notifications out."""

    def __init__(self, store: Store, limits: Limits) -> None:
        self.store = store
        self.limits = limits
        self._publisher = _publisher(store, limits)

    def __enter__(self) -> Broker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the store."""
        self.store.engine.close()

    def subscribe(
        self, subscription_id: str, text: str, *, namespaces: Mapping[str, str] | None = None,
        dialect: str = "xpath", stream: str = DEFAULT_STREAM,
    ) -> None:
        """Add one subscription."""
        _check_form(namespaces, dialect, stream)
        Compiler(dict(namespaces or {}), dialect, self.limits).queries(text)
        self.subscribe_many([(subscription_id, text)], namespaces=namespaces, dialect=dialect, stream=stream)

    def subscribe_many(
        self, rows: Any, *, namespaces: Mapping[str, str] | None = None, dialect: str = "xpath",
        stream: str = DEFAULT_STREAM, progress: Callable[[int], None] | None = None,
    ) -> int:
        """Add many subscriptions, all or none; returns how many were not there before.

        Rows are (id, text) pairs, an Arrow table, or the path of a .csv, .tsv, .jsonl or .parquet file. `progress` is
        called with the number of subscriptions read since the last time; not on Spark, where executors read them.
        """
        _check_form(namespaces, dialect, stream)
        incoming = read_rows(rows)
        try:
            form = SubscribeForm(dict(namespaces or {}), dialect, stream)
            return subscribe(self.store, incoming, form, self.limits, progress)
        finally:
            self._publisher.forget()

    def unsubscribe(self, ids: Iterable[str]) -> builtins.list[str]:
        """Remove subscriptions; returns the ids that were there."""
        return unsubscribe(self.store, [ids] if isinstance(ids, str) else [*ids])

    def publish(
        self, messages: Iterable[Any], *, stream: str = DEFAULT_STREAM, plan: str = "auto",
        progress: Callable[[int], None] | None = None,
    ) -> Result:
        """Match a batch of messages, (id, xml) or (id, xml, timestamp), with all subscriptions.

        `progress` is called with 1 for each message read.
        """
        return self._publisher.publish(messages, stream, plan, progress=progress)

    def publish_frame(self, messages: DataFrame, *, stream: str = DEFAULT_STREAM, plan: str = "auto") -> DataFrame:
        """Match a Spark DataFrame (id, xml): a DataFrame of notifications, lazy and distributed."""
        return self.publish_frames(messages, stream=stream, plan=plan)[0]

    def publish_frames(
        self, messages: DataFrame, *, stream: str = DEFAULT_STREAM, plan: str = "auto"
    ) -> tuple[DataFrame, DataFrame]:
        """The same, with a second DataFrame of the messages that are set aside."""
        if isinstance(self._publisher, Publisher):
            raise Error("publish_frame needs a store on Spark: connect(directory, engine='spark')")
        return self._publisher.frames(messages, stream, plan)

    def list(self) -> pa.Table:
        """The subscriptions: subscription_id, kind, stream, dialect, namespaces, text."""
        return list_subscriptions(self.store)

    def show(self, subscription_id: str) -> Shown:
        """One subscription, as it was given and as the queries it became."""
        return show_subscription(self.store, subscription_id)

    def gc(self) -> dict[str, int]:
        """Reclaim what no subscription needs and arrange the rest anew; returns the rows removed, by table."""
        try:
            return collect(self.store)
        finally:
            self._publisher.forget()

    def explain(self, subscription_id: str, xml: str | bytes) -> Explanation:
        """Why a message matches a subscription, or the first thing that fails; `print` it."""
        return explain_subscription(self.show(subscription_id), xml, self.limits)

    def explain_sql(self, plan: str = "auto") -> str:
        """The plan that `publish` would take, why, and the SQL of each step."""
        return explain_plan(self.store, self._publisher.summary(), plan)

    def stats(self) -> dict[str, int]:
        """Counts over the store, by name."""
        return store_stats(self.store)


def _check_form(namespaces: Mapping[str, str] | None, dialect: str, stream: str) -> None:
    if dialect not in DIALECTS:
        raise Error(f"there is no dialect {dialect!r}: the dialects are {', '.join(DIALECTS)}")
    if not isinstance(stream, str) or not stream:
        raise Error("a stream's name is a text that is not empty")
    for prefix, uri in (namespaces or {}).items():
        if not isinstance(prefix, str) or not isinstance(uri, str):
            raise Error("namespaces map prefixes to URIs, both texts")
