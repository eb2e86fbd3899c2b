"""Evaluates the branches of one subscription on one message in Python, as the engines do in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from xpubsub.ids import stable_id
from xpubsub.language.xpath.branches import Branch, Query
from xpubsub.language.xpath.numbers import to_number
from xpubsub.limits import Limits
from xpubsub.match.brpred import BranchRow, QueryShape, brpred, shape_of
from xpubsub.match.linear_paths import prefix_path
from xpubsub.match.passing import passes
from xpubsub.match.path_matches import LinearUse
from xpubsub.match.uses import EXISTS, use_of
from xpubsub.shred.computing import computed_paths
from xpubsub.shred.node_rows import NodeRows
from xpubsub.shred.reading import Reader
from xpubsub.shred.tagpaths import TagPathCache


@dataclass(frozen=True)
class Found:
    """A node at the end of a branch, the nodes bound to the branching points along it, and whether it passes."""

    nodes: tuple[int, ...]
    leaf: int
    value: str | None
    number: float | None
    passes: bool


class ShreddedMessage:
    """One message, shredded for the linear paths of some queries and for the paths to their branching points."""

    def __init__(self, queries: Iterable[Query], xml: str | bytes, limits: Limits) -> None:
        uses = _linear_uses(queries)
        cache = TagPathCache({}, lambda: uses, limits, computed=computed_paths(uses))
        rows = NodeRows()
        Reader(cache, limits, rows).read(1, xml)
        self._rows = rows.rows
        found = cache.take_found()
        self._tagpaths: dict[int, list[int]] = {}
        for tagpath_id, linear_path_id in found.path_matches:
            self._tagpaths.setdefault(linear_path_id, []).append(tagpath_id)
        self._arrays = {(tagpath, brinfo): arrays for tagpath, brinfo, arrays in found.brinfos}
        self._by_tagpath: dict[int, list[int]] = {}
        for index, row in enumerate(self._rows):
            self._by_tagpath.setdefault(row[1], []).append(index)

    def nodes(self, linear_path: str) -> list[int]:
        """Return the nodes on a linear path, in document order."""
        return sorted(self._rows[index][2] for _, index in self._indexes(linear_path))

    def found(self, branch: Branch) -> list[Found]:
        """Return what a branch finds, in document order, once for each binding of its branching points."""
        brinfo_id = stable_id(branch.linear_path, branch.brinfo)
        found: list[Found] = []
        for tagpath_id, index in self._indexes(branch.linear_path):
            _, _, leaf, idpath, value, numeric = self._rows[index]
            number = None if numeric is None else to_number(numeric)
            passing = passes(branch.test, value, number)
            for positions in self._arrays[tagpath_id, brinfo_id]:
                nodes = tuple(idpath[position - 1] for position in positions)
                found.append(Found(nodes, leaf, value, number, passing))
        return sorted(found, key=lambda each: each.leaf)

    def _indexes(self, linear_path: str) -> Iterator[tuple[int, int]]:
        for tagpath_id in self._tagpaths.get(stable_id(linear_path), ()):
            for index in self._by_tagpath.get(tagpath_id, ()):
                yield tagpath_id, index


def _linear_uses(queries: Iterable[Query]) -> dict[str, LinearUse]:
    uses: dict[str, LinearUse] = {}
    for branch in (branch for query in queries for branch in query.branches):
        before = uses.get(branch.linear_path, LinearUse(0))
        brinfos = dict.fromkeys((*before.brinfos, branch.brinfo))
        uses[branch.linear_path] = LinearUse(before.use | use_of(branch.test), tuple(brinfos))
        for _, position in branch.points:
            uses.setdefault(prefix_path(branch.linear_path, position), LinearUse(EXISTS))
    return uses


class Evidence:
    """One query and one message: which branch holds at which node, decided by `brpred`."""

    def __init__(self, query: Query, shredded: ShreddedMessage) -> None:
        self.branches = query.branches
        self.found = [shredded.found(branch) for branch in query.branches]
        self._shredded = shredded
        self._rerooted: dict[int, tuple[QueryShape, dict[int, list[BranchRow]]]] = {}

    @property
    def matches(self) -> bool:
        """Whether the whole query holds."""
        shaped, wants = shape_of(self.branches)
        numbered = [(number, each) for number, found in enumerate(self.found) for each in found]
        rows = [(number, each.nodes, each.leaf, each.passes) for number, each in numbered]
        return brpred(QueryShape(tuple(shaped), wants), rows)

    def conditions(self, point: int) -> list[int]:
        """Return the branches whose context is a branching point; point 0 is the document."""
        return [number for number, branch in enumerate(self.branches) if branch.context == point]

    def inner(self, number: int) -> tuple[tuple[int, int], ...]:
        """Return the branching points along a branch below its own, each with its step."""
        return self.branches[number].points[self.depth(number) :]

    def depth(self, number: int) -> int:
        """Return how many branching points a branch passes up to and including its own."""
        return self._passed(number, self.branches[number].context)

    def step_of(self, point: int) -> str:
        """Return the linear path to a branching point."""
        return next(
            prefix_path(branch.linear_path, position)
            for branch in self.branches for each, position in branch.points if each == point
        )

    def nodes_of(self, point: int) -> list[int]:
        """Return the nodes that can stand at a branching point; the document is node 0."""
        return self._shredded.nodes(self.step_of(point)) if point else [0]

    def holds(self, number: int, node: int = 0) -> bool:
        """Whether a branch, with all branches below it, holds at a node of its branching point."""
        if number not in self._rerooted:
            self._rerooted[number] = self._reroot(number)
        shape, rows = self._rerooted[number]
        return brpred(shape, rows.get(node, ())) != self.branches[number].negated

    def all_hold(self, point: int, node: int) -> bool:
        """Whether all conditions of a branching point hold at a node."""
        return all(self.holds(number, node) for number in self.conditions(point))

    def below(self, number: int) -> Iterator[int]:
        """Yield a branch and all branches that hang off it."""
        for point, _ in self.inner(number):
            for condition in self.conditions(point):
                yield from self.below(condition)
        yield number

    def _reroot(self, number: int) -> tuple[QueryShape, dict[int, list[BranchRow]]]:
        """Return the branch and those below it as a query whose document is the branch's branching point.

        A branch below that does not record this point (it decides about nodes further down, whatever is above them)
        takes part wherever the branch itself does.
        """
        context, members = self.branches[number].context, list(self.below(number))
        branches = [self._cut(member, context, member == number) for member in members]
        rows, anywhere = dict[int, list[BranchRow]](), list[BranchRow]()
        for index, member in enumerate(members):
            cut = self._passed(member, context)
            for each in self.found[member]:
                row = index, each.nodes[cut:], each.leaf, each.passes
                (rows.setdefault(each.nodes[cut - 1], []) if cut else anywhere).append(row)
        shaped, wants = shape_of(branches)
        return QueryShape(tuple(shaped), wants), {node: [*own, *anywhere] for node, own in {0: [], **rows}.items()}

    def _passed(self, number: int, point: int) -> int:
        """Return how many branching points a branch records up to and including one; 0 if it does not record it."""
        points = [each for each, _ in self.branches[number].points]
        return points.index(point) + 1 if point in points else 0

    def _cut(self, member: int, context: int, top: bool) -> Branch:
        branch = self.branches[member]
        inside = 0 if branch.context == context else branch.context
        points = branch.points[self._passed(member, context) :]
        return replace(branch, points=points, context=inside, negated=branch.negated and not top)
