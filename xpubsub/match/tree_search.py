"""Tree search: paths followed node by node in one message, as approaches do that share less (Diao 2003, 3.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from xpubsub.language.xpath.linear import LinearStep, accepted_names, components

Settled = Callable[[int, int], bool]
"""Whether a path may go on through a node at the end of some of its steps: (number of steps, node)."""


class Tree:
    """The nodes of a message that subscriptions ask for, and those above them; node 0 is the document."""

    def __init__(self, tagpaths: Sequence[str], idpaths: Sequence[Sequence[int]]) -> None:
        self._children: dict[int, dict[int, tuple[str, ...]]] = {}
        for tagpath, idpath in zip(tagpaths, idpaths, strict=True):
            self._grow(components(tagpath), idpath)

    def _grow(self, names: Sequence[str], idpath: Sequence[int]) -> None:
        """A node and those above it, each with the names that it answers to."""
        for parent, node, name in zip([0, *idpath], idpath, names, strict=False):
            self._children.setdefault(parent, {}).setdefault(node, accepted_names(name))

    def leaves(
        self, base: int, steps: Sequence[LinearStep], settled: Settled | None = None, taken: int = 0
    ) -> Iterator[int]:
        """The nodes to which some steps lead from a base, once for each way, in the order of the nodes on the way.

        With `settled` the search goes on through settled nodes only.
        """
        if taken == len(steps):
            yield base
            return
        descends, name = steps[taken]
        for child, names in self._children.get(base, {}).items():
            if name in names and (settled is None or settled(taken + 1, child)):
                yield from self.leaves(child, steps, settled, taken + 1)
            if descends:
                yield from self.leaves(child, steps, settled, taken)

