"""Turns blocks into variable tree patterns, in value-join normal form (section 3.1 of Hong 2007).

A *pattern node* is a step that binds a variable, has value predicates, or at which patterns branch; the plain steps
before it are its hops. A path from a variable in an operator becomes its own pattern node below the variable's: each
comparison needs some node of its own, as in XQuery.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xpubsub.errors import LimitError
from xpubsub.language.flwr.syntax import Content, Copy, Element, Sequence
from xpubsub.language.xpath.branches import linear_path
from xpubsub.language.xpath.normal import Hop
from xpubsub.language.xpath.syntax import Expr, Path, PathStep
from xpubsub.language.xscl.syntax import Block, BlockStep, Correlation, Operator, OperatorKind, Pattern
from xpubsub.limits import Limits


@dataclass(frozen=True)
class PatternNode:
    """A node of a pattern; parents have smaller numbers than their children."""

    number: int
    """The number of the node in the correlation, from 1."""
    parent: int
    """The number of the parent, 0 for the document."""
    hops: tuple[Hop, ...]
    """The hops from the parent, without conditions."""
    variables: tuple[str, ...] = ()
    predicates: tuple[Expr, ...] = ()
    """Value predicates, all of which must hold."""


@dataclass(frozen=True)
class BlockPattern:
    """A block as a tree; its root is the node at the end of the block's path, and may have nodes above it."""

    stream: str
    nodes: tuple[PatternNode, ...]
    root: int


@dataclass(frozen=True)
class ValueJoin:
    """A comparison of the nodes of two blocks, by their numbers."""

    op: str
    left: int
    right: int


@dataclass(frozen=True)
class PatternJoin:
    """An operator, which joins the blocks so far with the next."""

    kind: OperatorKind
    joins: tuple[ValueJoin, ...]
    window: float


@dataclass(frozen=True)
class JoinPatterns:
    """A correlation in value-join normal form."""

    blocks: tuple[BlockPattern, ...]
    operators: tuple[PatternJoin, ...]
    outputs: tuple[int, ...]
    """The nodes that SELECT mentions, by default the roots of the blocks."""
    variables: dict[str, int]
    """The node of each variable, including those made from paths."""


def join_patterns(tree: Correlation, text: str, limits: Limits) -> JoinPatterns:
    """The patterns of a correlation."""
    return _Compiler(text, limits).patterns(tree)


@dataclass(eq=False)
class _Draft:
    """A node while its tree grows."""

    hops: tuple[Hop, ...] = ()
    variables: list[str] = field(default_factory=list)
    predicates: list[Expr] = field(default_factory=list)
    children: list[_Draft] = field(default_factory=list)


class _Compiler:
    def __init__(self, text: str, limits: Limits) -> None:
        self._text = text
        self._limits = limits
        self._bound: dict[str, _Draft] = {}
        self._numbers: dict[_Draft, int] = {}

    def patterns(self, tree: Correlation) -> JoinPatterns:
        drafts = [self._block(block) for block in tree.blocks]
        for operator in tree.operators:
            for each in operator.comparisons:
                self._operand(each.left)
                self._operand(each.right)
        blocks = tuple(self._finished(*each) for each in zip(tree.blocks, drafts, strict=True))
        operators = tuple(map(self._operator, tree.operators))
        outputs = self._outputs(tree.result) if tree.result is not None else tuple(block.root for block in blocks)
        variables = {name: self._numbers[draft] for name, draft in self._bound.items()}
        return JoinPatterns(blocks, operators, outputs, variables)

    def _block(self, block: Block) -> tuple[_Draft, _Draft]:
        """Return the document node above a block's tree, and the root of the block."""
        document = _Draft()
        return document, self._pattern(document, block.steps, 1)

    def _pattern(self, above: _Draft, steps: Pattern, depth: int) -> _Draft:
        """Add the nodes of a path below a node at this depth; returns the last."""
        before: list[Hop] = []
        for place, step in enumerate(steps, start=1):
            if step.axis != "self":
                before.append(Hop(step.axis, step.test))
            if place == len(steps) or step.variables or step.patterns or step.predicates:
                above, depth = self._step(above, tuple(before), step, depth), depth + 1
                before.clear()
        return above

    def _step(self, above: _Draft, hops: tuple[Hop, ...], step: BlockStep, depth: int) -> _Draft:
        """Add a node at the end of some hops; without hops it is the node above."""
        self._limit(depth)
        node = _Draft(hops) if hops else above
        if node is not above:
            above.children.append(node)
        node.variables += step.variables
        self._bound.update(dict.fromkeys(step.variables, node))
        node.predicates += step.predicates
        for pattern in step.patterns:
            self._pattern(node, pattern, depth + 1)
        return node

    def _limit(self, depth: int) -> None:
        if depth > self._limits.max_nesting:
            reason = f"nested deeper than {self._limits.max_nesting} levels (max_nesting)"
            raise LimitError(reason, code="limit-nesting", text=self._text)

    def _operand(self, path: Path) -> None:
        """Give a path from a variable its own variable."""
        name = operand_name(path)
        if name not in self._bound:
            node = _Draft(_hops(path.steps), [name])
            self._bound[str(path.variable)].children.append(node)
            self._bound[name] = node

    def _finished(self, block: Block, drafts: tuple[_Draft, _Draft]) -> BlockPattern:
        """Number the nodes of a block, parents first; plain steps become hops of the node below them."""
        document, root = drafts
        nodes: list[PatternNode] = []
        waiting: list[tuple[int, tuple[Hop, ...], _Draft]] = [(0, (), child) for child in document.children]
        while waiting:
            parent, before, draft = waiting.pop()
            hops = (*before, *draft.hops)
            if draft is not root and _is_plain(draft):
                waiting.append((parent, hops, draft.children[0]))
                continue
            number = self._numbers[draft] = len(self._numbers) + 1
            nodes.append(PatternNode(number, parent, hops, tuple(draft.variables), tuple(draft.predicates)))
            waiting += [(number, (), child) for child in reversed(draft.children)]
        return BlockPattern(block.stream, tuple(nodes), self._numbers[root])

    def _operator(self, operator: Operator) -> PatternJoin:
        joins = dict.fromkeys(
            ValueJoin(each.op, self._node(each.left), self._node(each.right)) for each in operator.comparisons)
        return PatternJoin(operator.kind, tuple(joins), operator.window)

    def _node(self, path: Path) -> int:
        return self._numbers[self._bound[operand_name(path)]]

    def _outputs(self, result: Content) -> tuple[int, ...]:
        return tuple(dict.fromkeys(self._numbers[self._bound[name]] for name in _mentioned(result)))


def operand_name(path: Path) -> str:
    """Return the variable of an operand: its own, or one made from the path and offset, which no text can contain."""
    shown = f"{path.variable}{linear_path(_hops(path.steps))}"
    return f"{shown}@{path.offset}" if path.steps else str(path.variable)


def _hops(steps: tuple[PathStep, ...]) -> tuple[Hop, ...]:
    return tuple(Hop(step.axis, step.test) for step in steps)


def _is_plain(draft: _Draft) -> bool:
    return not draft.variables and not draft.predicates and len(draft.children) == 1


def _mentioned(result: Content) -> Iterator[str]:
    match result:
        case Copy(path):
            yield str(path.variable)
        case Element(content=parts) | Sequence(parts=parts):
            for part in parts:
                yield from _mentioned(part)
