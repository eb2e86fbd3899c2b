"""`TransformationCase`: the properties that decide which steps of a transformation plan run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xpubsub.plan.facts import FactCase

Places = Mapping[int, int]
"""The length of the longest chain of steps by depth of blocks; no entry where nothing can be bound."""


@dataclass(frozen=True)
class Sharing:
    """What a plan for transformations shares, and where it removes duplicates."""

    conditions: bool = True
    returns: bool = True
    repeats: bool | None = None
    """Whether tuples of all blocks are made distinct, of none, or (None) of those that may repeat."""


@dataclass(frozen=True)
class TransformationCase(FactCase):
    """The blocks of a store's transformations, and what a plan shares."""

    places: Mapping[int, int]
    sharing: Sharing
    spilling: str = ""
    """As in `FilterCase`."""
    narrowed: bool = False
    """As in `FilterCase`."""
    checked: bool = False
    """As in `FilterCase`."""
    values_read: bool = False
    """Whether programs read values of nodes."""

    @property
    def depths(self) -> range:
        """The depths of blocks."""
        return range(1, max(self.places, default=1) + 1)

    @property
    def conditions_shared(self) -> bool:
        """Whether joins, not a tree search, decide conditions on nodes."""
        return self.sharing.conditions

    @property
    def returns_shared(self) -> bool:
        """Whether the nodes of returned paths are grouped once for all templates."""
        return self.sharing.returns

    @property
    def searches(self) -> bool:
        """Whether a tree search is needed."""
        return not (self.sharing.conditions and self.sharing.returns)

    @property
    def valued(self) -> bool:
        """Whether the values of nodes are gathered for the message factory."""
        return self.values_read or bool(self.spilling)

    @property
    def some_repeat(self) -> bool:
        """Whether only the blocks that may repeat are made distinct."""
        return self.sharing.repeats is None

    @property
    def distinct(self) -> str:
        """The SQL keyword `distinct` if all tuples are made distinct, else empty."""
        return "distinct" if self.sharing.repeats else ""
