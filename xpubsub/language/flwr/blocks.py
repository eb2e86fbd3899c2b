"""Blocks: a transformation as variables to be bound one after the other, conditions on their nodes, and a template.

A *block* is a `for`, or a path with predicates whose nodes are copied. It binds its variables to nodes step by step,
each step a linear path from the document with its base, an earlier node, marked on it; a step of a path that has
predicates is a *hidden* variable, bound on the way and then forgotten. With `or` a block has several chains of steps:
whatever comes out of one of them is bound. A path without predicates whose nodes are copied is no block: its nodes
depend on its base alone, and all transformations share them. The template says what is made of the nodes bound.
"""

from __future__ import annotations

from dataclasses import dataclass

from xpubsub.language.xpath.branches import Query

DOCUMENT_NODE, BOUND_NODE = -1, 0
"""Where a condition looks: at the document, at the node that the step binds, or (from 1) at a variable's node."""
HIDDEN_BASE = -1
"""The base of a step that goes on from a hidden variable; 0 is the document, others are places in the tuple."""
TemplateNode = list[object]
"""Text, element, variable or block of a template, as JSON has it."""


@dataclass(frozen=True)
class BindStep:
    """One step: nodes of a linear path below a base become bound."""

    step: int
    block: int
    parent: int
    """The block whose tuples the first step of a chain starts from; 0 is the message."""
    after: int
    """The step before it in its chain, 0 for the first."""
    depth: int
    place: int
    linear_path: str
    base_position: int
    """The step of the linear path at which the base stands; 0 for the document."""
    base_at: int
    hidden: bool
    last: bool


@dataclass(frozen=True)
class StepCondition:
    """What must hold, or must not, once a step is bound."""

    step: int
    query: Query
    looks_at: int
    negated: bool


@dataclass(frozen=True)
class BlockTree:
    """A transformation, compiled."""

    steps: tuple[BindStep, ...]
    conditions: tuple[StepCondition, ...]
    template: TemplateNode
    outermost: frozenset[int]
    """The blocks of which one must bind something."""
    copied: frozenset[str]
    """The linear paths whose nodes are copied."""
    returned: tuple[tuple[str, int], ...]
    """Paths that are copied as they are: (linear path, step of it at which the base stands)."""
    repeats: tuple[tuple[int, str | None, int], ...]
    """Why tuples of a block may repeat: a path with hidden variables and its base's step, or (None) several chains."""
    valued: frozenset[str] = frozenset()
    """The linear paths whose nodes' values a program reads."""
    named: frozenset[str] = frozenset()
    """The linear paths whose nodes' names a program reads."""
    always: bool = False
    """Whether every message has an output, as there is no outermost `for`."""
