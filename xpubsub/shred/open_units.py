"""Reads the open unit of a document while it grows, so that what is certain can be matched before its end."""

from __future__ import annotations

from typing import NamedTuple
from xml.parsers import expat

import pyarrow as pa
from defusedxml.common import DefusedXmlException

from xpubsub.errors import Error
from xpubsub.language.xpath.numbers import Reach, number_reach
from xpubsub.limits import Limits
from xpubsub.rows import BEGUN, OPEN_NODE, SAX_PARSE_RESULT, table_of
from xpubsub.shred.handlers import token_handlers
from xpubsub.shred.node_rows import NodeRow, NodeRows
from xpubsub.shred.reading import shredding_parser
from xpubsub.shred.tagpaths import TagPathCache
from xpubsub.shred.units import UnitCutter

EVENT_ID = 1
"""The event id of the open unit, which is matched alone."""


_NO_NUMBER = None, None, None, None


class OpenNodes(NamedTuple):
    """What has been read of a unit."""

    nodes: pa.Table
    """All nodes that subscriptions need; of those that are open, the value so far and the numbers it may become."""
    opened: pa.Table
    """The open elements."""


class OpenUnit:
    """The unit that a cutter is in: its complete nodes, and those that are still open, without their values."""

    def __init__(self, cutter: UnitCutter, limits: Limits) -> None:
        self._cutter = cutter
        self._limits = limits
        self._cache: TagPathCache | None = None
        self._number = 0
        self._position: int | None = None
        self._parser: expat.XMLParserType | None = None
        self._rows = NodeRows()
        self._seen: object = None

    @property
    def number(self) -> int | None:
        """The number of the open unit; None if no unit is open."""
        return self._cutter.open_number

    def nodes(self, cache: TagPathCache, *, texts: bool) -> OpenNodes | None:
        """Return what has been read so far; None if nothing was read that subscriptions need.

        - `texts`: whether some subscription can be certain of a value before its end.
        """
        if self._number != self.number or self._cache is not cache:
            self._begin(cache)
        if self._parser is None or self.number is None:
            return None
        data, self._position = self._cutter.open_since(self._position)
        try:
            self._parser.Parse(data, False)
        except (DefusedXmlException, Error, expat.ExpatError):
            self._parser = None
            return None
        return self._new(texts)

    def _begin(self, cache: TagPathCache) -> None:
        self._cache, self._number, self._position, self._seen = cache, self.number or 0, None, None
        self._rows = NodeRows()
        self._handlers = token_handlers(cache, self._limits, self._rows.add)
        self._handlers.begin(EVENT_ID)
        self._parser = shredding_parser("utf-8", self._handlers, self._limits)
        if hasattr(self._parser, "SetReparseDeferralEnabled"):
            self._parser.SetReparseDeferralEnabled(False)

    def _new(self, texts: bool) -> OpenNodes | None:
        begun = [(row, so_far if texts else None) for row, so_far in self._handlers.unfinished()]
        computing = self._cache.computing if self._cache is not None else None
        if computing is not None:
            begun += [(value, None) for row, _ in begun for value in computing.open_rows(row)]
        opened = self._handlers.around()
        seen = len(self._rows), opened, begun
        if seen == self._seen:
            return None
        self._rows.settle()
        self._seen = seen if seen[0] == len(self._rows) else None
        nodes = pa.concat_tables([_complete(self._rows.table()), _begun(begun)])
        return OpenNodes(nodes, table_of([(node,) for node in opened], OPEN_NODE))


def _complete(nodes: pa.Table) -> pa.Table:
    """Return nodes with the columns of nodes that have begun, which are null."""
    for field in BEGUN:
        nodes = nodes.append_column(field, pa.nulls(nodes.num_rows, field.type))
    return nodes


def _begun(begun: list[tuple[NodeRow, str | None]]) -> pa.Table:
    rows = NodeRows()
    for row, _ in begun:
        rows.add(row)
    values = table_of([(so_far, *_reach(so_far)) for _, so_far in begun], BEGUN)
    nodes = rows.table()
    return pa.Table.from_arrays([*nodes.columns, *values.columns], schema=pa.schema([*SAX_PARSE_RESULT, *BEGUN]))


def _reach(so_far: str | None) -> Reach | tuple[None, None, None, None]:
    return (None if so_far is None else number_reach(so_far)) or _NO_NUMBER
