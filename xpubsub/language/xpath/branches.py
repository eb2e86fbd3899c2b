"""Turns conjunctions into queries: numbered branches that meet in numbered branching points (Figure 3.3).

Every branch is a linear path from the root with a test at its end. A branching point is a node in which branches
must meet; point 0 is the document. A branch belongs to one branching point (its *context*) and may run through
further points (its *inner* points), whose own branches must hold as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

from xpubsub.errors import LimitError
from xpubsub.hashed import hashed_once
from xpubsub.language.xpath.normal import Conjunction, Disjunction, Hop, Item, Test
from xpubsub.language.xpath.syntax import name_of
from xpubsub.limits import Limits

DOCUMENT = "/"
"""The linear path of the document node; each message has exactly one."""
MOST_POINTS = 2
"""How many branching points a branch may have, its context included, before it is nested."""


@hashed_once
@dataclass(frozen=True)
class Branch:
    """One branch: a linear path, a test, the branching points along it, and its place in the query."""

    linear_path: str
    test: Test
    points: tuple[tuple[int, int], ...]
    """(branching point number, step of the linear path), in order along the path."""
    context: int
    level: int
    negated: bool
    first: bool
    necessary: bool
    """Whether a matching message must have a node that passes the test on this path."""

    @property
    def settled(self) -> bool:
        """Whether the branch meets no other: it holds as soon as some node of the message passes."""
        return not (self.points or self.negated or self.first)

    @cached_property
    def brinfo(self) -> str:
        """The branching points as the paper writes them: `bp#1=2&bp#2=3`."""
        return "&".join(f"bp#{point}={position}" for point, position in self.points)


@hashed_once
@dataclass(frozen=True)
class Query:
    """One conjunction of a subscription, as branches."""

    branches: tuple[Branch, ...]

    @cached_property
    def checked(self) -> bool:
        """Whether branches must be checked together: they meet below the root, or one is `not` or first-only."""
        return not all(branch.settled for branch in self.branches)

    @cached_property
    def meeting(self) -> tuple[Branch, ...]:
        """The branches that must be checked together."""
        return tuple(branch for branch in self.branches if not branch.settled)

    @cached_property
    def text(self) -> str:
        """The canonical text: equal queries have equal texts."""
        return " and ".join(map(_branch_text, self.branches))


def queries(disjunction: Disjunction, text: str, limits: Limits) -> list[Query]:
    """Return the distinct queries of a subscription in normal form; none if it can never match."""
    found: dict[Query, None] = {}
    for conjunction in disjunction:
        simple = _simplify_all(conjunction)
        if simple is not None:
            found[_Numbering(text, limits).query(simple)] = None
    return list(found)


def _simplify_all(conjunction: Conjunction) -> Conjunction | None:
    """Simplify items, drop duplicates and lift conditions on the root element; None if never true."""
    items: dict[Item, None] = {}
    for item in conjunction:
        simple = _simplify(item)
        if simple.hops or simple.test.op != "exists" or simple.absolute:
            items.update(dict.fromkeys(_lift(simple)))
        elif simple.negated:
            return None
    return tuple(items)


def _simplify(item: Item) -> Item:
    """Simplify conditions; where a path merely has to exist, extend it by one of its conditions."""
    if not any(hop.conditions for hop in item.hops):
        return item
    hops = tuple(replace(hop, conditions=tuple(map(_simplify, hop.conditions))) for hop in item.hops)
    item = replace(item, hops=hops)
    if item.test.op != "exists" or not hops or not hops[-1].conditions:
        return item
    ahead = next((each for each in hops[-1].conditions if not each.negated and not each.first), None)
    if ahead is None:
        return item
    rest = tuple(each for each in hops[-1].conditions if each is not ahead)
    last = replace(hops[-1], conditions=rest)
    return _simplify(replace(item, hops=(*hops[:-1], last, *ahead.hops), test=ahead.test))


def _lift(item: Item) -> tuple[Item, ...]:
    """Lift conditions on the root element: as there is one root, they are conditions on the message."""
    if item.negated or not item.hops or item.hops[0].axis != "child" or not item.hops[0].conditions:
        return (item,)
    root = replace(item.hops[0], conditions=())
    lifted = [replace(each, hops=(root, *each.hops)) for each in item.hops[0].conditions]
    return (*lifted, replace(item, hops=(root, *item.hops[1:])))


def condition_query(item: Item, before: tuple[Hop, ...], text: str, limits: Limits) -> Query:
    """Return one condition as a query on the node (point 1) that some hops reach; without hops, on the document."""
    if not before:
        [query] = queries(((replace(item, absolute=True),),), text, limits)
        return query
    return _Numbering(text, limits).condition(_simplify(item), before)


@dataclass
class _Numbering:
    """Numbers the branching points and lists the branches of one query, predicates before what follows them."""

    text: str
    limits: Limits
    branches: list[Branch] = field(default_factory=list)
    last_point: int = 0

    def query(self, conjunction: Conjunction) -> Query:
        self._conditions(conjunction, (), (), 0, 0, True)
        if not any(branch.necessary and not branch.context for branch in self.branches):
            document = Branch(DOCUMENT, Test(), (), 0, 0, False, False, True)
            self.branches.insert(0, document)
        return Query(tuple(self.branches))

    def condition(self, item: Item, before: tuple[Hop, ...]) -> Query:
        """Return a query with one condition on the node at the end of some hops."""
        self.last_point = 1
        self._conditions((item,), before, ((1, len(before)),), 1, 1, True)
        return Query(tuple(self.branches))

    def _conditions(
        self, items: Conjunction, before: tuple[Hop, ...], points: tuple[tuple[int, int], ...],
        context: int, level: int, necessary: bool,
    ) -> None:
        if len(items) > self.limits.max_branches:
            reason = f"more than {self.limits.max_branches} conditions on one node (max_branches)"
            raise LimitError(reason, code="limit-branches", text=self.text)
        for item in items:
            self._item(_nest(item, context), before, points, context, level, necessary and not item.negated)

    def _item(
        self, item: Item, before: tuple[Hop, ...], points: tuple[tuple[int, int], ...],
        context: int, level: int, necessary: bool,
    ) -> None:
        for hop in item.hops:
            before = _after(before, hop)
            if hop.conditions:
                self.last_point += 1
                point = self.last_point
                points = (*points, (point, len(before)))
                self._conditions(hop.conditions, before, points, point, level + 1, necessary)
        kept = _relevant(points, context)
        path = linear_path(before)
        self.branches.append(Branch(path, item.test, kept, context, level, item.negated, item.first, necessary))


def _after(before: tuple[Hop, ...], hop: Hop) -> tuple[Hop, ...]:
    """Return the hops to the node after a hop; a name on the axis self narrows the last of them."""
    if hop.axis != "self":
        return (*before, hop)
    return before if hop.test.kind == "node" else (*before[:-1], replace(before[-1], test=hop.test))


def _nest(item: Item, context: int) -> Item:
    """Turn a path through many branching points into a path to the first, with the rest as a condition on it.

    In recursive messages the number of ways to place k points grows with the k-th power of the depth: two points are
    enough. A first-only path stays as it is, because which node is first depends on the whole path.
    """
    at = [index for index, hop in enumerate(item.hops) if hop.conditions]
    if item.first or len(at) + (context > 0) <= MOST_POINTS:
        return item
    cut = at[0] + 1
    rest = Item(item.hops[cut:], item.test)
    last = replace(item.hops[at[0]], conditions=(*item.hops[at[0]].conditions, rest))
    return Item((*item.hops[: at[0]], last), absolute=item.absolute, negated=item.negated)


def _relevant(points: tuple[tuple[int, int], ...], context: int) -> tuple[tuple[int, int], ...]:
    """Return the points from the context on: those above it are settled there."""
    numbers = [point for point, _ in points]
    return points if len(points) <= MOST_POINTS or not context else points[numbers.index(context) :]


def linear_path(hops: tuple[Hop, ...]) -> str:
    """Return hops as the text of a linear path: `/a//b/@c`."""
    return "".join(("//" if hop.axis == "descendant" else "/") + name_of(hop.test) for hop in hops) or DOCUMENT


def _branch_text(branch: Branch) -> str:
    test, quantifier = branch.test, ("not " if branch.negated else "") + ("first " if branch.first else "")
    constant = repr(test.value) if test.number is None else repr(test.number)
    shown = "" if test.op == "exists" else f" {test.op} {constant}"
    return f"{quantifier}{branch.linear_path}{{{branch.context}:{branch.brinfo}}}{shown}"
