"""The calls that other processes may make: each reads its arguments from a request and calls the broker."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Any, Protocol

import pyarrow as pa

from xpubsub.engines.reference_tables import ReadReference
from xpubsub.errors import Error
from xpubsub.jobs.control.failures import packed_error
from xpubsub.jobs.control.frames import Frame, FrameError
from xpubsub.jobs.reference.tables import ReferenceTable
from xpubsub.jobs.subscribe.incoming import Incoming
from xpubsub.jobs.subscribe.subscribed import Subscribed
from xpubsub.schema.element_graph import Schema, loads
from xpubsub.store.listing import Shown


class Callee(Protocol):
    """What is called: a broker."""

    @property
    def subscribe_many(self) -> Callable[..., Subscribed]: ...
    def unsubscribe(self, ids: Iterable[str]) -> builtins.list[str]: ...
    def list(self) -> pa.Table: ...
    def show(self, subscription_id: str) -> Shown: ...
    def stats(self) -> dict[str, int]: ...
    def clocks(self) -> dict[str, float]: ...
    def delays(self) -> dict[str, tuple[float, float]]: ...
    def set_clock(self, stream: str, time: object) -> None: ...
    def explain_sql(self, plan: str = "auto") -> str: ...
    def explain_spill(self, *messages: str | bytes, stream: str, policy: str, load: float) -> str: ...
    def referred(self, xml: str | bytes) -> str | bytes: ...
    def references(self) -> builtins.list[ReferenceTable]: ...
    @property
    def reference(self) -> Callable[..., ReferenceTable | None]: ...
    def gc(self) -> dict[str, int]: ...
    def schemas(self) -> dict[str, Schema]: ...
    def schema(self, source: Any, *, name: str = "") -> Schema | None: ...


Limited = Callable[[Mapping[str, Any]], Callee]
"""Returns the broker with other limits."""
Arguments = dict[str, Any]
ControlCall = Callable[[Callee, Arguments, tuple[pa.Table, ...]], object]


def answer(limited: Limited, request: Frame) -> bytes:
    """Make the call of a request and return the answer; an error is an answer as well."""
    try:
        call = CALLS.get(str(request.header.get("call")))
        if call is None:
            raise FrameError(f"the job that holds the store does not know the call {request.header.get('call')!r}")
        arguments = request.header.get("arguments", {})
        given = call(limited(request.header.get("limits", {})), arguments, request.tables)
        return (given if isinstance(given, Frame) else Frame({"value": given})).packed()
    except Exception as error:
        return refused_call(error)


def refused_call(error: Exception) -> bytes:
    """Return the answer that is an error."""
    return Frame({"error": packed_error(error)}).packed()


def _subscribe_many(broker: Callee, arguments: Arguments, tables: tuple[pa.Table, ...]) -> object:
    rows, refused = tables
    if rows.schema.names[:3] != ["row_no", "subscription_id", "text"]:
        raise Error("the rows of subscriptions need the columns row_no, subscription_id and text")
    added = broker.subscribe_many(Incoming(rows, refused.to_pylist()), **arguments)
    return [int(added), added.warnings, added.more_warnings]


def _unsubscribe(broker: Callee, _: Arguments, tables: tuple[pa.Table, ...]) -> object:
    [ids] = tables
    return Frame({}, (pa.table({"subscription_id": pa.array(broker.unsubscribe(ids[0].to_pylist()), pa.string())}),))


def _schema(broker: Callee, arguments: Arguments, _: tuple[pa.Table, ...]) -> object:
    text = arguments["schema"]
    schema = broker.schema(None if text is None else loads(text), name=arguments["name"])
    return None if schema is None else schema.dumps()


def _reference(broker: Callee, arguments: Arguments, tables: tuple[pa.Table, ...]) -> object:
    columns, rows = arguments.pop("columns", ()), arguments.pop("rows", 0)
    read = ReadReference(tuple(columns), rows, tables[0]) if tables else None
    stored = broker.reference(arguments.pop("name"), read, **arguments)
    return None if stored is None else asdict(stored)


def _xml_table(xml: str | bytes) -> pa.Table:
    return pa.table({"xml": pa.array([xml], pa.string() if isinstance(xml, str) else pa.binary())})


CALLS: dict[str, ControlCall] = {
    "subscribe_many": _subscribe_many,
    "unsubscribe": _unsubscribe,
    "list": lambda broker, *_: Frame({}, (broker.list(),)),
    "show": lambda broker, arguments, _: asdict(broker.show(**arguments)),
    "stats": lambda broker, *_: broker.stats(),
    "clocks": lambda broker, *_: broker.clocks(),
    "delays": lambda broker, *_: broker.delays(),
    "set_clock": lambda broker, arguments, _: broker.set_clock(**arguments),
    "explain_sql": lambda broker, arguments, _: broker.explain_sql(**arguments),
    "explain_spill": lambda broker, arguments, tables: broker.explain_spill(*tables[0]["xml"].to_pylist(), **arguments),
    "gc": lambda broker, *_: broker.gc(),
    "schemas": lambda broker, *_: {name: schema.dumps() for name, schema in broker.schemas().items()},
    "schema": _schema,
    "reference": _reference,
    "references": lambda broker, *_: [asdict(each) for each in broker.references()],
    "referred": lambda broker, _, tables: Frame({}, (_xml_table(broker.referred(tables[0]["xml"][0].as_py())),)),
}
