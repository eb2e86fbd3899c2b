"""What the steps of a plan for transformations depend on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xpubsub.plan.facts import FactCase

Places = Mapping[int, int]
"""For each depth of blocks the length of the longest chain of steps; none where nothing can be bound."""


@dataclass(frozen=True)
class Sharing:
    """What a plan for transformations shares, and where it removes duplicates although there may be none."""

    conditions: bool = True
    returns: bool = True
    repeats: bool | None = None
    """Whether tuples are made distinct: of no block, of all, or (None) of those that may repeat."""


@dataclass(frozen=True)
class TransformationCase(FactCase):
    """The blocks of the transformations of a store, and what a plan shares of them."""

    places: Mapping[int, int]
    sharing: Sharing

    @property
    def depths(self) -> range:
        """The depths of blocks."""
        return range(1, max(self.places, default=1) + 1)

    @property
    def conditions_shared(self) -> bool:
        """Whether conditions on nodes are decided by joins, rather than searched for in the tree."""
        return self.sharing.conditions

    @property
    def returns_shared(self) -> bool:
        """Whether the nodes of returned paths are grouped once for all templates."""
        return self.sharing.returns

    @property
    def searches(self) -> bool:
        """Whether anything is searched for in the tree."""
        return not (self.sharing.conditions and self.sharing.returns)

    @property
    def some_repeat(self) -> bool:
        """Whether tuples of some blocks may repeat, and those of others may not."""
        return self.sharing.repeats is None

    @property
    def distinct(self) -> str:
        """The word that removes duplicates, where all tuples are made distinct."""
        return "distinct" if self.sharing.repeats else ""
