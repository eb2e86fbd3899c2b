"""The broker, through which callers subscribe and publish. One call runs at a time per store and process."""

from __future__ import annotations

import builtins
import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import pyarrow as pa

from xpubsub.checks import (
    check_count,
    check_function,
    check_iterable,
    check_namespaces,
    check_progress,
    check_text,
)
from xpubsub.compile.subscriptions import Compiler
from xpubsub.engines.shared import check_writable
from xpubsub.errors import Error, RowErrors, StoreError
from xpubsub.jobs.explain.explaining import asked, explain
from xpubsub.jobs.explain.explanation import Explanation
from xpubsub.jobs.explain.plan import explain_plan
from xpubsub.jobs.gc import collect
from xpubsub.jobs.publish.clocks import load_reads, read_clocks, set_clock
from xpubsub.jobs.publish.join_state import kept_stats
from xpubsub.jobs.publish.known import Known
from xpubsub.jobs.publish.messages import Batch
from xpubsub.jobs.publish.planning import PublishPlan
from xpubsub.jobs.publish.publisher import Beside
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.publish.times import seconds
from xpubsub.jobs.schemas import SchemaSource, list_schemas, read_source, set_schema
from xpubsub.jobs.split.automatic import automatic_units
from xpubsub.jobs.split.publishing import Document
from xpubsub.jobs.split.sources import check_source, chunks_of, name_of
from xpubsub.jobs.stream.checkpoint import Checkpoint
from xpubsub.jobs.stream.commits import achieved_delays
from xpubsub.jobs.stream.figures import Figures
from xpubsub.jobs.stream.letter_source import LetterSource, letter_streams
from xpubsub.jobs.stream.loop import BrokerCalls, JobParts, StreamJob
from xpubsub.jobs.stream.metrics import serving_metrics
from xpubsub.jobs.stream.opening import open_sink, open_source
from xpubsub.jobs.stream.options import MAX_BATCH_BYTES, MAX_MESSAGES, StreamOptions
from xpubsub.jobs.stream.source_options import SourceOptions
from xpubsub.jobs.stream.sources import Source
from xpubsub.jobs.subscribe.call_options import CallOptions
from xpubsub.jobs.subscribe.incoming import read_rows
from xpubsub.jobs.subscribe.own_columns import check_delay, check_dialect
from xpubsub.jobs.subscribe.subscribed import Subscribed
from xpubsub.jobs.subscribe.subscribing import subscribe, unsubscribe
from xpubsub.language.xpath.split import split_path
from xpubsub.limits import Limits
from xpubsub.plan.request import PlanRequest
from xpubsub.schema.element_graph import Schema
from xpubsub.shred.open_units import OpenUnit
from xpubsub.shred.units import UnitCutter
from xpubsub.store.listing import Shown, list_subscriptions, show_subscription, store_stats
from xpubsub.store.store import Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

DEFAULT_STREAM = "S"
_T = TypeVar("_T")


class MessagePublisher(Protocol):
    """Publishes messages, in this process or on Spark."""

    def close(self) -> None:
        """Release whatever is kept between batches."""

    def known(self) -> Known:
        """Return what is known of the store."""

    def plan(self, request: PlanRequest) -> PublishPlan:
        """Return the plan of a batch."""

    def publish(self, batch: Batch, beside: Beside | None = None) -> Result:
        """Match a batch of messages; `beside` is called with the result, inside the same transaction."""

    def certain(self, message_id: str, unit: OpenUnit, batch: Batch) -> Result | None:
        """Return what is certain of a message that has been read in part; None if nothing has changed."""

    def frames(self, messages: Any, batch: Batch, keep: Sequence[str] = ()) -> tuple[Any, Any]:
        """Match a DataFrame; return notifications and rejected messages."""

    def source(self, given: Any, options: SourceOptions) -> Source | None:
        """Return the source that a text names, if it gives frames."""


class Broker:
    """An open store: takes subscriptions and messages, returns notifications. `xpubsub.connect()` returns one.

    Calls from several threads wait for one another. Use it as a context manager, or call `close()`.
    """

    def __init__(self, store: Store, publisher: MessagePublisher, limits: Limits) -> None:
        self.store = store
        self.limits = limits
        self._publisher = publisher
        self._closed = False

    def __enter__(self) -> Broker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the store; every later call raises `StoreError`, except `close()`, which does nothing."""
        with self.store.engine.shared.exclusive():
            if not self._closed:
                self._closed = True
                self._publisher.close()
                self.store.engine.close()

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Run one call at a time, on an open store."""
        with self.store.engine.shared.exclusive():
            if self._closed:
                raise StoreError(f"the store {self.store.engine.place} is closed: open it again with xpubsub.connect()")
            self.store.engine.refresh()
            yield

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Like `_exclusive`, for a call that changes the store."""
        with self._exclusive():
            check_writable(self.store.engine)
            yield

    def subscribe(
        self, subscription_id: str, text: str, *, namespaces: Mapping[str, str] | None = None,
        dialect: str = "xpath", stream: str = DEFAULT_STREAM, max_delay: str | None = None,
    ) -> Subscribed:
        """Add one subscription; return 1, or 0 if it exists already.

        - `subscription_id`: the id under which notifications arrive. An id in use for another text is an error.
        - `text`: a filter (XPath), a transformation (FLWR) or a correlation (XSCL); the text decides which.
        - `namespaces`: URIs by prefix, for the names in the text; the empty prefix sets the default namespace.
        - `dialect`: `"xpath"`, or `"branching"` for the grammar of Tian's Figure 3.1.
        - `stream`: the stream that a filter or a transformation reads. A correlation names its streams itself.
        - `max_delay`: the longest delay from a message's arrival to the notification that the subscriber accepts, such
          as `"5s"` (ms, s, m, h or d). The streaming job forms its batches accordingly.

        The returned int also has `warnings`: reasons why the subscription may not mean what its author intended.
        """
        options = _options(namespaces, dialect, stream, max_delay)
        row = check_text("the id of a subscription", subscription_id), check_text("the text", text, empty=True)
        Compiler(options.namespaces, options.dialect, self.limits).check(text)
        try:
            return self.subscribe_many(
                [row], namespaces=namespaces, dialect=dialect, stream=stream, max_delay=max_delay)
        except RowErrors as error:
            raise StoreError(f"{subscription_id}: {error.rows[0]['reason']}") from None

    def subscribe_many(
        self, rows: Any, *, namespaces: Mapping[str, str] | None = None, dialect: str = "xpath",
        stream: str = DEFAULT_STREAM, columns: Mapping[str, str] | None = None, header: bool | None = None,
        progress: Callable[[int], None] | None = None, max_delay: str | None = None,
    ) -> Subscribed:
        """Add many subscriptions and return how many are new; the returned int also has `warnings`.

        The call is atomic: if any row is bad, nothing is added, and `RowErrors` lists each bad row with its reason.

        - `rows`: (id, text) pairs, mappings, an Arrow table, or the path of a .csv, .tsv, .jsonl or .parquet file. A
          row has the columns `id` and `text`, and may have its own `namespaces`, `dialect`, `stream` and `max_delay`.
        - `namespaces`, `dialect`, `stream`, `max_delay`: as in `subscribe`, for rows that have none of their own.
        - `columns`: other names for these columns, such as `{"id": "name"}`.
        - `header`: False if a .csv or .tsv file has no header line.
        - `progress`: a function, called with the number of subscriptions read since its last call. On Spark, where
          executors read the rows, it is not called.
        """
        options = _options(namespaces, dialect, stream, max_delay)
        incoming = read_rows(rows, columns, header)
        with self._changing():
            return subscribe(self.store, incoming, options, self.limits, check_progress(progress))

    def unsubscribe(self, ids: Iterable[str]) -> builtins.list[str]:
        """Remove subscriptions and return the ids that existed; `ids` is one id or an iterable of ids."""
        given = [ids] if isinstance(ids, str) else check_iterable("ids", ids, "an iterable of subscription ids")
        checked = [check_text("the id of a subscription", each, empty=True) for each in given]
        with self._changing():
            return unsubscribe(self.store, checked)

    def schema(self, source: SchemaSource | None, *, name: str = "") -> Schema | None:
        """Register a DTD or an XML schema for the messages, or remove one; return it, or None if there was none.

        - `source`: the text of the schema (it starts with `<`), the path of a file, or several of these that belong
          together. None removes the schema called `name`.
        - `name`: the name of the schema, by which it can be replaced and removed.

        A schema makes matching faster and never changes results: messages that do not conform are matched without it.
        """
        check_text("a schema's name", name, empty=True)
        schema = None if source is None else read_source(source)
        with self._changing():
            before = set_schema(self.store, name, schema)
        return before if schema is None else schema

    def schemas(self) -> dict[str, Schema]:
        """Return the registered schemas by name."""
        with self._exclusive():
            return list_schemas(self.store)

    def publish(
        self, messages: Iterable[Any], *, stream: str = DEFAULT_STREAM, plan: str = "auto",
        progress: Callable[[int], None] | None = None, replace: bool = True,
    ) -> Result:
        """Match a batch of messages with all subscriptions; return the notifications and the rejected messages.

        - `messages`: an iterable of (id, xml) or (id, xml, timestamp) tuples; the XML is str or bytes. Correlations use
          the timestamp, a number of seconds or a datetime; by default it is the time of arrival.
        - `stream`: the stream that the messages belong to. Only subscriptions that read it are matched.
        - `plan`: `"auto"`, or names of plans separated by commas. The plan never changes the results.
        - `progress`: a function, called with 1 for each message read.
        - `replace`: whether a message replaces one with the same id that is kept for correlations from an earlier batch
          of the stream. If False, both are kept, as two messages.
        """
        given = check_iterable("messages", messages, "an iterable of (id, xml) tuples")
        batch = Batch(given, *_asked(stream, plan), replace=bool(replace), progress=check_progress(progress))
        return self._publish(batch)

    def publish_stream(
        self, source: Any, split: str | None = None, name: str | None = None, *, stream: str = DEFAULT_STREAM,
        plan: str = "auto", namespaces: Mapping[str, str] | None = None, replace: bool = True,
        batch_size: int = 10_000, progress: Callable[[int], None] | None = None, tokens: bool = False,
    ) -> Iterator[Result]:
        """Publish a document of any length unit by unit while it is read; yield a result for each batch of units.

        - `source`: a path, an open file, a socket, or an iterable of chunks (bytes or str).
        - `split`: the path of the units, such as `/feed/entry` or `//person`: each outermost element that it selects is
          a message with the id `name#n`, n counting from 1. By default the subscriptions of the stream imply the units:
          paths are then those of the whole document, and a subscription that one unit and the start tags around it
          cannot answer is an error.
        - `name`: the name of the document; by default the path of its file, or a unique name.
        - `namespaces`: URIs by prefix, for the names in `split`.
        - `stream`, `plan`, `replace`: as in `publish`.
        - `batch_size`: how many units are matched together at most.
        - `progress`: a function, called with the number of units read since its last call.
        - `tokens`: whether to count tokens, for `tokens_buffered` of the results.

        Complete units are published when the source has nothing more to read, or after some megabytes. If the document
        breaks off or is malformed, the units before are published, and the last row of `rejected` says why and where.
        """
        check_source(source)
        batch = Batch((), *_asked(stream, plan), replace=bool(replace))
        paths = self._units(split, check_namespaces(namespaces), stream)
        called = name_of(source) if name is None else check_text("the name of a document", name)
        most = check_count("batch_size", batch_size)
        cutter = UnitCutter(paths, self.limits, enveloped=split is None, count_tokens=tokens)
        target, unit = _Target(self._publish, self._certain, batch), OpenUnit(cutter, self.limits)
        document = Document(called, cutter, target, unit, most, check_progress(progress))
        return document.results(chunks_of(source))

    def _units(self, split: str | None, namespaces: Mapping[str, str], stream: str) -> builtins.list[str]:
        """Return the linear paths at which to cut a document."""
        if split is not None:
            return [split_path(check_text("split", split), namespaces, self.limits)]
        if namespaces:
            raise Error("namespaces are for the names in split")
        with self._exclusive():
            return automatic_units(self.store, stream, self.limits)

    def _cutters(self, split: str, namespaces: Mapping[str, str] | None) -> Callable[[], UnitCutter]:
        """Return a function that makes a cutter for each document of a streaming job."""
        path = split_path(check_text("split", split), check_namespaces(namespaces), self.limits)
        return lambda: UnitCutter([path], self.limits)

    def _publish(self, batch: Batch) -> Result:
        """Match a batch of messages, as `publish` does."""
        with self._changing():
            return self._publisher.publish(batch)

    def _certain(self, message_id: str, unit: OpenUnit, batch: Batch) -> Result | None:
        """Return what is certain of a message that has been read in part; None if nothing has changed."""
        with self._changing():
            return self._publisher.certain(message_id, unit, batch)

    def publish_frame(
        self, messages: DataFrame, *, stream: str = DEFAULT_STREAM, plan: str = "auto", keep: Iterable[str] = (),
    ) -> DataFrame:
        """Match a Spark DataFrame of messages; return a lazy, distributed DataFrame of notifications.

        - `messages`: a DataFrame with the columns `id` and `xml`, and optionally `timestamp`; batch or streaming.
        - `stream`, `plan`: as in `publish`.
        - `keep`: columns of `messages` to add to the result.

        The columns are `message_id`, `subscription_id` and `output` (all strings), and the kept ones. If correlations
        read the stream, the messages are matched and kept at once; a streaming DataFrame is then an error.
        """
        return self.publish_frames(messages, stream=stream, plan=plan, keep=keep)[0]

    def publish_frames(
        self, messages: DataFrame, *, stream: str = DEFAULT_STREAM, plan: str = "auto", keep: Iterable[str] = (),
    ) -> tuple[DataFrame, DataFrame]:
        """Like `publish_frame`, but return two DataFrames: the notifications and the rejected messages.

        The columns of rejected messages are `message_id`, `code`, `reason`, `line`, `column`, and the kept ones.
        """
        batch = Batch((), *_asked(stream, plan))
        given = [keep] if isinstance(keep, str) else check_iterable("keep", keep, "an iterable of column names")
        kept = [check_text("a column to keep", each) for each in given]
        with self._exclusive():
            return self._publisher.frames(messages, batch, kept)

    def stream(
        self, source: Any, sink: Any, *, checkpoint: str | os.PathLike[str] | None = None, dead_letters: Any = None,
        format: str = "parquet", stream: str = DEFAULT_STREAM, plan: str = "auto", split: str | None = None,
        namespaces: Mapping[str, str] | None = None, file_times: bool = False,
        max_messages: int = MAX_MESSAGES, max_batch_bytes: int = MAX_BATCH_BYTES, once: bool = False,
        stop: Event | None = None, metrics: int | None = None, progress: Callable[[Figures], None] | None = None,
    ) -> Figures:
        """Publish the messages of a source as they come, and deliver the results; each exactly once, after crashes too.

        - `source`: `"dir:PATH"`, `"-"` for standard input, `"tcp:HOST:PORT"`, `"kafka:SERVERS/TOPIC"`, or an object
          with the methods of `xpubsub.jobs.stream.sources.Source`.
        - `sink`: where notifications go: `"dir:PATH"`, `"each:PATH"`, `"-"` for standard output,
          `"kafka:SERVERS/TOPIC"`, a function that is called with each batch (`number`, `rows`), or an object with the
          methods of `xpubsub.jobs.stream.sinks.Sink`.
        - `checkpoint`: the directory in which the job keeps results that are not delivered. A job that is started again
          with the same checkpoint goes on where it ended. By default it is beside the store: `STORE.stream`.
        - `dead_letters`: a sink for rejected messages.
        - `format`: `"parquet"` or `"jsonl"`, for directories.
        - `stream`, `plan`: as in `publish`.
        - `split`, `namespaces`: the path of units, as in `publish_stream`: each unit of a file, of standard input or of
          a connection is a message. By default each file, or each line, is a message.
        - `file_times`: whether the modification time of a file is the time of its message.
        - `max_messages`, `max_batch_bytes`: the most messages of a batch, and the bytes from which on it is full.
        - `once`: whether to return when the source has no more messages; otherwise the job waits for more.
        - `stop`: an event that ends the job after the batch under way.
        - `metrics`: a port on which to serve figures to Prometheus, at http://127.0.0.1:PORT/metrics.
        - `progress`: a function, called with the figures after each batch and now and then.

        Returns the figures of the run: messages, notifications, rejected, batches, seconds, delays.

        Other threads may call the broker between batches; subscriptions they change apply from the next batch.
        """
        options = StreamOptions(*_asked(stream, plan), max_messages, max_batch_bytes, bool(once))
        place = Path(checkpoint if checkpoint is not None else f"{self.store.engine.place}.stream")
        cutters = None if split is None else self._cutters(split, namespaces)
        how = SourceOptions(self.limits.max_bytes, bool(file_times), cutters, max_messages, bool(once), place)
        reading = self._publisher.source(source, how) or open_source(source, how)
        with closing(reading):
            letters = None if dead_letters is None else open_sink(dead_letters, format)
            parts = JobParts(reading, open_sink(sink, format), letters)
            return self._streamed(parts, place, options, stop, metrics, check_function("progress", progress))

    def replay(
        self, letters: str | os.PathLike[str], sink: Any, *, checkpoint: str | os.PathLike[str] | None = None,
        format: str = "parquet", plan: str = "auto", stop: Event | None = None,
    ) -> Figures:
        """Publish the dead letters of a directory again, each once: a letter that was published is left out later.

        - `letters`: the directory, as `stream(..., dead_letters="dir:PATH")` has filled it.
        - `sink`, `format`, `plan`, `stop`: as in `stream`.
        - `checkpoint`: as in `stream`, by default `_replay` in the directory.

        Letters that are rejected again can be replayed again. Returns the figures of the run.
        """
        place, figures = Path(letters if checkpoint is None else checkpoint), Figures()
        for stream in letter_streams(letters):
            options = StreamOptions(*_asked(stream, plan), once=True, keep_rejected=True)
            parts = JobParts(LetterSource(letters, stream), open_sink(sink, format))
            figures.join(self._streamed(parts, place / "_replay" if checkpoint is None else place, options, stop))
        return figures

    def _streamed(
        self, parts: JobParts, checkpoint: Path, options: StreamOptions, stop: Event | None,
        metrics: int | None = None, progress: Callable[[Figures], None] | None = None,
    ) -> Figures:
        """Run a streaming job."""
        calls = BrokerCalls(self._publish_beside, self._called)
        with closing(Checkpoint(checkpoint)) as kept:
            job = StreamJob(self.store, calls, parts, kept, options, stop or Event())
            with closing(job), serving_metrics(metrics, job.figures):
                job.run(progress or (lambda _: None))
        return job.figures

    def _publish_beside(self, batch: Batch, beside: Beside) -> Result:
        with self._changing():
            return self._publisher.publish(batch, beside)

    def _called(self, function: Callable[[], _T]) -> _T:
        with self._changing():
            return function()

    def list(self) -> pa.Table:
        """Return all subscriptions: subscription_id, kind, stream, dialect, namespaces, text, max_delay."""
        with self._exclusive():
            return list_subscriptions(self.store)

    def show(self, subscription_id: str) -> Shown:
        """Return one subscription, by `subscription_id`: as it was written, and the queries it was compiled to."""
        with self._exclusive():
            return show_subscription(self.store, check_text("the id of a subscription", subscription_id, empty=True))

    def gc(self) -> dict[str, int]:
        """Delete rows that no subscription needs and optimise the rest; return the number of deleted rows by table."""
        with self._changing():
            return collect(self.store)

    def explain(
        self, subscription_id: str, xml: str | bytes, *others: str | bytes,
        stream: str | Iterable[str] = DEFAULT_STREAM, times: Iterable[Any] | None = None,
    ) -> Explanation:
        """Explain why a message matches a subscription, or which condition fails first; `print` the result.

        - `subscription_id`: the subscription to explain.
        - `xml`, `others`: the message; for a correlation, one message or one for each of its blocks. `matches` of the
          result says whether publishing only these messages, in this order, gives a notification.
        - `stream`: the stream of all messages, or one stream for each.
        - `times`: the timestamp of each message; by default they arrive one after the other.
        """
        messages = asked((xml, *others), stream, times)
        return explain(self.show(subscription_id), messages, self.limits)

    def explain_sql(self, plan: str = "auto") -> str:
        """Return the plan that `publish` would choose for `plan`, the reason, and the SQL of each step."""
        with self._exclusive():
            request = PlanRequest.parse(check_text("the plan", plan))
            return explain_plan(self._publisher.plan(request))

    def stats(self) -> dict[str, int]:
        """Return counts over the store by name, such as subscriptions and messages kept for correlations."""
        with self._exclusive():
            return {**store_stats(self.store), **kept_stats(self.store, self.limits)}

    def delays(self) -> dict[str, tuple[float, float]]:
        """Return the delays that streaming jobs have achieved, by the `max_delay` of subscriptions, in seconds.

        For each class (`"5"` for subscriptions that accept 5 s, `"any"` for those that state nothing): the delay that
        half of the notifications did not exceed, and the delay that 99 of 100 did not exceed.
        """
        with self._exclusive():
            return achieved_delays(self.store)

    def clocks(self) -> dict[str, float]:
        """Return the clock of each stream that correlations read: the latest accepted time, in seconds since 1970."""
        with self._exclusive():
            read = load_reads(self.store).streams
            return {stream: clock for stream, clock in read_clocks(self.store).items() if stream in read}

    def set_clock(self, stream: str, time: object) -> None:
        """Set the clock of a stream, forwards or backwards, for instance after a message with a wrong time.

        - `stream`: the stream. Streams that correlations PUBLISH to from it are set back as well.
        - `time`: the new time, as a timestamp in `publish`. Kept messages that are later are dropped.
        """
        check_text("a stream's name", stream)
        at = seconds(time, "a clock's time")
        with self._changing():
            set_clock(self.store, stream, at, self.limits)


def _asked(stream: str, plan: str) -> tuple[str, PlanRequest]:
    return check_text("a stream's name", stream), PlanRequest.parse(check_text("the plan", plan))


def _options(
    namespaces: Mapping[str, str] | None, dialect: str, stream: str, max_delay: str | None
) -> CallOptions:
    named = check_text("a stream's name", stream)
    delay = "" if max_delay is None else check_delay(max_delay)
    return CallOptions(check_namespaces(namespaces), check_dialect(dialect), named, delay)


class _Target(NamedTuple):
    """Publishes the units of a document."""

    publish_batch: Callable[[Batch], Result]
    match_open: Callable[[str, OpenUnit, Batch], Result | None]
    batch: Batch

    def publish(self, messages: builtins.list[tuple[str, bytes]]) -> Result:
        """Publish complete units as messages."""
        return self.publish_batch(dataclasses.replace(self.batch, messages=messages))

    def certain(self, message_id: str, unit: OpenUnit) -> Result | None:
        """Return what is certain of the open unit."""
        return self.match_open(message_id, unit, self.batch)
