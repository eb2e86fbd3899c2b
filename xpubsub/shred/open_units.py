"""Reads the open unit of a document while it grows, so that what is certain can be matched before its end."""

from __future__ import annotations

from xml.parsers import expat

from defusedxml.common import DefusedXmlException

from xpubsub.errors import Error
from xpubsub.limits import Limits
from xpubsub.shred.handlers import token_handlers
from xpubsub.shred.node_rows import NodeRows
from xpubsub.shred.reading import shredding_parser
from xpubsub.shred.tagpaths import TagPathCache
from xpubsub.shred.units import UnitCutter

EVENT_ID = 1
"""The event id of the open unit, which is matched alone."""


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

    def nodes(self, cache: TagPathCache) -> NodeRows | None:
        """Return all nodes read so far that subscriptions need; None if there is none that was not there before."""
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
        return self._new()

    def _begin(self, cache: TagPathCache) -> None:
        self._cache, self._number, self._position, self._seen = cache, self.number or 0, None, None
        self._rows = NodeRows()
        self._handlers = token_handlers(cache, self._limits, self._rows.add)
        self._handlers.begin(EVENT_ID)
        self._parser = shredding_parser("utf-8", self._handlers, self._limits)

    def _new(self) -> NodeRows | None:
        unfinished = self._handlers.unfinished()
        seen = len(self._rows), unfinished
        if seen == self._seen:
            return None
        self._seen = seen
        nodes = NodeRows()
        for row in (*self._rows.rows, *unfinished):
            nodes.add(row)
        return nodes
