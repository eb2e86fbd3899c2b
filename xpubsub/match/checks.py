"""Checks candidates with lxml: each message is parsed once, and all its checks are evaluated on it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from time import perf_counter
from typing import Any

import pyarrow as pa
from lxml import etree

from xpubsub.arrow import ArrowFunction
from xpubsub.errors import EngineError
from xpubsub.language.xpath1.extensions import NoValue
from xpubsub.language.xpath1.libxml import compiled_xpath
from xpubsub.rows import CHECK_HELD

_OPTIONS: dict[str, Any] = {
    "resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": True, "encoding": "utf-8"}
"""Messages have been read before, within the limits, and declare no entities."""
_PARSER = etree.XMLParser(**_OPTIONS)
"""A parser costs more than a small message; lxml lets threads take turns with it."""


Count = Callable[[int, bool, float], None]
"""Takes a check that was evaluated, whether it held, and the seconds that took."""


class Checks:
    """The checks of a store; each is compiled when it is first needed."""

    def __init__(self, stored: Mapping[int, tuple[str, str]], count: Count | None = None) -> None:
        self._stored = stored
        self._count = count
        self._compiled: dict[int, etree.XPath] = {}

    def held(self, source: bytes, check_ids: list[int]) -> list[int]:
        """Return the checks that hold in a message, given in UTF-8."""
        tree = parsed_source(source)
        if tree is None:
            return []
        held, count, before = [], self._count, perf_counter()
        for each in check_ids:
            if holds := self._holds(each, tree):
                held.append(each)
            if count is not None:
                after = perf_counter()
                count(each, holds, after - before)
                before = after
        return held

    def _holds(self, check_id: int, tree: etree._ElementTree) -> bool:
        try:
            return bool(self._xpath(check_id)(tree))
        except NoValue:
            return False
        except etree.XPathError as error:
            raise EngineError(f"lxml cannot evaluate {self._stored[check_id][0]}: {error}", step="check_held") from None

    def _xpath(self, check_id: int) -> etree.XPath:
        found = self._compiled.get(check_id)
        if found is None:
            expression, namespaces = self._stored[check_id]
            found = self._compiled[check_id] = compiled_xpath(expression, json.loads(namespaces))
        return found


def parsed_source(source: bytes) -> etree._ElementTree | None:
    """Parse a message; what only lxml objects to does not keep it from being read."""
    try:
        return etree.ElementTree(etree.fromstring(source, _PARSER))
    except etree.XMLSyntaxError:
        root = etree.fromstring(source, etree.XMLParser(**_OPTIONS, recover=True))
        return None if root is None else etree.ElementTree(root)


def checking(checks: Checks, sources: Mapping[int, bytes]) -> ArrowFunction:
    """Return a function from rows (message, its checks) to rows (message, check that holds)."""
    def checked(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = zip(*(batch[name].to_pylist() for name in ("event_id", "checks")), strict=True)
            held = [(event_id, each) for event_id, asked in rows for each in checks.held(sources[event_id], asked)]
            columns = [pa.array([row[place] for row in held], pa.int64()) for place in (0, 1)]
            yield pa.RecordBatch.from_arrays(columns, schema=CHECK_HELD)
    return checked
