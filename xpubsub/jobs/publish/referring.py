"""Joins the messages of a batch with reference tables: columns become attributes of nodes, as rows beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xpubsub.engines.base import Engine
from xpubsub.errors import LimitError
from xpubsub.ids import stable_id
from xpubsub.language.flwr.tags import declarations, escaped_attribute
from xpubsub.language.xpath.linear import REFERENCE_NAMESPACE
from xpubsub.match.keys import KeyPaths, KeyPlace
from xpubsub.match.referred import ReferredValues
from xpubsub.match.uses import COPY, NUMBER, VALUE
from xpubsub.rows import NODE_COPY, REFERENCE_PLACE, SAX_PARSE_RESULT, table_of
from xpubsub.shred.node_rows import number_column
from xpubsub.shred.tagpaths import TagPathCache
from xpubsub.step import file_step

_FIRST_ID = -(2**30)
"""Added to what is made of an element's id: less than the ids of nodes, more than those of computed values."""


@dataclass(frozen=True)
class Referred:
    """The attributes that the nodes of a batch have from reference tables."""

    nodes: pa.Table
    """The rows of `sax_parse_result`: the attributes, and the other nodes that some subscription needs."""
    copies: pa.Table
    """As rows of `node_copy`."""
    values: ReferredValues = field(default_factory=lambda: ReferredValues((), {}))
    """By key, for lxml."""


def referred(engine: Engine, keys: KeyPaths, cache: TagPathCache, nodes: pa.Table) -> Referred:
    """Look up the keys of a batch in one join."""
    tagpaths = [tagpath for tagpath in cache.known if keys.holds(tagpath)]
    places = keys.places(tagpaths)
    wanted = pa.array(sorted({place.key_tagpath_id for place in places}), pa.int64())
    of_keys = nodes.filter(pc.is_in(nodes["tagpath_id"], value_set=wanted)).combine_chunks()
    unused = pa.array([stable_id(tagpath) for tagpath in tagpaths if not cache.known[tagpath]], pa.int64())
    others = nodes.filter(pc.invert(pc.is_in(nodes["tagpath_id"], value_set=unused)))
    found = _looked_up(engine, places, of_keys)
    if not found.num_rows:
        return Referred(others, NODE_COPY.empty_table(), ReferredValues(keys.paths, {}))
    uses = [cache.known.get(place.tagpath, 0) for place in places]
    rows = _Attributes(places, uses, of_keys, found)
    return Referred(pa.concat_tables([others, rows.nodes()]), rows.copies(), ReferredValues(keys.paths, rows.values()))


def _looked_up(engine: Engine, places: list[KeyPlace], of_keys: pa.Table) -> pa.Table:
    rows = [(place.key_tagpath_id, place.call_no, place.column_name, number) for number, place in enumerate(places)]
    numbers = pa.array(np.arange(of_keys.num_rows), pa.int64())
    asked = pa.table({"row_no": numbers, "tagpath_id": of_keys["tagpath_id"], "value": of_keys["value"]})
    engine.load("reference_place", table_of(rows, REFERENCE_PLACE))
    engine.load("reference_key", asked)
    return engine.fetch(file_step("reference_attribute"))


class _Attributes:
    """The attributes found, as columns."""

    def __init__(self, places: list[KeyPlace], uses: list[int], of_keys: pa.Table, found: pa.Table) -> None:
        order = pc.sort_indices(found, sort_keys=[("row_no", "ascending"), ("place", "ascending")])
        self._found = found.take(order)
        self._places, self._uses = places, uses
        self._at = np.asarray(self._found["place"], np.int64)
        self._keys = of_keys.take(self._found["row_no"])
        self._paths, self._lengths = self._owners()
        self._ids = self._own_ids()

    def _owners(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids on the ways to the elements, one after the other, and how many each has."""
        ways = self._keys["idpath"].combine_chunks()
        lengths = np.diff(np.asarray(ways.offsets))
        flat = np.asarray(ways.flatten())
        above = np.array([place.above for place in self._places])[self._at]
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        kept = lengths - above
        places = np.repeat(starts - np.concatenate([[0], np.cumsum(kept)[:-1]]), kept) + np.arange(kept.sum())
        owners: np.ndarray = flat[places]
        return owners, kept

    def _own_ids(self) -> np.ndarray:
        owners = self._paths[np.cumsum(self._lengths) - 1].astype(np.int64)
        ids: np.ndarray = _FIRST_ID + owners * len(self._places) + self._at
        if len(ids) and ids.max() >= 0:
            raise LimitError("a message has too many nodes for so many columns of reference data", code="limit-nodes")
        return ids

    def nodes(self) -> pa.Table:
        """Return rows of `sax_parse_result`."""
        ends = np.cumsum(self._lengths)
        paths = np.insert(self._paths, ends, self._ids).astype(np.int32)
        offsets = np.concatenate([[0], ends + np.arange(1, len(ends) + 1)]).astype(np.int32)
        tagpaths = np.array([stable_id(place.tagpath) for place in self._places])[self._at]
        values = self._found["value"].combine_chunks()
        uses = np.array(self._uses)[self._at]
        columns = [
            self._keys["event_id"], pa.array(tagpaths, pa.int64()), pa.array(self._ids, pa.int32()),
            pa.ListArray.from_arrays(pa.array(offsets), pa.array(paths)),
            pc.if_else(pa.array(uses & VALUE > 0), values, None),
            number_column(pc.if_else(pa.array(uses & NUMBER > 0), values, None).to_pylist())]
        return pa.Table.from_arrays(columns, schema=SAX_PARSE_RESULT).filter(pa.array(uses > 0))

    def copies(self) -> pa.Table:
        """Return rows of `node_copy` for the attributes that outputs copy."""
        copied = np.flatnonzero(np.array(self._uses)[self._at] & COPY)
        events, values = self._keys["event_id"].take(copied).to_pylist(), self._found["value"].take(copied).to_pylist()
        names = [self._places[place].column_name for place in self._at[copied]]
        rows = zip(events, self._ids[copied].tolist(), map(_written, names, values), strict=True)
        return table_of([(*row, False) for row in rows], NODE_COPY)

    def values(self) -> dict[int, dict[str, dict[str, str]]]:
        """Return the columns by table and by key."""
        found: dict[int, dict[str, dict[str, str]]] = {}
        for place, key, value in self._rows():
            found.setdefault(place.call_no, {}).setdefault(key, {})[place.column_name] = value
        return found

    def _rows(self) -> Iterator[tuple[KeyPlace, str, str]]:
        keys, values = self._keys["value"].to_pylist(), self._found["value"].to_pylist()
        return ((self._places[at], key, value) for at, key, value in zip(self._at, keys, values, strict=True))


def _written(column: str, value: str) -> str:
    return f'{declarations({"ref": REFERENCE_NAMESPACE})} ref:{column}="{escaped_attribute(value)}"'
