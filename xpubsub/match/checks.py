"""Checks candidates: filters with lxml, queries with Saxon."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa

from xpubsub.arrow import ArrowFunction
from xpubsub.language.xquery.evaluation import VERSION
from xpubsub.limits import Limits
from xpubsub.match.filter_checks import Count, FilterChecks
from xpubsub.match.referred import ReferredValues
from xpubsub.match.saxon import saxon_answers
from xpubsub.rows import CHECK_HELD, table_of

Decided = tuple[str | None, str | None, str | None]
"""The output (null for a filter), or the code and the reason of an error."""
FILTER_HELD: Decided = (None, None, None)


class Checks:
    """The checks of a store."""

    def __init__(
        self, stored: Mapping[int, tuple[str, str]], limits: Limits, count: Count | None = None
    ) -> None:
        self._stored: dict[int, tuple[str, str]] = {}
        self._queries: set[int] = set()
        self._limits = limits
        self._filters = FilterChecks(self._stored, count, limits.max_processes)
        self.add(stored)

    def add(self, stored: Mapping[int, tuple[str, str]]) -> None:
        """Add checks."""
        self._stored.update(stored)
        self._queries.update(each for each, (text, _) in stored.items() if text.startswith(VERSION))

    def held(
        self, asked: Sequence[tuple[bytes, list[int]]], values: ReferredValues | None = None
    ) -> Iterator[dict[int, Decided]]:
        """Yield for each message, given in UTF-8, the checks that hold in it or fail, with their outputs.

        - `values`: what reference tables have for the keys in the messages.
        """
        if not self._queries:
            yield from (dict.fromkeys(held, FILTER_HELD) for held in self._filters.held(asked, values))
            return
        filters = [(source, [each for each in ids if each not in self._queries]) for source, ids in asked]
        queries = [(source, [each for each in ids if each in self._queries]) for source, ids in asked]
        texts = [(source, [self._stored[each][0] for each in ids]) for source, ids in queries if ids]
        answers = saxon_answers(texts, self._limits)
        for held, (_, ids) in zip(self._filters.held(filters, values), queries, strict=True):
            found = dict.fromkeys(held, FILTER_HELD)
            if ids:
                found |= {each: answer for each, answer in zip(ids, next(answers), strict=True) if answer is not None}
            yield found


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
