"""Orders the predicates of new queries by selectivity, estimated from the values that messages have shown."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pyarrow as pa

from xpubsub.arrange.arranger import ARRANGED_TABLES, Arranger
from xpubsub.arrange.selectivity import QueryConstants, Seen, Selectivity
from xpubsub.arrow import SplitFunction
from xpubsub.plan.arrange import BUCKETS, CHAIN_EDGE, DECIDE, KNOWN_BUCKET, NEW_BUCKET, QUERIES
from xpubsub.step import Step, file_step, whole
from xpubsub.store.store import Store


def arrange(store: Store, known_bucket: Step = KNOWN_BUCKET) -> None:
    """Arrange the queries of the relation `new_query`; creates `new_bucket` and the relations named in `OUTPUTS`."""
    store.run(*DECIDE, known_bucket, NEW_BUCKET)
    arranger = Arranger(_selectivity(store), store.slots, _bounds(store))
    store.engine.split_arrow(QUERIES, _function(arranger), ARRANGED_TABLES)
    store.refuse_collisions(file_step("key_collision"))
    store.run(CHAIN_EDGE)


def _selectivity(store: Store) -> Selectivity:
    messages = int(store.rows(file_step("seen_messages"))[0]["messages"])
    asked = QueryConstants.of(store.rows(whole("query_constant")), store.rows(whole("common_constant")))
    if not messages:
        return Selectivity(asked=asked)
    tagpaths = _grouped(store.rows(whole("seen_path")), "linear_path_id", _tagpath)
    values = _grouped(store.rows(file_step("seen_value")), "tagpath_id", _value)
    seen = {tagpath: Seen(rows) for tagpath, rows in values.items()}
    return Selectivity(messages, {path: [seen[each] for each in ids if each in seen] for path, ids in tagpaths.items()},
                       asked)


def _bounds(store: Store) -> dict[tuple[int, str], list[float]]:
    bounds: dict[tuple[int, str], list[float]] = {}
    for row in store.rows(BUCKETS):
        bounds.setdefault((row["linear_path_id"], row["op"]), []).append(row["bound"])
    return {key: sorted(set(values)) for key, values in bounds.items()}


def _tagpath(row: dict[str, Any]) -> int:
    return int(row["tagpath_id"])


def _value(row: dict[str, Any]) -> tuple[str | None, float | None, int]:
    return row["value"], row["number"], int(row["seen"])


def _grouped(
    rows: list[dict[str, Any]], key: str, value: Callable[[dict[str, Any]], Any]
) -> dict[int, list[Any]]:
    groups: dict[int, list[Any]] = {}
    for row in rows:
        groups.setdefault(row[key], []).append(value(row))
    return groups


def _function(arranger: Arranger) -> SplitFunction:
    """Arrange batches in parallel threads: most of the work is columnar and releases the interpreter's lock."""
    def arranged(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[str, pa.Table]]:
        with ThreadPoolExecutor(min(os.cpu_count() or 1, 4)) as threads:
            for tables in threads.map(lambda batch: arranger.tables(*batch.columns), batches):
                yield from tables.items()
    return arranged
