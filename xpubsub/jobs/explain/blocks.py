"""Checks one message against one block of a correlation: whether its conditions hold, and which values it binds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from xpubsub.errors import LimitError
from xpubsub.jobs.explain.evidence import Evidence, ShreddedMessage
from xpubsub.jobs.explain.explanation import Elsewhere, QueryReport
from xpubsub.jobs.explain.filters import query_report
from xpubsub.jobs.explain.near_misses import NearMisses
from xpubsub.language.xpath.branches import Query, linear_path, queries
from xpubsub.language.xpath.normal import Hop, Normalizer
from xpubsub.language.xpath.syntax import Compare, Expr, Literal, Path, PathStep
from xpubsub.language.xscl.patterns import BlockPattern, PatternNode
from xpubsub.limits import Limits

_COMPARED = "\0compared\0"
"""A constant that no message contains; a test against it marks the branch whose values are wanted."""
_MOST_DISJUNCTS, _MOST_BRANCHES = 4096, 100_000
"""No limits for a block compiled as one filter: its parts were within the limits when subscribing."""


@dataclass(frozen=True)
class BlockFilter:
    """A block compiled as a filter, plus one filter per compared node that yields the node's values."""

    number: int
    """The number of the block in the correlation, from 1."""
    block: BlockPattern
    whole: tuple[Query, ...]
    compared: dict[int, tuple[Query, ...]]

    @property
    def root(self) -> str:
        """The linear path to the root of the block."""
        hops: tuple[Hop, ...] = ()
        for node in _above(self.block, self.block.root):
            hops += node.hops
        return linear_path(hops)


def block_filter(number: int, block: BlockPattern, compared: set[int], text: str, limits: Limits) -> BlockFilter:
    """Compile a block and those of its nodes that are compared."""
    wide = replace(limits, max_disjuncts=_MOST_DISJUNCTS, max_branches=_MOST_BRANCHES)

    def compiled(expression: Expr) -> tuple[Query, ...]:
        return tuple(queries(Normalizer(text, wide).boolean(expression), text, wide))

    own = sorted(compared & {node.number for node in block.nodes})
    try:
        marked = {node: compiled(Compare("=", _path_to(block, node), Literal(_COMPARED))) for node in own}
        return BlockFilter(number, block, compiled(_path_to(block, block.root)), marked)
    except LimitError as error:
        raise LimitError(f"block {number} is too large to explain: {error.reason}", code=error.code) from error


def _above(block: BlockPattern, number: int) -> list[PatternNode]:
    """Return the nodes from the top of a block down to the given node."""
    by_number = {node.number: node for node in block.nodes}
    chain: list[PatternNode] = []
    while number:
        chain.insert(0, by_number[number])
        number = by_number[number].parent
    return chain


def _path_to(block: BlockPattern, number: int) -> Path:
    """Return the path to a node of a block, with the rest of the block as predicates along it."""
    chain = _above(block, number)
    on_it = {node.number for node in chain}
    return Path(True, tuple(step for node in chain for step in _steps(block, node, on_it)))


def _steps(block: BlockPattern, node: PatternNode, skipped: set[int]) -> tuple[PathStep, ...]:
    below = (each for each in block.nodes if each.parent == node.number and each.number not in skipped)
    asked = (*node.predicates, *(Path(False, _steps(block, each, skipped)) for each in below))
    *before, last = (PathStep(hop.axis, hop.test) for hop in node.hops)
    return (*before, replace(last, predicates=asked))


class BlockEvidence:
    """What one message contains for one block."""

    def __init__(
        self, block: BlockFilter, xml: str | bytes, elsewhere: Elsewhere | None, near_misses: NearMisses, limits: Limits
    ) -> None:
        self._block = block
        self._near_misses = near_misses
        self._elsewhere = elsewhere
        every = [*block.whole, *(query for each in block.compared.values() for query in each)]
        self._shredded = ShreddedMessage(every, xml, limits)
        self._values: dict[int, list[str]] = {}

    @cached_property
    def fits(self) -> bool:
        """Whether the message could be the block: it is on the block's stream and meets all conditions of the block."""
        return self._elsewhere is None and any(Evidence(query, self._shredded).matches for query in self._block.whole)

    def reports(self, message: str) -> Iterator[QueryReport]:
        """Report the conditions of the block: the first alternative that holds, or all if none does."""
        reports = [query_report(Evidence(query, self._shredded), self._near_misses) for query in self._block.whole]
        holding = [report for report in reports if report.matches][:1]
        shown = holding or reports or [QueryReport(False, (), "this block can never match: its conditions contradict "
                                                   "each other")]
        where = f"{self._block.block.stream}{self._near_misses.names.path(self._block.root)}"
        title = f"{message} {'could' if self.fits else 'cannot'} be block {self._block.number}, {where}"
        for number, report in enumerate(shown, start=1):
            named = f"{title} (alternative {number} of {len(shown)})" if len(shown) > 1 else title
            matches = report.matches and self._elsewhere is None
            yield replace(report, matches=matches, title=named, elsewhere=self._elsewhere)

    def values(self, node: int) -> list[str]:
        """Return the values that a node of the block can have in the message, in document order."""
        if node not in self._values:
            found = (value for query in self._block.compared[node] for value in self._bound(query))
            self._values[node] = list(dict.fromkeys(found))
        return self._values[node]

    def _bound(self, query: Query) -> Iterator[str]:
        evidence = Evidence(query, self._shredded)
        marked = next(n for n, branch in enumerate(query.branches) if branch.test.value == _COMPARED)
        found = evidence.found[marked]
        for value in dict.fromkeys(each.value or "" for each in found):
            evidence.found[marked] = [replace(each, passes=(each.value or "") == value) for each in found]
            if evidence.matches:
                yield value
