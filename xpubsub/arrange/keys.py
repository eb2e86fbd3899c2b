"""Gives each predicate a key, a number that holds in a message or not, so that the joins compare only numbers.

An equality has one key per constant. All range predicates on a linear path with the same direction share one key: each
asks whether the greatest value seen exceeds its *bound* (numbers are negated for `<`). All other predicates have the
key of "such a node exists", and are tested in full once everything else holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xpubsub.arrange.selectivity import RANGE_OPS, Selectivity
from xpubsub.ids import stable_id

Bounds = Mapping[tuple[int, str], Any]
"""For a linear path and a direction, `>` or `<`: the lower limits of buckets, ascending."""
KeyRow = tuple[int, int, str, str | None, float | None]
"""(key, linear path, op, value, number): what a key stands for."""
PairRow = tuple[int, int, int]
"""(pair key, key, key): a key that stands for two others."""
ALWAYS = 0
"""The key that holds in every message."""
EQUAL, OTHER = 1, 2
"""The stages in which the predicates of a chain are tested: by key, then by bound."""


@dataclass
class Group:
    """Predicates with the same linear path and operator, all against texts or all against numbers."""

    linear_path_id: int
    op: str
    values: list[str] | None
    numbers: Any


@dataclass
class Keyed:
    """The keys of predicates, as columns."""

    key: Any
    bound: Any
    access: Any
    """The key by which a query is found through this predicate; for a range, that of its bucket."""
    floor: Any
    """The lower limit of that bucket."""
    share: Any
    """The share of messages in which the predicate is expected to hold."""
    stage: Any
    exact: Any
    """Whether the predicate holds wherever its lookup key does."""
    text: Any
    """Whether the predicate itself must be tested where its key holds."""

    @classmethod
    def of(cls, size: int) -> Keyed:
        """Return empty columns of a size."""
        whole, real = np.int64, np.float64
        types = (whole, real, whole, real, real, np.int32, np.bool_, np.bool_)
        return cls(*(np.zeros(size, each) for each in types))

    def take(self, order: Any) -> Keyed:
        """Return the columns in another order."""
        return Keyed(*(getattr(self, each.name)[order] for each in fields(self)))


def keyed(predicates: pa.StructArray, selectivity: Selectivity, bounds: Bounds) -> tuple[Keyed, list[KeyRow]]:
    """Return the keys of predicates, and what each key stands for."""
    found, rows = Keyed.of(len(predicates)), dict[KeyRow, None]()
    found.bound[:] = found.floor[:] = -np.inf
    for index, group in _groups(predicates):
        found.share[index] = selectivity.shares(group.linear_path_id, group.op, group.values, group.numbers)
        if group.op == "=":
            meant = _equalities(found, index, group)
        elif group.op in RANGE_OPS:
            meant = _ranges(found, index, group, bounds)
        else:
            meant = _others(found, index, group)
        rows.update(dict.fromkeys(meant))
    return found, list(rows)


def _groups(predicates: pa.StructArray) -> Iterator[tuple[Any, Group]]:
    """Group predicates by linear path, operator and whether they have a text; yields their indexes and the group."""
    path, op, value, number = (predicates.field(name) for name in ("linear_path_id", "op", "value", "number"))
    paths, numbers = np.asarray(path), number.fill_null(np.nan).to_numpy(zero_copy_only=False)
    coded, texts = op.dictionary_encode(), np.asarray(value.is_valid())
    codes, names = np.asarray(coded.indices), coded.dictionary.to_pylist()
    order = np.lexsort((texts, codes, paths))
    if not len(order):
        return
    parts = [column[order] for column in (paths, codes, texts)]
    changes = np.flatnonzero(np.any([part[1:] != part[:-1] for part in parts], axis=0)) + 1
    for index in np.split(order, changes):
        first = index[0]
        values = pc.take(value, pa.array(index)).to_pylist() if texts[first] else None
        yield index, Group(int(paths[first]), names[codes[first]], values, numbers[index])


def _equalities(found: Keyed, index: Any, group: Group) -> list[KeyRow]:
    if group.values is None:
        numbers, inverse = np.unique(group.numbers + 0.0, return_inverse=True)
        rows = [_key(group.linear_path_id, "=", None, float(number)) for number in numbers]
    else:
        places = {value: place for place, value in enumerate(dict.fromkeys(group.values))}
        inverse = np.fromiter((places[value] for value in group.values), np.int64, len(index))
        rows = [_key(group.linear_path_id, "=", value, None) for value in places]
    found.key[index] = found.access[index] = np.array([row[0] for row in rows], np.int64)[inverse]
    found.stage[index], found.exact[index] = EQUAL, True
    return rows


def _ranges(found: Keyed, index: Any, group: Group, bounds: Bounds) -> list[KeyRow]:
    side = group.op[0]
    buckets = np.asarray(bounds.get((group.linear_path_id, side), ()), np.float64)
    rows = [_key(group.linear_path_id, side, None, number) for number in (None, *buckets.tolist())]
    found.bound[index] = directed(group.op, group.numbers)
    places = np.searchsorted(buckets, found.bound[index], "right")
    found.key[index], found.stage[index] = rows[0][0], OTHER
    found.access[index] = np.array([each[0] for each in rows], np.int64)[places]
    found.floor[index] = np.concatenate([[-np.inf], buckets])[places]
    return rows


def _others(found: Keyed, index: Any, group: Group) -> list[KeyRow]:
    row = _key(group.linear_path_id, "exists", None, None)
    found.key[index] = found.access[index] = row[0]
    found.stage[index], found.text[index] = OTHER, group.op != "exists"
    found.exact[index] = True
    return [row]


def pair_keys(first: Any, second: Any) -> tuple[Any, list[PairRow]]:
    """Return, for each two keys, the pair key that stands for both, and the rows that say so."""
    pairs, inverse = np.unique(np.sort(np.stack([first, second], axis=1), axis=1), axis=0, return_inverse=True)
    rows = [(stable_id("pair", str(low), str(high)), low, high) for low, high in pairs.tolist()]
    return np.array([row[0] for row in rows], np.int64)[inverse.reshape(-1)], rows


def directed(op: str, numbers: Any) -> Any:
    """Return the bounds of range predicates as for `>`: numbers are negated for `<`."""
    turned = numbers if op[0] == ">" else -numbers
    return np.nextafter(turned, -np.inf) if op[1:] == "=" else turned


def _key(linear_path_id: int, op: str, value: str | None, number: float | None) -> KeyRow:
    constant = ("text", value) if value is not None else ("number", repr(number))
    return stable_id("key", str(linear_path_id), op, *constant), linear_path_id, op, value, number
