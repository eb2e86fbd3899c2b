"""The broker: the library's front door. Its calls take turns, also between threads and brokers of one process."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

from xpubsub.checks import check_iterable, check_namespaces, check_progress, check_text
from xpubsub.compile.subscriptions import Compiler
from xpubsub.engines.shared import check_writable
from xpubsub.errors import RowErrors, StoreError
from xpubsub.jobs.explain.explaining import asked, explain
from xpubsub.jobs.explain.explanation import Explanation
from xpubsub.jobs.explain.plan import explain_plan
from xpubsub.jobs.gc import collect
from xpubsub.jobs.publish.clocks import load_reads, read_clocks, set_clock
from xpubsub.jobs.publish.join_state import kept_stats
from xpubsub.jobs.publish.known import Known
from xpubsub.jobs.publish.messages import Batch
from xpubsub.jobs.publish.planning import publish_plan
from xpubsub.jobs.publish.result import Result
from xpubsub.jobs.publish.times import seconds
from xpubsub.jobs.schemas import SchemaSource, list_schemas, read_source, set_schema
from xpubsub.jobs.subscribe.forms import SubscribeForm
from xpubsub.jobs.subscribe.incoming import read_rows
from xpubsub.jobs.subscribe.own_columns import check_dialect
from xpubsub.jobs.subscribe.subscribed import Subscribed
from xpubsub.jobs.subscribe.subscribing import subscribe, unsubscribe
from xpubsub.limits import Limits
from xpubsub.plan.request import PlanRequest
from xpubsub.schema.element_graph import Schema
from xpubsub.store.listing import Shown, list_subscriptions, show_subscription, store_stats
from xpubsub.store.store import Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

DEFAULT_STREAM = "S"


class MessagePublisher(Protocol):
    """What publishes: in this process, or on Spark."""

    def close(self) -> None:
        """Release what is kept between batches."""

    def known(self) -> Known:
        """What is known of the store."""

    def publish(self, batch: Batch) -> Result:
        """Match a batch."""

    def frames(self, messages: Any, batch: Batch) -> tuple[Any, Any]:
        """Match a frame: notifications and rejected messages."""


class Broker:
    """Subscriptions in, messages in, notifications out."""

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
        """Close the store; a second time does nothing, any other call from then on raises `StoreError`."""
        with self.store.engine.shared.exclusive():
            if not self._closed:
                self._closed = True
                self._publisher.close()
                self.store.engine.close()

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """A scope for one call at a time, on a store that is open."""
        with self.store.engine.shared.exclusive():
            if self._closed:
                raise StoreError(f"the store {self.store.engine.place} is closed: open it again with xpubsub.connect()")
            yield

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """The same for a call that changes the store."""
        with self._exclusive():
            check_writable(self.store.engine)
            yield

    def subscribe(
        self, subscription_id: str, text: str, *, namespaces: Mapping[str, str] | None = None,
        dialect: str = "xpath", stream: str = DEFAULT_STREAM,
    ) -> Subscribed:
        """Add one subscription; returns 1 (0 if it was there), with `warnings` if it is probably not what is meant."""
        form = _form(namespaces, dialect, stream)
        row = check_text("the id of a subscription", subscription_id), check_text("the text", text, empty=True)
        Compiler(form.namespaces, form.dialect, self.limits).check(text)
        try:
            return self.subscribe_many([row], namespaces=namespaces, dialect=dialect, stream=stream)
        except RowErrors as error:
            raise StoreError(f"{subscription_id}: {error.rows[0]['reason']}") from None

    def subscribe_many(
        self, rows: Any, *, namespaces: Mapping[str, str] | None = None, dialect: str = "xpath",
        stream: str = DEFAULT_STREAM, columns: Mapping[str, str] | None = None, header: bool | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Subscribed:
        """Add many subscriptions, all or none; returns how many were not there before, with `warnings`.

        Rows are (id, text) pairs, mappings with the names of columns, an Arrow table, or the path of a .csv, .tsv,
        .jsonl or .parquet file. Beside `id` and `text` a row may have its own `namespaces`, `dialect` and `stream`; the
        arguments are for rows without. `columns` says what columns are called if not that: `{"id": "name"}`.
        `header=False` says that a .csv or .tsv file has no header. If any row is bad, `RowErrors` names each with its
        number and reason. `progress` is called with the number of subscriptions read since the last time; not on Spark,
        where executors read them.
        """
        form = _form(namespaces, dialect, stream)
        incoming = read_rows(rows, columns, header)
        with self._changing():
            return subscribe(self.store, incoming, form, self.limits, check_progress(progress))

    def unsubscribe(self, ids: Iterable[str]) -> builtins.list[str]:
        """Remove subscriptions; returns the ids that were there."""
        given = [ids] if isinstance(ids, str) else check_iterable("the ids to remove", ids)
        checked = [check_text("the id of a subscription", each, empty=True) for each in given]
        with self._changing():
            return unsubscribe(self.store, checked)

    def schema(self, source: SchemaSource | None, *, name: str = "") -> Schema | None:
        """Register a DTD or an XML schema of the messages under a name; None removes it.

        The source is a text, which starts with `<`, a file, or several of these that belong together. A schema never
        changes answers: messages that do not conform are matched without it. Returns the schema registered or removed,
        None if there was none to remove.
        """
        check_text("a schema's name", name, empty=True)
        schema = None if source is None else read_source(source)
        with self._changing():
            before = set_schema(self.store, name, schema)
        return before if schema is None else schema

    def schemas(self) -> dict[str, Schema]:
        """The schemas by name."""
        with self._exclusive():
            return list_schemas(self.store)

    def publish(
        self, messages: Iterable[Any], *, stream: str = DEFAULT_STREAM, plan: str = "auto",
        progress: Callable[[int], None] | None = None, replace: bool = True,
    ) -> Result:
        """Match a batch of messages, (id, xml) or (id, xml, timestamp), with all subscriptions.

        For correlations, a message replaces one that is kept from an earlier batch of the stream with the same id; with
        `replace=False` both are kept, as two messages. `progress` is called with 1 for each message read.
        """
        given = check_iterable("messages", messages)
        batch = Batch(given, *_asked(stream, plan), replace=bool(replace), progress=check_progress(progress))
        with self._changing():
            return self._publisher.publish(batch)

    def publish_frame(self, messages: DataFrame, *, stream: str = DEFAULT_STREAM, plan: str = "auto") -> DataFrame:
        """Match a Spark DataFrame (id, xml): a DataFrame of notifications, lazy and distributed."""
        return self.publish_frames(messages, stream=stream, plan=plan)[0]

    def publish_frames(
        self, messages: DataFrame, *, stream: str = DEFAULT_STREAM, plan: str = "auto"
    ) -> tuple[DataFrame, DataFrame]:
        """The same, with a second DataFrame of the rejected messages."""
        batch = Batch((), *_asked(stream, plan))
        with self._exclusive():
            return self._publisher.frames(messages, batch)

    def list(self) -> pa.Table:
        """The subscriptions: subscription_id, kind, stream, dialect, namespaces, text."""
        with self._exclusive():
            return list_subscriptions(self.store)

    def show(self, subscription_id: str) -> Shown:
        """One subscription, as it was given and as the queries it became."""
        with self._exclusive():
            return show_subscription(self.store, check_text("the id of a subscription", subscription_id, empty=True))

    def gc(self) -> dict[str, int]:
        """Reclaim what no subscription needs and arrange the rest anew; returns the rows removed, by table."""
        with self._changing():
            return collect(self.store)

    def explain(
        self, subscription_id: str, xml: str | bytes, *others: str | bytes,
        stream: str | Iterable[str] = DEFAULT_STREAM, times: Iterable[Any] | None = None,
    ) -> Explanation:
        """Why a message matches a subscription, or the first thing that fails; `print` it.

        A correlation is explained for one message, or for as many as it has blocks: `matches` says whether `publish` of
        these messages alone, in this order, notifies. `stream` is one for all or one for each, `times` are those of the
        messages; without them the messages arrive one after the other.
        """
        messages = asked((xml, *others), stream, times)
        return explain(self.show(subscription_id), messages, self.limits)

    def explain_sql(self, plan: str = "auto") -> str:
        """The plan that `publish` would take, why, and the SQL of each step."""
        with self._exclusive():
            request = PlanRequest.parse(check_text("the plan", plan))
            return explain_plan(publish_plan(request, self._publisher.known()))

    def stats(self) -> dict[str, int]:
        """Counts over the store, by name; with correlations, also of what is kept for them."""
        with self._exclusive():
            return {**store_stats(self.store), **kept_stats(self.store, self.limits)}

    def clocks(self) -> dict[str, float]:
        """The clocks of the streams that correlations read, in seconds since 1970: the latest time accepted so far."""
        with self._exclusive():
            read = load_reads(self.store).streams
            return {stream: clock for stream, clock in read_clocks(self.store).items() if stream in read}

    def set_clock(self, stream: str, time: object) -> None:
        """Put the clock of a stream right, backwards too.

        Messages that are kept and later than the new clock are dropped; streams that are fed from it by PUBLISH are put
        back as well. The time is what `publish` takes as one.
        """
        check_text("a stream's name", stream)
        at = seconds(time, "a clock's time")
        with self._changing():
            set_clock(self.store, stream, at, self.limits)


def _asked(stream: str, plan: str) -> tuple[str, PlanRequest]:
    return check_text("a stream's name", stream), PlanRequest.parse(check_text("the plan", plan))


def _form(namespaces: Mapping[str, str] | None, dialect: str, stream: str) -> SubscribeForm:
    return SubscribeForm(check_namespaces(namespaces), check_dialect(dialect), check_text("a stream's name", stream))
