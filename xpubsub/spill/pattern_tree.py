"""The query pattern tree: the steps of all paths of a transformation, each a node that may be spilled (section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from xpubsub.language.flwr.blocks import BlockTree
from xpubsub.language.xpath.branches import DOCUMENT
from xpubsub.language.xpath.linear import LinearStep, linear_steps
from xpubsub.spill.effects import is_element
from xpubsub.spill.path_uses import PathUse, path_uses


@dataclass(frozen=True)
class SpillNode:
    """A step of a path: the elements that a linear path selects, and the paths of queries that end there.

    The root of a tree is the document, which is never spilled. A path that ends in an attribute or `text()` ends at
    the element that holds it: what is spilled are elements, and these stay with theirs.
    """

    linear_path: str
    edge: str
    """`/` or `//`; empty for the document."""
    children: tuple[SpillNode, ...] = ()
    uses: tuple[PathUse, ...] = ()

    def nodes(self) -> Iterator[SpillNode]:
        """Yield this node and all below it, each before its children."""
        yield self
        for child in self.children:
            yield from child.nodes()

    def all_uses(self) -> Iterator[PathUse]:
        """Yield the uses of this node and of all below it."""
        for node in self.nodes():
            yield from node.uses


def pattern_tree(tree: BlockTree, transformation: str = "") -> SpillNode:
    """Return the pattern tree of one transformation."""
    return tree_of_uses(path_uses(tree, transformation))


def tree_of_uses(uses: Iterable[PathUse]) -> SpillNode:
    """Return the tree that some paths of queries make up."""
    root = _Growing(DOCUMENT, "")
    for use in uses:
        node = root
        for step in element_steps(use.linear_path):
            node = node.child(step)
        node.uses.append(use)
    return root.grown()


def tree_of_paths(paths: Iterable[str]) -> SpillNode:
    """Return the tree of some linear paths that no query uses."""
    root = _Growing(DOCUMENT, "")
    for path in paths:
        node = root
        for step in element_steps(path):
            node = node.child(step)
    return root.grown()


def merged_tree(trees: Iterable[SpillNode]) -> SpillNode:
    """Return one tree for many transformations: nodes with the same linear path become one, with the uses of all.

    This is sound, because what is spilled are elements of messages, whoever asks for them. A linear path selects the
    same elements in every tree, so that a node stands for the same data before and after merging; a node below
    another is still inside its elements, so that Observation 4.1 holds and Algorithm 1 gives all that differs. What a
    candidate does to a transformation is decided path by path, for any spilled path (`effects`): also for one that
    comes from another transformation. So each transformation is reduced on its own, from the candidate alone.
    """
    root = _Growing(DOCUMENT, "")
    for tree in trees:
        root.take(tree)
    return root.grown()


def element_steps(linear_path: str) -> tuple[LinearStep, ...]:
    """Return the steps to the element at which a path ends, or that holds its attributes or text."""
    steps = linear_steps(linear_path)
    return steps if not steps or is_element(steps[-1][1]) else steps[:-1]


@dataclass
class _Growing:
    """A node to which children are added."""

    linear_path: str
    edge: str
    children: dict[LinearStep, _Growing] = field(default_factory=dict)
    uses: list[PathUse] = field(default_factory=list)

    def child(self, step: LinearStep) -> _Growing:
        if step not in self.children:
            edge = "//" if step[0] else "/"
            around = self.linear_path if self.edge else ""
            self.children[step] = _Growing(f"{around}{edge}{step[1]}", edge)
        return self.children[step]

    def take(self, node: SpillNode) -> None:
        """Add a node of another tree, with all below it."""
        self.uses += node.uses
        for child in node.children:
            self.child(linear_steps(child.linear_path)[-1]).take(child)

    def grown(self) -> SpillNode:
        children = tuple(child.grown() for child in self.children.values())
        return SpillNode(self.linear_path, self.edge, children, tuple(self.uses))
