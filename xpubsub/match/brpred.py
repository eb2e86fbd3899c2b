"""BrPred: whether the branches of a query meet in the same nodes, as a pure function over node ids (section 3.5).

The paper takes the natural join of the branches' relations and asks whether it is empty. This module works bottom-up,
one branching point at a time, so that the cost of repeated elements adds up and never multiplies. `not()` and
first-node tests work because each branching point is settled before any path that runs through it.

The SQL twin is `sql/filter/truth.sql`; `tests/test_agreement.py` compares the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa

from xpubsub.language.xpath.branches import Branch

BRPRED_PARAMETERS = [
    pa.string(),
    pa.list_(pa.struct([
        ("branch", pa.int32()), ("nodes", pa.list_(pa.int32())), ("leaf", pa.int32()), ("passes", pa.bool_()),
    ])),
]
BRPRED_RESULT = pa.bool_()
"""The argument and result types of the function that engines register."""

BranchRow = tuple[int, Sequence[int], int, bool]
"""(branch number, nodes at the branching points along its path, node at its end, whether that node passes)."""
Truth = dict[tuple[int, int], int]
"""(branching point, node) → bits of the branches that hold there."""


@dataclass(frozen=True)
class ShapedBranch:
    """A branch as BrPred needs it: its context, its bit there, its inner points, and how it is quantified."""

    context: int
    context_at: int
    """Index of the context among the branching points of the path, from 1; 0 for the document."""
    inner: tuple[int, ...]
    bit: int
    level: int
    quota: int
    """0: some node at its end has to pass; 1: the first; more: there have to be so many of them."""


@dataclass(frozen=True)
class QueryShape:
    """The branches of a query, and for each branching point the bits that must be set there."""

    branches: tuple[ShapedBranch, ...]
    wants: Mapping[int, int]


def shape_of(branches: Sequence[Branch]) -> tuple[list[ShapedBranch], dict[int, int]]:
    """Give each branch a bit at its context, and each branching point the bits that must be set there."""
    used: dict[int, int] = {}
    wants: dict[int, int] = {0: 0}
    shaped: list[ShapedBranch] = []
    for branch in branches:
        points = [point for point, _ in branch.points]
        at = points.index(branch.context) + 1 if branch.context else 0
        bit = 1 << used.get(branch.context, 0)
        used[branch.context] = used.get(branch.context, 0) + 1
        wants[branch.context] = wants.get(branch.context, 0) | (0 if branch.negated else bit)
        shaped.append(ShapedBranch(branch.context, at, tuple(points[at:]), bit, branch.level, _quota(branch)))
    return shaped, wants


def _quota(branch: Branch) -> int:
    return int(branch.test.number or 0) if branch.test.op == "at-least" else int(branch.first)


def encode_shape(shaped: Sequence[ShapedBranch], wants: Mapping[int, int]) -> str:
    """Encode the shape as text, stored once per query and decoded once per process."""
    rows = ";".join(
        f"{each.context},{each.context_at},{'.'.join(map(str, each.inner))},{each.bit},{each.level},{each.quota}"
        for each in shaped
    )
    return rows + "|" + ";".join(f"{point},{want}" for point, want in wants.items())


@lru_cache(maxsize=65536)
def decode_shape(text: str) -> QueryShape:
    """Decode the text that `encode_shape` returns."""
    rows, _, wants = text.partition("|")
    pairs = dict((int(point), int(want)) for point, want in (each.split(",") for each in wants.split(";")))
    return QueryShape(tuple(map(_decode_branch, rows.split(";"))), pairs)


def _decode_branch(text: str) -> ShapedBranch:
    context, at, inner, bit, level, quota = text.split(",")
    points = tuple(int(point) for point in inner.split(".") if point)
    return ShapedBranch(int(context), int(at), points, int(bit), int(level), int(quota))


def brpred(shape: QueryShape, rows: Iterable[BranchRow]) -> bool:
    """Whether the branches hold together at the document."""
    by_level: dict[int, list[BranchRow]] = {}
    for row in rows:
        by_level.setdefault(shape.branches[row[0]].level, []).append(row)
    truth: Truth = {}
    for level in sorted(by_level, reverse=True):
        _settle(shape, by_level[level], truth)
    return truth.get((0, 0), 0) == shape.wants[0]


def _settle(shape: QueryShape, rows: list[BranchRow], truth: Truth) -> None:
    """Set the bits of one level's branches at their contexts; deeper levels are settled already."""
    first_seen: dict[tuple[int, int], tuple[int, bool]] = {}
    counted: dict[tuple[int, int], set[int]] = {}
    for number, nodes, leaf, passes in rows:
        branch = shape.branches[number]
        inner_nodes = nodes[branch.context_at :]
        inner = zip(branch.inner, inner_nodes, strict=True)
        if any(truth.get(pair, 0) != shape.wants[pair[0]] for pair in inner):
            continue
        context = nodes[branch.context_at - 1] if branch.context_at else 0
        if branch.quota > 1:
            counted.setdefault((number, context), set()).add(leaf)
        elif branch.quota:
            seen = first_seen.get((number, context))
            first_seen[number, context] = (leaf, passes) if seen is None or leaf < seen[0] else seen
        elif passes:
            key = (branch.context, context)
            truth[key] = truth.get(key, 0) | branch.bit
    enough = {key: len(leaves) >= shape.branches[key[0]].quota for key, leaves in counted.items()}
    for (number, context), holds in {**{key: each[1] for key, each in first_seen.items()}, **enough}.items():
        if holds:
            branch = shape.branches[number]
            truth[branch.context, context] = truth.get((branch.context, context), 0) | branch.bit


def brpred_arrow(shapes: pa.Array, groups: pa.Array) -> pa.Array:
    """Decide many pairs of message and query at once, each given by its shape and the rows of its branches."""
    answers = [
        brpred(decode_shape(shape), [(row["branch"], row["nodes"], row["leaf"], row["passes"]) for row in rows])
        for shape, rows in zip(shapes.to_pylist(), groups.to_pylist(), strict=True)
    ]
    return pa.array(answers, BRPRED_RESULT)
