"""Where-Filter: evaluates conditions node by node in one message, by tree search (PathSharing-F, section 3.1).

The SQL twin is `sql/transform/fact.sql`; `tests/test_flwr_agreement.py` compares the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from xpubsub.arrow import ArrowFunction
from xpubsub.collector import collector_paused
from xpubsub.language.flwr.blocks import BOUND_NODE, DOCUMENT_NODE
from xpubsub.language.xpath.linear import LinearStep, linear_steps
from xpubsub.language.xpath.normal import Test
from xpubsub.match.nested import NestedColumn
from xpubsub.match.passing import passes
from xpubsub.match.tree_search import Tree
from xpubsub.rows import BIND_FAILED, table_of

_POINT = re.compile(r"bp#(\d+)=(\d+)")
Look = tuple[int, int, bool]
"""(condition, `looks_at`: which node it is evaluated at, whether it must not hold)."""


@dataclass(frozen=True)
class SearchedBranch:
    """A branch of a condition: its steps from the branching point on, and the inner points along them."""

    steps: tuple[LinearStep, ...]
    inner: Mapping[int, tuple[int, int]]
    """By number of steps: the branching point there, and the bits that must be set at it."""
    test: Test
    bit: int
    first: bool


@dataclass
class SearchedConditions:
    """All conditions on nodes: branches by branching point, bits that must be set at the node, and steps concerned."""

    branches: dict[tuple[int, int], list[SearchedBranch]] = field(default_factory=dict)
    wants: dict[int, int] = field(default_factory=dict)
    looks: dict[tuple[int, int], list[Look]] = field(default_factory=dict)

    def add_branch(self, row: Mapping[str, Any]) -> None:
        """Add a branch of a condition."""
        points = {int(point): int(position) for point, position in _POINT.findall(row["brinfo"])}
        start = points[row["context"]]
        wants = dict(zip(row["inner_points"], row["inner_wants"], strict=True))
        inner = {points[point] - start: (point, want) for point, want in wants.items()}
        steps = linear_steps(row["linear_path"])[start:]
        test = Test(row["op"], row["value"], row["number"])
        branch = SearchedBranch(steps, inner, test, row["bit"], row["first_only"])
        self.branches.setdefault((row["query_id"], row["context"]), []).append(branch)
        self.wants[row["query_id"]] = row["want"]

    def add_look(self, row: Mapping[str, Any]) -> None:
        """Add a condition that is evaluated after a step."""
        look = row["query_id"], row["looks_at"], row["negated"]
        self.looks.setdefault((row["transformation_id"], row["step"]), []).append(look)


def filtering(conditions: SearchedConditions) -> ArrowFunction:
    """Return a function from messages and the tuples that a step bound in them to the tuples that fail a condition."""
    def failed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            with collector_paused():
                yield from table_of(list(_failed(batch, conditions)), BIND_FAILED).to_batches()
    return failed


def _failed(batch: pa.RecordBatch, conditions: SearchedConditions) -> Iterator[tuple[object, ...]]:
    event_ids, *columns = batch.columns
    bound, nodes, held = map(NestedColumn, columns)
    for row, event_id in enumerate(event_ids.to_pylist()):
        message = _Message(conditions, nodes.of(row), held.of(row)[0])
        for each in zip(*bound.of(row), strict=True):
            if message.fails(*each):
                yield event_id, *each


class _Message:
    """One message in which conditions are evaluated."""

    def __init__(self, conditions: SearchedConditions, nodes: list[list[Any]], held: Iterable[int]) -> None:
        tagpaths, idpaths, values, numbers = nodes
        self._conditions = conditions
        self._tree = Tree(tagpaths, idpaths)
        self._values = {(path or [0])[-1]: pair for path, *pair in zip(idpaths, values, numbers, strict=True)}
        self._held = set(held)

    def fails(self, transformation_id: int, step: int, nodes: list[int], node: int) -> bool:
        """Whether a condition on a tuple that a step has bound fails."""
        for query_id, looks_at, negated in self._conditions.looks.get((transformation_id, step), ()):
            at = node if looks_at == BOUND_NODE else 0 if looks_at == DOCUMENT_NODE else nodes[looks_at - 1]
            if self._holds(query_id, at) == negated:
                return True
        return False

    def _holds(self, query_id: int, node: int) -> bool:
        want = self._conditions.wants.get(query_id)
        return query_id in self._held if want is None else self._bits(query_id, 1, node) == want

    def _bits(self, query_id: int, point: int, node: int) -> int:
        """Return the bits of the branches that hold at a node of a branching point."""
        branches = self._conditions.branches.get((query_id, point), ())
        return sum(branch.bit for branch in branches if self._branch_holds(query_id, branch, node))

    def _branch_holds(self, query_id: int, branch: SearchedBranch, node: int) -> bool:
        def settled(taken: int, at: int) -> bool:
            point = branch.inner.get(taken)
            return point is None or self._bits(query_id, point[0], at) == point[1]
        if 0 in branch.inner and not settled(0, node):
            return False
        leaves = self._tree.leaves(node, branch.steps, settled)
        if branch.first:
            return any(self._passes(branch.test, leaf) for leaf in [min(leaves, default=-1)] if leaf >= 0)
        return any(self._passes(branch.test, leaf) for leaf in leaves)

    def _passes(self, test: Test, node: int) -> bool:
        value, number = self._values.get(node, (None, None))
        return passes(test, value, number)
