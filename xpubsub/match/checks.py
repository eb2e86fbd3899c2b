"""Checks candidates, filters with lxml and queries with Saxon: each message is parsed once for all its checks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from lxml import etree

from xpubsub.arrow import ArrowFunction
from xpubsub.errors import EngineError
from xpubsub.language.xpath.linear import REFERENCE_NAMESPACE
from xpubsub.language.xpath1.extensions import NoValue
from xpubsub.language.xpath1.libxml import compiled_xpath
from xpubsub.language.xquery.evaluation import VERSION
from xpubsub.limits import Limits
from xpubsub.match.referred import ReferredValues
from xpubsub.match.saxon import saxon_answers
from xpubsub.rows import CHECK_HELD, table_of

Decided = tuple[str | None, str | None, str | None]
"""The output (null for a filter), or the code and the reason of an error."""
FILTER_HELD: Decided = (None, None, None)

_OPTIONS: dict[str, Any] = {
    "resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": True, "encoding": "utf-8"}
"""Messages have been read before, within the limits, and declare no entities."""
_PARSER = etree.XMLParser(**_OPTIONS)
"""A parser costs more than a small message; lxml lets threads take turns with it."""


class Checks:
    """The checks of a store; each is compiled when it is first needed."""

    def __init__(self, stored: Mapping[int, tuple[str, str]], limits: Limits) -> None:
        self._stored = stored
        self._limits = limits
        self._compiled: dict[int, etree.XPath] = {}

    def held(
        self, asked: Sequence[tuple[bytes, list[int]]], values: ReferredValues | None = None
    ) -> Iterator[dict[int, Decided]]:
        """Yield for each message, given in UTF-8, the checks that hold in it or fail, with their outputs.

        - `values`: what reference tables have for the keys in the messages.
        """
        queries = [(source, [self._stored[each][0] for each in check_ids if self._is_query(each)])
                   for source, check_ids in asked]
        answers = saxon_answers([each for each in queries if each[1]], self._limits)
        for (source, check_ids), (_, texts) in zip(asked, queries, strict=True):
            found = dict.fromkeys(self._held_filters(source, check_ids, values), FILTER_HELD)
            if texts:
                ids = [each for each in check_ids if self._is_query(each)]
                found |= {each: answer for each, answer in zip(ids, next(answers), strict=True) if answer is not None}
            yield found

    def _is_query(self, check_id: int) -> bool:
        return self._stored[check_id][0].startswith(VERSION)

    def _held_filters(self, source: bytes, check_ids: list[int], values: ReferredValues | None) -> list[int]:
        filters = [each for each in check_ids if not self._is_query(each)]
        tree = parsed_source(source) if filters else None
        if tree is None:
            return []
        referring = [each for each in filters if REFERENCE_NAMESPACE in self._stored[each][1]]
        held = [each for each in filters if each not in referring and self._holds(each, tree)]
        if referring and values is not None:
            values.enrich(tree)
        return held + [each for each in referring if self._holds(each, tree)]

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


def checking(
    checks: Checks, sources: Mapping[int, bytes], values: ReferredValues | None = None
) -> ArrowFunction:
    """Return a function from rows (message, its checks) to rows (message, check that holds or fails)."""
    def checked(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            event_ids, asked = (batch[name].to_pylist() for name in ("event_id", "checks"))
            messages = [(sources[event_id], each) for event_id, each in zip(event_ids, asked, strict=True)]
            found = checks.held(messages, values)
            rows = [(event_id, check_id, *held) for event_id, each in zip(event_ids, found, strict=True)
                    for check_id, held in each.items()]
            yield from table_of(rows, CHECK_HELD).to_batches()
    return checked
