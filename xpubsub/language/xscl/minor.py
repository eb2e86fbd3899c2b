"""Computes the minor of a join graph (section 4.2 of Hong 2007): the pattern nodes that a join needs.

Leaves that no comparison uses are removed repeatedly, then inner nodes with a single child, so that nothing above the
least common ancestor is left. Removed nodes must still exist in a message: a removed subtree becomes a condition of its
parent, beside the parent's value predicates. A node with conditions stays if it is above or between nodes that stay; a
node that the output mentions stays if it is between nodes that stay, as it must fit both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from xpubsub.language.xpath.normal import TRUE, Disjunction, Hop, Normalizer
from xpubsub.language.xpath.syntax import And, Expr, Path, PathStep
from xpubsub.language.xscl.patterns import BlockPattern, JoinPatterns, PatternNode
from xpubsub.limits import Limits


@dataclass(frozen=True)
class KeptNode:
    """A pattern node that stays."""

    number: int
    """The number of the pattern node."""
    parent: int
    """The nearest ancestor that stays, 0 for the document."""
    hops: tuple[Hop, ...]
    """The hops from the parent, without conditions."""
    variables: tuple[str, ...]
    conditions: Disjunction
    """The conditions on the node, in normal form: its value predicates and its removed subtrees."""


@dataclass(frozen=True)
class KeptBlock:
    """What stays of a block."""

    stream: str
    nodes: tuple[KeptNode, ...]
    """Parents before their children."""


def kept_blocks(
    patterns: JoinPatterns, text: str, limits: Limits, also: Collection[int] = ()
) -> tuple[KeptBlock, ...]:
    """Return the minor of each block: compared nodes stay, those of `also`, and the nodes that these need."""
    compared = _compared(patterns)
    normalizer = Normalizer(text, limits)
    kept = []
    for block in patterns.blocks:
        between = _between(block, _Minor(block, compared, normalizer).staying()).intersection(patterns.outputs)
        kept.append(_Minor(block, {*compared, *also, *between}, normalizer).block())
    return tuple(kept)


def above_compared(patterns: JoinPatterns) -> set[int]:
    """Return the nodes that the output mentions and that are compared nodes or above them."""
    compared = _compared(patterns)
    above = (_with_those_above(block, compared) for block in patterns.blocks)
    return set().union(*above).intersection(patterns.outputs)


def _compared(patterns: JoinPatterns) -> set[int]:
    return {number for operator in patterns.operators for join in operator.joins for number in (join.left, join.right)}


def _with_those_above(block: BlockPattern, nodes: Collection[int]) -> set[int]:
    """Return some nodes and the ancestors of those in the block, the document included."""
    found = set(nodes)
    for node in reversed(block.nodes):
        if node.number in found:
            found.add(node.parent)
    return found


def _between(block: BlockPattern, nodes: Collection[int]) -> set[int]:
    """Return the nodes of a block that are both above and below some of the given nodes."""
    above, below = set(), set()
    for node in block.nodes:
        if node.parent in nodes or node.parent in below:
            below.add(node.number)
    for node in reversed(block.nodes):
        if node.number in nodes or node.number in above:
            above.add(node.parent)
    return above & below


class _Minor:
    """Reduces one block; a block without compared nodes keeps its root."""

    def __init__(self, block: BlockPattern, taking_part: Collection[int], normalizer: Normalizer) -> None:
        self._block = block
        own = {node.number for node in block.nodes} & set(taking_part)
        self._taking_part = own or {block.root}
        self._normalizer = normalizer
        self._children: dict[int, list[PatternNode]] = defaultdict(list)
        for node in block.nodes:
            self._children[node.parent].append(node)
        self._alive = _with_those_above(block, self._taking_part)

    def staying(self) -> set[int]:
        """The nodes that stay."""
        return {node.number for node in self._block.nodes
                if node.number in self._alive and self._stays(node, self._conditions(node))}

    def block(self) -> KeptBlock:
        kept: list[KeptNode] = []
        ways: dict[int, tuple[int, tuple[Hop, ...]]] = {0: (0, ())}
        for node in self._block.nodes:
            if node.number not in self._alive:
                continue
            above, before = ways[node.parent]
            hops, conditions = (*before, *node.hops), self._conditions(node)
            if self._stays(node, conditions):
                kept.append(KeptNode(node.number, above, hops, node.variables, self._normal(conditions)))
                ways[node.number] = node.number, ()
            else:
                ways[node.number] = above, hops
        return KeptBlock(self._block.stream, tuple(kept))

    def _stays(self, node: PatternNode, conditions: tuple[Expr, ...]) -> bool:
        below = sum(child.number in self._alive for child in self._children[node.number])
        return node.number in self._taking_part or bool(conditions) or below > 1

    def _conditions(self, node: PatternNode) -> tuple[Expr, ...]:
        gone = (child for child in self._children[node.number] if child.number not in self._alive)
        return (*node.predicates, *map(self._existence, gone))

    def _existence(self, node: PatternNode) -> Path:
        """Return a removed subtree as a path with predicates."""
        *before, last = (PathStep(hop.axis, hop.test) for hop in node.hops)
        return Path(False, (*before, PathStep(last.axis, last.test, self._conditions(node))))

    def _normal(self, conditions: tuple[Expr, ...]) -> Disjunction:
        return self._normalizer.boolean(And(conditions)) if conditions else TRUE
