"""The broker, through which callers subscribe and publish. One call runs at a time per store and process."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from xpubsub.checks import check_iterable, check_namespaces, check_progress, check_text, check_xml
from xpubsub.compile.subscriptions import Compiler
from xpubsub.engines.reference_tables import ReadReference, read_reference
from xpubsub.errors import RowErrors, StoreError
from xpubsub.jobs.explain.explaining import asked, explain
from xpubsub.jobs.explain.explanation import Explanation
from xpubsub.jobs.explain.plan import explain_plan
from xpubsub.jobs.gc import collect
from xpubsub.jobs.overload.explaining import explain_spill
from xpubsub.jobs.overload.spilling import spill_stats
from xpubsub.jobs.publish.clocks import load_reads, read_clocks, set_clock
from xpubsub.jobs.publish.join_state import kept_stats
from xpubsub.jobs.publish.times import seconds
from xpubsub.jobs.reference.one_message import referred_message
from xpubsub.jobs.reference.tables import ReferenceTable, key_path, list_references, set_reference
from xpubsub.jobs.schemas import SchemaSource, list_schemas, read_source, set_schema
from xpubsub.jobs.stream.commits import achieved_delays
from xpubsub.jobs.subscribe.call_options import call_options
from xpubsub.jobs.subscribe.incoming import read_rows
from xpubsub.jobs.subscribe.subscribed import Subscribed
from xpubsub.jobs.subscribe.subscribing import subscribe, unsubscribe
from xpubsub.open_store import DEFAULT_STREAM
from xpubsub.plan.request import PlanRequest
from xpubsub.publishing import PublishingCalls
from xpubsub.schema.element_graph import Schema
from xpubsub.store.listing import Shown, list_subscriptions, show_subscription, store_stats
from xpubsub.streaming import StreamingCalls

if TYPE_CHECKING:
    pass



class Broker(PublishingCalls, StreamingCalls):
    """An open store: takes subscriptions and messages, returns notifications. `xpubsub.connect()` returns one.

    Calls from several threads wait for one another. Use it as a context manager, or call `close()`.
    """

    def subscribe(
        self, subscription_id: str, text: str, *, namespaces: Mapping[str, str] | None = None,
        dialect: str = "xpath", stream: str = DEFAULT_STREAM, max_delay: str | None = None,
        variables: Mapping[str, Any] | None = None, strict: bool = False, partial: bool = True,
        weights: Mapping[str, float] | None = None,
    ) -> Subscribed:
        """Add one subscription; return 1, or 0 if it exists already.

        - `subscription_id`: the id under which notifications arrive. An id in use for another text is an error.
        - `text`: a filter (XPath), a transformation (FLWR) or a correlation (XSCL); the text decides which.
        - `namespaces`: URIs by prefix, for the names in the text; the empty prefix sets the default namespace.
        - `dialect`: `"xpath"`, or `"branching"` for the grammar of Tian's Figure 3.1.
        - `stream`: the stream that a filter or a transformation reads. A correlation names its streams itself.
        - `max_delay`: the longest delay from a message's arrival to the notification that the subscriber accepts, such
          as `"5s"` (ms, s, m, h or d). The streaming job forms its batches accordingly.
        - `variables`: values by name, for `$name` in a filter: strings, numbers, truth values, or lists of these, with
          which a comparison holds if it holds for one of them.
        - `strict`: refuse a filter that SQL cannot decide alone, so that lxml would check candidates.
        - `partial`: False if the subscriber wants no outputs with holes: where elements of a message are spilled, the
          output comes whole, once the message is complete.
        - `weights`: what the paths that a transformation returns are worth, by how it writes them, such as
          `{"$a/price": 10}`; 1 unless given. A streaming job that is overloaded spills what is worth least.

        The returned int also has `warnings`: reasons why the subscription may not mean what its author intended.
        """
        options = call_options(namespaces, dialect, stream, max_delay, variables, strict, partial, weights)
        row = check_text("the id of a subscription", subscription_id), check_text("the text", text, empty=True)
        compiler = Compiler(
            options.namespaces, options.dialect, self.limits, options.variables, strict, options.weights)
        compiler.check(text)
        try:
            return self.subscribe_many(
                [row], namespaces=namespaces, dialect=dialect, stream=stream, max_delay=max_delay,
                variables=variables, strict=strict, partial=partial, weights=weights)
        except RowErrors as error:
            raise StoreError(f"{subscription_id}: {error.rows[0]['reason']}") from None

    def subscribe_many(
        self, rows: Any, *, namespaces: Mapping[str, str] | None = None, dialect: str = "xpath",
        stream: str = DEFAULT_STREAM, columns: Mapping[str, str] | None = None, header: bool | None = None,
        progress: Callable[[int], None] | None = None, max_delay: str | None = None,
        variables: Mapping[str, Any] | None = None, strict: bool = False, partial: bool = True,
        weights: Mapping[str, float] | None = None,
    ) -> Subscribed:
        """Add many subscriptions and return how many are new; the returned int also has `warnings`.

        The call is atomic: if any row is bad, nothing is added, and `RowErrors` lists each bad row with its reason.

        - `rows`: (id, text) pairs, mappings, an Arrow table, or the path of a .csv, .tsv, .jsonl or .parquet file. A
          row has the columns `id` and `text`, and may have its own `namespaces`, `dialect`, `stream`, `max_delay`,
          `variables`, `partial` and `weights`.
        - `namespaces`, `dialect`, `stream`, `max_delay`, `variables`, `partial`, `weights`: as in `subscribe`, for
          rows that have none of their own.
        - `strict`: as in `subscribe`, for all rows.
        - `columns`: other names for these columns, such as `{"id": "name"}`.
        - `header`: False if a .csv or .tsv file has no header line.
        - `progress`: a function, called with the number of subscriptions read since its last call. On Spark, where
          executors read the rows, it is not called.
        """
        options = call_options(namespaces, dialect, stream, max_delay, variables, strict, partial, weights)
        incoming = read_rows(rows, columns, header)
        with self._changing():
            return subscribe(self.store, incoming, options, self.limits, check_progress(progress))

    def unsubscribe(self, ids: Iterable[str]) -> builtins.list[str]:
        """Remove subscriptions and return the ids that existed; `ids` is one id or an iterable of ids."""
        given = [ids] if isinstance(ids, str) else check_iterable("ids", ids, "an iterable of subscription ids")
        checked = [check_text("the id of a subscription", each, empty=True) for each in given]
        with self._changing():
            return unsubscribe(self.store, checked)

    def schema(self, source: SchemaSource | Schema | None, *, name: str = "") -> Schema | None:
        """Register a DTD or an XML schema for the messages, or remove one; return it, or None if there was none.

        - `source`: the text of the schema (it starts with `<`), the path of a file, or several of these that belong
          together; or a schema that such a call has returned. None removes the schema called `name`.
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

    def reference(
        self, name: str, table: Any, *, key: str = "", on: str = "", namespaces: Mapping[str, str] | None = None,
    ) -> ReferenceTable | None:
        """Give reference data, or replace it; return what is stored, or None if it was removed.

        Each node that `key` selects has the columns of the row with its value as attributes `@ref:column`, in filters
        and transformations.

        - `name`: the name of the data, by which it can be replaced and removed.
        - `table`: an Arrow table, a pandas or Spark DataFrame, a DuckDB relation, or the path of a .parquet, .csv, .tsv
          or .jsonl file. None removes the data.
        - `key`: the path of elements or of an attribute whose values are keys, such as `//cac:Party/cbc:ID`. An
          attribute's columns belong to its element.
        - `on`: the column of the keys; keys are compared as text, to the letter. Each key has one row.
        - `namespaces`: URIs by prefix, for the names in `key`.
        """
        check_text("the name of reference data", name)
        if table is None:
            with self._changing():
                set_reference(self.store, ReferenceTable(name, key, on, (), 0, ""), None)
            return None
        path = key_path(check_text("key", key), check_namespaces(namespaces), self.limits)
        read = table if isinstance(table, ReadReference) else read_reference(table, check_text("on", on))
        stored = ReferenceTable(name, key, on, read.columns, read.rows, path)
        with self._changing():
            set_reference(self.store, stored, read.values)
        return stored

    def references(self) -> builtins.list[ReferenceTable]:
        """Return the reference data by name."""
        with self._exclusive():
            return list_references(self.store)

    def list(self) -> pa.Table:
        """Return all subscriptions, with subscription_id, kind, stream, dialect, namespaces, text, max_delay,
        variables, partial, weights, way (`indexed`, `checked` or `every message`), and what lxml's checks have cost:
        candidates and seconds.
        """
        with self._exclusive():
            self._keep_check_costs()
            return list_subscriptions(self.store)

    def show(self, subscription_id: str) -> Shown:
        """Return one subscription, by `subscription_id`: as it was written, and the queries it was compiled to."""
        with self._exclusive():
            self._keep_check_costs()
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
        shown = self.show(subscription_id)
        if shown.kind != "correlation":
            messages = [replace(each, xml=self.referred(each.xml)) for each in messages]
        return explain(shown, messages, self.limits)

    def referred(self, xml: str | bytes) -> str | bytes:
        """Return a message with the reference data that subscriptions name, as attributes of its nodes."""
        with self._exclusive():
            return referred_message(self.store, xml)

    def explain_sql(self, plan: str = "auto") -> str:
        """Return the plan that `publish` would choose for `plan`, the reason, and the SQL of each step."""
        with self._exclusive():
            request = PlanRequest.parse(check_text("the plan", plan))
            return explain_plan(self._publisher.plan(request))

    def explain_spill(
        self, *messages: str | bytes, stream: str = DEFAULT_STREAM, policy: str = "optprune", load: float = 2.0
    ) -> str:
        """Return what a streaming job with `overload` would spill of such messages, and what led to the choice.

        - `messages`: examples of the messages that come.
        - `stream`: the stream that they are published to.
        - `policy`: `optr`, `optprune`, `tox` or `random`.
        - `load`: how many times as many messages come as can be processed.
        """
        given = [check_xml(message) for message in messages]
        with self._exclusive():
            return explain_spill(self.store, self.limits, given, check_text("a stream's name", stream), policy, load)

    def stats(self) -> dict[str, int]:
        """Return counts over the store by name, such as subscriptions and messages kept for correlations."""
        with self._exclusive():
            self._keep_check_costs()
            kept = kept_stats(self.store, self.limits)
            return {**store_stats(self.store), **kept, **spill_stats(self.store)}

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
