"""The broker: the library's front door. Its calls take turns, also between threads and brokers of one process."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from xpubsub.checks import check_iterable, check_namespaces, check_progress, check_text
from xpubsub.engines.shared import check_writable
from xpubsub.errors import Error, RowErrors, StoreError
from xpubsub.jobs.explain import Explanation, explain_subscription
from xpubsub.jobs.explain_correlation import explain_correlation
from xpubsub.jobs.explain_plan import explain_plan
from xpubsub.jobs.explain_transformation import explain_transformation
from xpubsub.jobs.gc import collect
from xpubsub.jobs.incoming import read_rows
from xpubsub.jobs.join_state import kept_stats
from xpubsub.jobs.publish import Publisher
from xpubsub.jobs.result import Result
from xpubsub.jobs.schemas import SchemaSource, list_schemas, read_source, set_schema
from xpubsub.jobs.subscribe import SubscribeForm, subscribe, unsubscribe
from xpubsub.language.schema import Schema
from xpubsub.language.xpath import DIALECTS
from xpubsub.limits import Limits
from xpubsub.shred.subscriptions import Compiler
from xpubsub.store.listing import Shown, list_subscriptions, show_subscription, store_stats
from xpubsub.store.store import Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from xpubsub.jobs.frames import FramePublisher

DEFAULT_STREAM = "S"
_EXPLAIN = {
    "filter": explain_subscription, "transformation": explain_transformation, "correlation": explain_correlation,
}


class Broker:
    """Subscriptions in, messages in, notifications out."""

    def __init__(self, store: Store, publisher: Publisher | FramePublisher, limits: Limits) -> None:
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
    ) -> None:
        """Add one subscription."""
        form = _form(namespaces, dialect, stream)
        row = check_text("the id of a subscription", subscription_id), check_text("the text", text, empty=True)
        Compiler(form.namespaces, form.dialect, self.limits).check(text)
        try:
            self.subscribe_many([row], namespaces=namespaces, dialect=dialect, stream=stream)
        except RowErrors as error:
            raise StoreError(f"{subscription_id}: {error.rows[0]['reason']}") from None

    def subscribe_many(
        self, rows: Any, *, namespaces: Mapping[str, str] | None = None, dialect: str = "xpath",
        stream: str = DEFAULT_STREAM, progress: Callable[[int], None] | None = None,
    ) -> int:
        """Add many subscriptions, all or none; returns how many were not there before.

        Rows are (id, text) pairs, an Arrow table, or the path of a .csv, .tsv, .jsonl or .parquet file. If any is bad,
        `RowErrors` names each with its number and reason. `progress` is called with the number of subscriptions read
        since the last time; not on Spark, where executors read them.
        """
        form = _form(namespaces, dialect, stream)
        incoming = read_rows(rows)
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

        For correlations, a message takes the place of one that an earlier batch of the stream has left with its id;
        with `replace=False` both are kept, as two messages. `progress` is called with 1 for each message read.
        """
        batch = check_iterable("messages", messages)
        check_text("a stream's name", stream)
        check_text("the plan", plan)
        with self._changing():
            return self._publisher.publish(
                batch, stream, plan, progress=check_progress(progress), replace=bool(replace))

    def publish_frame(self, messages: DataFrame, *, stream: str = DEFAULT_STREAM, plan: str = "auto") -> DataFrame:
        """Match a Spark DataFrame (id, xml): a DataFrame of notifications, lazy and distributed."""
        return self.publish_frames(messages, stream=stream, plan=plan)[0]

    def publish_frames(
        self, messages: DataFrame, *, stream: str = DEFAULT_STREAM, plan: str = "auto"
    ) -> tuple[DataFrame, DataFrame]:
        """The same, with a second DataFrame of the messages that are set aside."""
        if isinstance(self._publisher, Publisher):
            raise Error("publish_frame needs a store on Spark: connect(directory, engine='spark')")
        with self._exclusive():
            return self._publisher.frames(messages, check_text("a stream's name", stream), check_text("the plan", plan))

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

    def explain(self, subscription_id: str, xml: str | bytes) -> Explanation:
        """Why a message matches a subscription, or the first thing that fails; `print` it."""
        shown = self.show(subscription_id)
        return _EXPLAIN[shown.kind](shown, xml, self.limits)

    def explain_sql(self, plan: str = "auto") -> str:
        """The plan that `publish` would take, why, and the SQL of each step."""
        with self._exclusive():
            return explain_plan(self.store, self._publisher.summary(), check_text("the plan", plan), self.limits)

    def stats(self) -> dict[str, int]:
        """Counts over the store, by name; with correlations, also of what is kept for them."""
        with self._exclusive():
            return {**store_stats(self.store), **kept_stats(self.store, self.limits)}


def _form(namespaces: Mapping[str, str] | None, dialect: str, stream: str) -> SubscribeForm:
    if dialect not in DIALECTS:
        raise Error(f"there is no dialect {dialect!r}: the dialects are {', '.join(DIALECTS)}")
    return SubscribeForm(check_namespaces(namespaces), dialect, check_text("a stream's name", stream))
