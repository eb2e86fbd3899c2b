"""What a transformation does with paths: which it binds, tests and returns, and in which block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from xpubsub.language.flwr.blocks import BlockTree, TemplateNode
from xpubsub.language.xpath.branches import DOCUMENT
from xpubsub.match.linear_paths import prefix_path

Role = Literal["for", "where", "return"]
Need = Literal["existence", "value", "copy"]


@dataclass(frozen=True)
class PathUse:
    """One path of a transformation, and what is needed of its nodes."""

    linear_path: str
    role: Role
    need: Need
    """`existence`: that they are there; `value`: their string values; `copy`: all that is in them."""
    base: str = DOCUMENT
    """The linear path of the node that the path starts at: a variable's, or the document's."""
    blocks: tuple[int, ...] = ()
    """The blocks around it, outermost first, its own last; none outside of all `for`s."""
    transformation: str = ""


def path_uses(tree: BlockTree, transformation: str = "") -> tuple[PathUse, ...]:
    """Return the paths of a transformation: of its `for`s, then its conditions, then its results.

    A block with `or` binds the same paths in several ways; each counts once. What is returned twice counts twice.
    """
    uses = _Uses(tree, transformation)
    return (*dict.fromkeys((*uses.bound(), *uses.tested())), *uses.returned([tree.template], 0, ()))


class _Uses:
    def __init__(self, tree: BlockTree, transformation: str) -> None:
        self._tree = tree
        self._transformation = transformation
        self._around: dict[int, tuple[int, ...]] = {0: ()}
        for step in tree.steps:
            self._around.setdefault(step.block, (*self._around[step.parent], step.block))

    def bound(self) -> Iterator[PathUse]:
        """The paths of the variables."""
        for step in self._tree.steps:
            base = prefix_path(step.linear_path, step.base_position)
            yield self._use(step.linear_path, "for", "existence", base, step.block)

    def _use(self, path: str, role: Role, need: Need, base: str, block: int) -> PathUse:
        return PathUse(path, role, need, base, self._around[block], self._transformation)

    def tested(self) -> Iterator[PathUse]:
        """The branches of all conditions; that there is a document needs no testing."""
        steps = {step.step: step for step in self._tree.steps}
        for condition in self._tree.conditions:
            for branch in condition.query.branches:
                need: Need = "existence" if branch.test.op == "exists" else "value"
                if (branch.linear_path, need) != (DOCUMENT, "existence"):
                    at = branch.points[0][1] if branch.points else 0
                    base = prefix_path(branch.linear_path, at)
                    yield self._use(branch.linear_path, "where", need, base, steps[condition.step].block)

    def returned(self, nodes: list[TemplateNode], block: int, places: tuple[str, ...]) -> Iterator[PathUse]:
        """What is copied; `places` are the paths of the variables in scope."""
        for node in nodes:
            match node:
                case ["s", list(inner)]:
                    yield from self.returned(inner, block, places)
                case ["e", _, _, list(attributes), list(inner)]:
                    yield from self.returned([*attributes, *inner], block, places)
                case ["f", int(inside), _, list(inner)]:
                    yield from self._block(inside, inner, places)
                case ["p" | "a", int(inside), _]:
                    path = self._bound(inside)[-1]
                    yield self._use(path, "return", "copy", path, inside)
                case ["v" | "va", int(at), _]:
                    yield self._use(places[at - 1], "return", "copy", places[at - 1], block)
                case ["r" | "ra", str(path), int(position), _, _]:
                    yield self._use(path, "return", "copy", prefix_path(path, position), block)
                case ["x", *_]:
                    yield from self._computed()

    def _computed(self) -> Iterator[PathUse]:
        """What a program needs: it waits for all of it, as for a condition of an outermost block."""
        for block in sorted(self._tree.outermost & self._around.keys()):
            for path, position in self._tree.returned:
                yield self._use(path, "where", "value", prefix_path(path, position), block)

    def _block(self, block: int, inner: list[TemplateNode], places: tuple[str, ...]) -> Iterator[PathUse]:
        """The results of a `for`; one that copies nothing returns an element for each node that it binds."""
        bound = self._bound(block)
        found = list(self.returned(inner, block, (*places, *bound)))
        yield from found or [self._use(bound[-1], "return", "existence", bound[-1], block)]

    def _bound(self, block: int) -> list[str]:
        """The paths of a block's variables; all its chains bind them by the same ones."""
        found: list[str] = []
        for step in self._tree.steps:
            if step.block == block and not step.hidden:
                found.append(step.linear_path)
                if step.last:
                    break
        return found
