"""`RemoteBroker`: the broker of a store that a streaming job in another process has open."""

from __future__ import annotations

import builtins
import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from socket import socket
from typing import Any, NoReturn

import pyarrow as pa

from xpubsub.broker import Broker
from xpubsub.checks import check_iterable, check_namespaces, check_progress, check_text, check_xml
from xpubsub.engines.reference_tables import read_reference
from xpubsub.engines.shared import check_writable
from xpubsub.errors import HeldStore, StoreError
from xpubsub.jobs.control.failures import unpacked_error
from xpubsub.jobs.control.frames import REQUEST_BYTES, Frame, FrameError, receive, too_large
from xpubsub.jobs.control.place import reach
from xpubsub.jobs.publish.times import seconds
from xpubsub.jobs.reference.tables import ReferenceTable
from xpubsub.jobs.schemas import SchemaSource, read_source
from xpubsub.jobs.subscribe.call_options import call_options
from xpubsub.jobs.subscribe.incoming import read_rows
from xpubsub.jobs.subscribe.subscribed import Subscribed
from xpubsub.limits import Limits
from xpubsub.open_store import DEFAULT_STREAM
from xpubsub.schema.element_graph import Schema, loads
from xpubsub.store.listing import Shown
from xpubsub.store.migrations import Migration

_DEFAULTS = dataclasses.asdict(Limits())
_NO_REFUSED = pa.schema([
    ("row_no", pa.int64()), ("subscription_id", pa.string()), ("reason", pa.string()), ("code", pa.string()),
])


class RemoteBroker(Broker):
    """Makes calls in the process of a streaming job, over its control socket; a connection lasts for one call.

    Subscriptions that it changes apply from the job's next batch on. It cannot publish.
    """

    def __init__(self, held: HeldStore, limits: Limits, *, read_only: bool = False) -> None:
        self.limits = limits
        self.place, self.read_only = held.place, read_only
        self._held = held
        self._closed = False

    @property
    def migrated(self) -> Sequence[Migration]:
        return ()

    def close(self) -> None:
        self._closed = True

    def subscribe_many(
        self, rows: Any, *, namespaces: Mapping[str, str] | None = None, dialect: str = "xpath",
        stream: str = DEFAULT_STREAM, columns: Mapping[str, str] | None = None, header: bool | None = None,
        progress: Callable[[int], None] | None = None, max_delay: str | None = None,
        variables: Mapping[str, Any] | None = None, strict: bool = False, partial: bool = True,
        weights: Mapping[str, float] | None = None,
    ) -> Subscribed:
        checked = call_options(namespaces, dialect, stream, max_delay, variables, strict, partial, weights)
        options = {**dataclasses.asdict(checked), "max_delay": max_delay, "partial": partial}
        done = check_progress(progress)
        incoming = read_rows(rows, columns, header)
        refused = pa.Table.from_pylist(incoming.refused, _NO_REFUSED)
        added, warnings, more = self._change("subscribe_many", options, incoming.rows, refused).header["value"]
        if done is not None:
            done(incoming.rows.num_rows)
        return Subscribed(added, warnings, more)

    def unsubscribe(self, ids: Iterable[str]) -> builtins.list[str]:
        given = [ids] if isinstance(ids, str) else check_iterable("ids", ids, "an iterable of subscription ids")
        checked = [check_text("the id of a subscription", each, empty=True) for each in given]
        answer = self._change("unsubscribe", {}, pa.table({"subscription_id": pa.array(checked, pa.string())}))
        removed: builtins.list[str] = answer.tables[0][0].to_pylist()
        return removed

    def schema(self, source: SchemaSource | Schema | None, *, name: str = "") -> Schema | None:
        check_text("a schema's name", name, empty=True)
        given = {"name": name, "schema": None if source is None else read_source(source).dumps()}
        answer = self._change("schema", given).header["value"]
        return None if answer is None else loads(answer)

    def schemas(self) -> dict[str, Schema]:
        return {name: loads(text) for name, text in self._ask("schemas").header["value"].items()}

    def reference(
        self, name: str, table: Any, *, key: str = "", on: str = "", namespaces: Mapping[str, str] | None = None,
    ) -> ReferenceTable | None:
        given = {"name": check_text("the name of reference data", name), "key": key, "on": on,
                 "namespaces": check_namespaces(namespaces)}
        if table is None:
            self._change("reference", given)
            return None
        read = read_reference(table, check_text("on", on))
        answer = self._change("reference", {**given, "columns": read.columns, "rows": read.rows}, read.values)
        return _table_of(answer.header["value"])

    def references(self) -> builtins.list[ReferenceTable]:
        return [_table_of(each) for each in self._ask("references").header["value"]]

    def referred(self, xml: str | bytes) -> str | bytes:
        if not self.references():
            return xml
        kind = pa.string() if isinstance(xml, str) else pa.binary()
        answer = self._ask("referred", None, pa.table({"xml": pa.array([xml], kind)})).tables[0]["xml"][0].as_py()
        return answer if isinstance(answer, str) else bytes(answer)

    def list(self) -> pa.Table:
        return self._ask("list").tables[0]

    def show(self, subscription_id: str) -> Shown:
        checked = check_text("the id of a subscription", subscription_id, empty=True)
        shown = self._ask("show", {"subscription_id": checked}).header["value"]
        return Shown(**{**shown, "queries": tuple(shown["queries"])})

    def gc(self) -> dict[str, int]:
        return dict(self._change("gc").header["value"])

    def explain_sql(self, plan: str = "auto") -> str:
        return str(self._ask("explain_sql", {"plan": check_text("the plan", plan)}).header["value"])

    def explain_spill(
        self, *messages: str | bytes, stream: str = DEFAULT_STREAM, policy: str = "optprune", load: float = 2.0
    ) -> str:
        given = pa.table({"xml": pa.array([check_xml(message) for message in messages], pa.binary())})
        options = {"stream": check_text("a stream's name", stream), "policy": policy, "load": load}
        return str(self._ask("explain_spill", options, given).header["value"])

    def stats(self) -> dict[str, int]:
        return dict(self._ask("stats").header["value"])

    def clocks(self) -> dict[str, float]:
        return dict(self._ask("clocks").header["value"])

    def delays(self) -> dict[str, tuple[float, float]]:
        return {name: (half, most) for name, (half, most) in self._ask("delays").header["value"].items()}

    def set_clock(self, stream: str, time: object) -> None:
        given = {"stream": check_text("a stream's name", stream), "time": seconds(time, "a clock's time")}
        self._change("set_clock", given)

    def publish(self, messages: Any, **_: Any) -> NoReturn:
        self._refuse("give it messages through its source")

    def complete(self, limit: int | None = None, **_: Any) -> NoReturn:
        self._refuse("stop it first")

    def publish_frames(self, messages: Any, **_: Any) -> NoReturn:
        self._refuse("give it messages through its source")

    def publish_stream(self, source: Any, *_: Any, **__: Any) -> NoReturn:
        self._refuse("give it messages through its source")

    def stream(self, source: Any, sink: Any, **_: Any) -> NoReturn:
        self._refuse("stop it first")

    def replay(self, letters: Any, sink: Any, **_: Any) -> NoReturn:
        self._refuse("stop it first")

    def _refuse(self, instead: str) -> NoReturn:
        raise StoreError(f"the store {self.place} is open in a streaming job{self._held.holder}: {instead}")

    def _change(self, call: str, arguments: Mapping[str, Any] | None = None, *tables: pa.Table) -> Frame:
        check_writable(self)
        return self._ask(call, arguments, *tables)

    def _ask(self, call: str, arguments: Mapping[str, Any] | None = None, *tables: pa.Table) -> Frame:
        """Send a request and return its answer; an error of the job is raised here."""
        if self._closed:
            raise StoreError(f"the store {self.place} is closed: open it again with xpubsub.connect()")
        limits = {name: value for name, value in dataclasses.asdict(self.limits).items() if value != _DEFAULTS[name]}
        request = Frame({"call": call, "arguments": dict(arguments or {}), "limits": limits}, tables).packed()
        if len(request) > REQUEST_BYTES:
            raise too_large(len(request), REQUEST_BYTES)
        answer = self._answer(request)
        if "error" in answer.header:
            raise unpacked_error(answer.header["error"])
        return answer

    def _answer(self, request: bytes) -> Frame:
        connection = reach(self._held.file)
        if connection is None:
            raise StoreError(f"the job that had the store {self.place} open has ended: connect again")
        try:
            with connection:
                return _sent(connection, request)
        except (OSError, FrameError) as error:
            raise StoreError(f"the job that has the store {self.place} open did not answer ({error}): run the call"
                             " again, which is harmless if it was done already") from None


def _table_of(given: Mapping[str, Any]) -> ReferenceTable:
    return ReferenceTable(**{**given, "columns": tuple(given["columns"])})


def _sent(connection: socket, request: bytes) -> Frame:
    """Send a request and read its answer, which may come before all of the request is read."""
    with suppress(BrokenPipeError, ConnectionResetError):
        connection.sendall(request)
    answer = receive(connection)
    if answer is None:
        raise FrameError("it ended")
    return answer
