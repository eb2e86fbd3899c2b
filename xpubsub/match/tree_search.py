"""Tree search: follows paths node by node in one message, as the approaches that share less do (Diao 2003, 3.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from xpubsub.language.xpath.linear import LinearStep, accepted_names, components

Settled = Callable[[int, int], bool]
"""Whether the search may continue through a node reached after some steps: (number of steps, node)."""


class Tree:
    """The nodes of a message that subscriptions need, with their ancestors; node 0 is the document."""

    def __init__(self, tagpaths: Sequence[str], idpaths: Sequence[Sequence[int]]) -> None:
        self._children: dict[int, dict[int, tuple[str, ...]]] = {}
        for tagpath, idpath in zip(tagpaths, idpaths, strict=True):
            self._grow(components(tagpath), idpath)

    def _grow(self, names: Sequence[str], idpath: Sequence[int]) -> None:
        """Add a node and its ancestors, each with the names that match it."""
        for parent, node, name in zip([0, *idpath], idpath, names, strict=False):
            self._children.setdefault(parent, {}).setdefault(node, accepted_names(name))

    def leaves(
        self, base: int, steps: Sequence[LinearStep], settled: Settled | None = None, taken: int = 0
    ) -> Iterator[int]:
        """Yield the nodes to which the steps lead from a base, once for each way, in the order of the nodes on the way.

        With `settled`, the search continues through settled nodes only.
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

