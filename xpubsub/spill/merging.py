"""Puts fillers into the holes of reduced outputs: the result is that of a run in which nothing was spilled."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from xpubsub.errors import Error
from xpubsub.language.holes import HOLE, HoleIds, filler_of

_Key = tuple[str, str]
"""The ids of a message and a subscription."""
_Fillers = dict[_Key, dict[HoleIds, str]]
_COLUMNS = ("message_id", "subscription_id", "output", "part")
_START_TAG = re.compile(r"<([^\s<>/!?][^\s<>/]*)(?:\s[^<]*[^</])?>$")


def merge(*notifications: pa.Table) -> pa.Table:
    """Return whole notifications, given those of `publish` and those of `complete`, in one table or in several.

    The tables have the columns `message_id`, `subscription_id`, `output` and `part`, the result the first three. Every
    hole must have exactly one filler: otherwise `xpubsub.Error` names the hole.
    """
    rows = [row for table in notifications for row in _rows(table)]
    fillers = _fillers(rows)
    merged = [row if row["part"] == "whole" else {**row, "output": _filled(row, fillers)}
              for row in rows if row["part"] != "filler"]
    for (message_id, subscription_id), left in fillers.items():
        if left:
            row = {"message_id": message_id, "subscription_id": subscription_id}
            raise Error(f"{_place(row)}: no output has the hole {next(iter(left)).hole()}")
    schema = pa.schema([(name, pa.string()) for name in _COLUMNS[:3]])
    return pa.Table.from_pylist([{name: row[name] for name in schema.names} for row in merged], schema=schema)


def _rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    if not isinstance(table, pa.Table) or not set(_COLUMNS) <= set(table.column_names):
        raise Error(f"notifications must be tables with the columns {', '.join(_COLUMNS)}")
    for row in table.select(list(_COLUMNS)).to_pylist():
        if row["part"] not in ("whole", "reduced", "filler"):
            raise Error(f"the part of a notification must be whole, reduced or filler, not {row['part']!r}")
        yield row


def _fillers(rows: list[dict[str, Any]]) -> _Fillers:
    fillers: _Fillers = {}
    for row in rows:
        if row["part"] == "filler":
            found = filler_of(row["output"] or "")
            if found is None:
                raise Error(f"{_place(row)}: the output of part filler is no xps:filler")
            ids, content = found
            own = fillers.setdefault((row["message_id"], row["subscription_id"]), {})
            if ids in own:
                raise Error(f"{_place(row)}: there are two fillers for the hole {ids.hole()}")
            own[ids] = content
    return fillers


def _filled(row: dict[str, Any], fillers: _Fillers) -> str:
    """Return an output with its holes filled, whose fillers are removed."""
    own = fillers.get((row["message_id"], row["subscription_id"]), {})
    text, output, end = row["output"] or "", _Output(), 0
    for hole in HOLE.finditer(text):
        content = own.pop(HoleIds(*hole.groups()), None)
        if content is None:
            raise Error(f"{_place(row)}: there is no filler for the hole {hole[0]}")
        output.add(text[end : hole.start()])
        output.fill(content)
        end = hole.end()
    output.add(text[end:])
    return "".join(output.pieces)


class _Output:
    """An output that grows piece by piece; an element in which all holes remain empty becomes `<a/>`."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._emptied = False

    def add(self, text: str) -> None:
        """Add what stands between holes."""
        if not text:
            return
        if self._emptied and self.pieces:
            before = self.pieces[-1]
            tag = _START_TAG.match(before, max(before.rfind("<"), 0))
            if tag and text.startswith(f"</{tag[1]}>"):
                self.pieces[-1] = f"{before[:-1]}/>"
                text = text[len(tag[1]) + 3 :]
        self.pieces.append(text)
        self._emptied = False

    def fill(self, content: str) -> None:
        """Add the content of a filler."""
        self._emptied = not content
        if content:
            self.pieces.append(content)


def _place(row: dict[str, Any]) -> str:
    return f"message {row['message_id']!r}, subscription {row['subscription_id']!r}"
