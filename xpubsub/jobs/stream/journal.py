"""Messages in a checkpoint: a batch of a source that cannot seek, from its reading to its commit."""

from __future__ import annotations

import json

import pyarrow as pa

from xpubsub.jobs.stream.messages import Polled, StreamMessage
from xpubsub.shred.unit import Unit

_SCHEMA = pa.schema([
    ("message_id", pa.string()), ("xml", pa.large_binary()), ("place", pa.string()), ("arrived", pa.float64()),
    ("time", pa.float64()), ("code", pa.string()), ("reason", pa.string()), ("unit", pa.string()),
])


def journal_table(polled: Polled) -> pa.Table:
    """Return messages as a table; the position and the items are in its metadata."""
    rows = [(each.message_id, each.xml, each.place, each.arrived, each.time, *(each.refused or (None, None)),
             _unit_text(each.unit)) for each in polled.messages]
    columns = list(zip(*rows, strict=True)) or [()] * len(_SCHEMA)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, _SCHEMA, strict=True)]
    after = json.dumps({"position": polled.position, "items": polled.items})
    return pa.Table.from_arrays(arrays, schema=_SCHEMA.with_metadata({"after": after}))


def journaled(table: pa.Table) -> Polled:
    """Return the messages of such a table."""
    after = json.loads(table.schema.metadata[b"after"])
    messages = [
        StreamMessage(row["message_id"], row["xml"], row["place"], row["arrived"], row["time"],
                      None if row["code"] is None else (row["code"], row["reason"]), _unit(row["unit"]))
        for row in table.to_pylist()]
    return Polled(messages, after["position"], after["items"])


def _unit_text(unit: Unit | None) -> str | None:
    return None if unit is None else json.dumps({**unit._asdict(), "xml": None, "before": unit.before.decode("utf-8")})


def _unit(text: str | None) -> Unit | None:
    if text is None:
        return None
    fields = json.loads(text)
    refusal = None if fields["refusal"] is None else tuple(fields["refusal"])
    return Unit(**{**fields, "xml": b"", "before": fields["before"].encode(), "refusal": refusal})
