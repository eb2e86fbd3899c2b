"""Checks candidates of filters with lxml: each message is parsed once, and all its checks are evaluated on it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter
from typing import Any

from lxml import etree

from xpubsub.errors import EngineError
from xpubsub.language.xpath.linear import REFERENCE_NAMESPACE
from xpubsub.language.xpath1.extensions import NoValue
from xpubsub.language.xpath1.libxml import compiled_xpath
from xpubsub.match.referred import ReferredValues
from xpubsub.processes import cores

_OPTIONS: dict[str, Any] = {
    "resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": True, "encoding": "utf-8"}
"""Messages have been read before, within the limits, and declare no entities."""
_PARSER = etree.XMLParser(**_OPTIONS)
"""A parser costs more than a small message; lxml lets threads take turns with it."""
Evaluated = tuple[int, bool, float]
"""(check, whether it held, seconds)."""
WORTH_THREADS, WORTH_TURNS = 2_000, 10
"""From how many evaluations threads are worth it, in all and in a message; with fewer they wait for each other."""
Count = Callable[[int, bool, float], None]
"""Takes a check that was evaluated, whether it held, and the seconds that took."""


class FilterChecks:
    """The filters that lxml decides; each is compiled when it is first needed."""

    def __init__(self, stored: Mapping[int, tuple[str, str]], count: Count | None, threads: int) -> None:
        self._stored = stored
        self._count = count
        self._most = min(threads, cores())
        self._compiled: list[dict[int, etree.XPath]] = []
        """What no thread uses now: only one at a time can evaluate an expression."""

    def held(
        self, asked: Sequence[tuple[bytes, list[int]]], values: ReferredValues | None = None
    ) -> list[list[int]]:
        """Return the checks that hold in each of some messages; lxml works on several at a time if that is worth it.

        - `values`: what reference tables have for the keys in the messages.
        """
        evaluated = partial(self._evaluated, values)
        evaluations = sum(len(check_ids) for _, check_ids in asked)
        if evaluations < max(WORTH_THREADS, WORTH_TURNS * len(asked)) or self._most <= 1:
            return [self._counted(evaluated(*each)) for each in asked]
        with ThreadPoolExecutor(self._most) as threads:
            found = list(threads.map(evaluated, *zip(*asked, strict=True)))
        return [self._counted(each) for each in found]

    def _evaluated(self, values: ReferredValues | None, source: bytes, check_ids: list[int]) -> list[Evaluated]:
        """Evaluate checks in a message, perhaps in a thread of its own; last those that look at reference data."""
        tree = parsed_source(source) if check_ids else None
        if tree is None:
            return []
        try:
            compiled = self._compiled.pop()
        except IndexError:
            compiled = {}
        found: list[Evaluated] = []
        before = perf_counter()
        for each in check_ids if values is None else sorted(check_ids, key=self._refers):
            if values is not None and self._refers(each):
                values.enrich(tree)
                values = None
            holds, after = self._holds(each, tree, compiled), perf_counter()
            found.append((each, holds, after - before))
            before = after
        self._compiled.append(compiled)
        return found

    def _refers(self, check_id: int) -> bool:
        """Whether a check may look at reference data."""
        return REFERENCE_NAMESPACE in self._stored[check_id][1]

    def _counted(self, evaluated: list[Evaluated]) -> list[int]:
        if self._count is not None:
            for each in evaluated:
                self._count(*each)
        return [check_id for check_id, holds, _ in evaluated if holds]

    def _holds(self, check_id: int, tree: etree._ElementTree, compiled: dict[int, etree.XPath]) -> bool:
        try:
            return bool(self._xpath(check_id, compiled)(tree))
        except NoValue:
            return False
        except etree.XPathError as error:
            raise EngineError(f"lxml cannot evaluate {self._stored[check_id][0]}: {error}", step="check_held") from None

    def _xpath(self, check_id: int, compiled: dict[int, etree.XPath]) -> etree.XPath:
        found = compiled.get(check_id)
        if found is None:
            expression, namespaces = self._stored[check_id]
            found = compiled[check_id] = compiled_xpath(expression, json.loads(namespaces))
        return found


def parsed_source(source: bytes) -> etree._ElementTree | None:
    """Parse a message; what only lxml objects to does not keep it from being read."""
    try:
        return etree.ElementTree(etree.fromstring(source, _PARSER))
    except etree.XMLSyntaxError:
        root = etree.fromstring(source, etree.XMLParser(**_OPTIONS, recover=True))
        return None if root is None else etree.ElementTree(root)
