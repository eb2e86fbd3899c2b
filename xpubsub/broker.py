"""The broker, through which callers subscribe and publish. One call runs at a time per store and process."""

from __future__ import annotations

import builtins
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import pyarrow as pa

from xpubsub.checks import check_count, check_iterable, check_namespaces, check_progress, check_text
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
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.publish.times import seconds
from xpubsub.jobs.schemas import SchemaSource, list_schemas, read_source, set_schema
from xpubsub.jobs.split.automatic import automatic_units
from xpubsub.jobs.split.publishing import Document
from xpubsub.jobs.split.sources import check_source, chunks_of, name_of
from xpubsub.jobs.subscribe.call_options import CallOptions
from xpubsub.jobs.subscribe.incoming import read_rows
from xpubsub.jobs.subscribe.own_columns import check_dialect
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


class MessagePublisher(Protocol):
    """Publishes messages, in this process or on Spark."""

    def close(self) -> None:
        """Release whatever is kept between batches."""

    def known(self) -> Known:
        """Return what is known of the store."""

    def plan(self, request: PlanRequest) -> PublishPlan:
        """Return the plan of a batch."""

    def publish(self, batch: Batch) -> Result:
        """Match a batch of messages."""

    def certain(self, message_id: str, unit: OpenUnit, batch: Batch) -> Result | None:
        """Return what is certain of a message that has been read in part; None if nothing has changed."""

    def frames(self, messages: Any, batch: Batch, keep: Sequence[str] = ()) -> tuple[Any, Any]:
        """Match a DataFrame; return notifications and rejected messages."""


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
        dialect: str = "xpath", stream: str = DEFAULT_STREAM,
    ) -> Subscribed:
        """Add one subscription; return 1, or 0 if it exists already.

        - `subscription_id`: the id under which notifications arrive. An id in use for another text is an error.
        - `text`: a filter (XPath), a transformation (FLWR) or a correlation (XSCL); the text decides which.
        - `namespaces`: URIs by prefix, for the names in the text; the empty prefix sets the default namespace.
        - `dialect`: `"xpath"`, or `"branching"` for the grammar of Tian's Figure 3.1.
        - `stream`: the stream that a filter or a transformation reads. A correlation names its streams itself.

        The returned int also has `warnings`: reasons why the subscription may not mean what its author intended.
        """
        options = _options(namespaces, dialect, stream)
        row = check_text("the id of a subscription", subscription_id), check_text("the text", text, empty=True)
        Compiler(options.namespaces, options.dialect, self.limits).check(text)
        try:
            return self.subscribe_many([row], namespaces=namespaces, dialect=dialect, stream=stream)
        except RowErrors as error:
            raise StoreError(f"{subscription_id}: {error.rows[0]['reason']}") from None

    def subscribe_many(
        self, rows: Any, *, namespaces: Mapping[str, str] | None = None, dialect: str = "xpath",
        stream: str = DEFAULT_STREAM, columns: Mapping[str, str] | None = None, header: bool | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Subscribed:
        """Add many subscriptions and return how many are new; the returned int also has `warnings`.

        The call is atomic: if any row is bad, nothing is added, and `RowErrors` lists each bad row with its reason.

        - `rows`: (id, text) pairs, mappings, an Arrow table, or the path of a .csv, .tsv, .jsonl or .parquet file. A
          row has the columns `id` and `text`, and may have its own `namespaces`, `dialect` and `stream`.
        - `namespaces`, `dialect`, `stream`: as in `subscribe`, for rows that have none of their own.
        - `columns`: other names for these columns, such as `{"id": "name"}`.
        - `header`: False if a .csv or .tsv file has no header line.
        - `progress`: a function, called with the number of subscriptions read since its last call. On Spark, where
          executors read the rows, it is not called.
        """
        options = _options(namespaces, dialect, stream)
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

    def list(self) -> pa.Table:
        """Return all subscriptions: subscription_id, kind, stream, dialect, namespaces, text."""
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


def _options(namespaces: Mapping[str, str] | None, dialect: str, stream: str) -> CallOptions:
    return CallOptions(check_namespaces(namespaces), check_dialect(dialect), check_text("a stream's name", stream))


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
