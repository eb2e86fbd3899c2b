"""A loop over saxonche: each query is run on each message; measured on a sample, scaled to all of them.

Parsing the messages is not part of the loop's time; whatever Saxon does when a query is run is.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import canonicalize

import pyarrow as pa

from benchmarks.checking import Disagreement

SAMPLE = (40, 20)
"""Queries and messages."""


@dataclass(frozen=True)
class SaxonLoop:
    """What came out of a sample."""

    queries: int
    messages: int
    seconds: float
    outputs: dict[tuple[str, str], str]
    """By message and query, as canonical XML; those without a result are left out."""

    def scaled(self, queries: int, messages: int) -> float:
        """Seconds for all pairs."""
        return self.seconds * (queries / self.queries) * (messages / self.messages)

    def check(self, notifications: pa.Table, what: str) -> None:
        """The outputs are the same, for all pairs of the sample."""
        rows = zip(*(notifications[name].to_pylist() for name in notifications.column_names), strict=True)
        ours = {(message, query): output for message, query, output in rows
                if int(message[1:]) < self.messages and int(query[1:]) < self.queries}
        for pair in sorted(ours.keys() | self.outputs.keys()):
            if pair not in ours or canonicalize(ours[pair]) != self.outputs.get(pair):
                raise Disagreement(f"{what}: {pair} has {ours.get(pair)}, Saxon has {self.outputs.get(pair)}")


def measure(messages: Sequence[tuple[str, str]], queries: Sequence[str]) -> SaxonLoop:
    """Measure the loop on the first queries and messages; a query makes an element that is empty without a result."""
    from saxonche import PySaxonProcessor

    saxon = PySaxonProcessor(license=False)
    trees = [(name, saxon.parse_xml(xml_text=xml)) for name, xml in messages[: SAMPLE[1]]]
    asked = [_processor(saxon, query) for query in queries[: SAMPLE[0]]]
    asked[0].set_context(xdm_item=trees[0][1])
    asked[0].run_query_to_string()
    started = time.perf_counter()
    results = {(name, f"s{number}"): _run(query, tree)
               for number, query in enumerate(asked) for name, tree in trees}
    seconds = time.perf_counter() - started
    outputs = {pair: canonicalize(text) for pair, text in results.items() if not text.endswith("/>")}
    return SaxonLoop(len(asked), len(trees), seconds, outputs)


def _processor(saxon: Any, query: str) -> Any:
    processor = saxon.new_xquery_processor()
    processor.set_property("!omit-xml-declaration", "yes")
    processor.set_query_content(query)
    return processor


def _run(query: Any, tree: Any) -> str:
    query.set_context(xdm_item=tree)
    return str(query.run_query_to_string())
