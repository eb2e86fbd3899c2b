"""The syntax tree of a correlation (XSCL): small frozen classes without behaviour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf

from xpubsub.language.flwr.syntax import Content, dump_content
from xpubsub.language.xpath.syntax import Axis, Expr, NodeTest, Path, dump, name_of

OperatorKind = OneOf["followed by", "join"]


@dataclass(frozen=True)
class BlockStep:
    """One step of a block: the variables bound to its node, the patterns below it, and its value predicates."""

    axis: Axis
    test: NodeTest
    variables: tuple[str, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    predicates: tuple[Expr, ...] = ()


Pattern = tuple[BlockStep, ...]
"""A path with bindings, from the document or from the step whose brackets contain it."""


@dataclass(frozen=True)
class Block:
    """A stream and the path through its messages."""

    stream: str
    steps: Pattern
    offset: int = 0


@dataclass(frozen=True)
class Comparison:
    """A value join: two paths from variables, the left one of a block on the left of the operator."""

    op: str
    left: Path
    right: Path
    offset: int = 0


@dataclass(frozen=True)
class Operator:
    """`FOLLOWED BY` or `JOIN`: what must hold between the blocks so far and the next, and within how many seconds."""

    kind: OperatorKind
    comparisons: tuple[Comparison, ...]
    window: float
    offset: int = 0


@dataclass(frozen=True)
class Correlation:
    """A whole correlation: blocks, and the operators between them, from left to right."""

    blocks: tuple[Block, ...]
    operators: tuple[Operator, ...] = ()
    result: Content | None = None
    """The result of SELECT; None is the default, copies of the blocks' roots inside `<match>`."""
    publish: str | None = None


def dump_correlation(tree: Correlation) -> str:
    """Return the tree as one readable line, for tests."""
    parts = [] if tree.result is None else [f"select {dump_content(tree.result)} from"]
    parts.append(_dump_block(tree.blocks[0]))
    for operator, block in zip(tree.operators, tree.blocks[1:], strict=True):
        pairs = " and ".join(f"{dump(each.left)} {each.op} {dump(each.right)}" for each in operator.comparisons)
        parts.append(f"{operator.kind} {{{pairs}, {operator.window:g}}} {_dump_block(block)}")
    return " ".join(parts) + ("" if tree.publish is None else f" publish {tree.publish}")


def _dump_block(block: Block) -> str:
    return f"{block.stream}:/{_dump_pattern(block.steps)}"


def _dump_pattern(steps: Pattern) -> str:
    return " ".join(map(_dump_step, steps))


def _dump_step(step: BlockStep) -> str:
    bound = "".join(f"->{variable}" for variable in step.variables)
    inner = [*map(_dump_pattern, step.patterns), *map(dump, step.predicates)]
    return f"{step.axis}::{name_of(step.test)}{bound}" + "".join(f"[{each}]" for each in inner)
