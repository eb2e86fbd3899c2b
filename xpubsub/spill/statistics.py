"""What messages have shown: how many elements of each kind a unit has, and how large they are (Table 1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ElementCount:
    """The elements (or attributes, or texts) with one tag path: N and M of the paper."""

    count: float
    """How many there are in a unit, on average."""
    size: float = 0.0
    """How large one is, with all that is in it: in tokens or in bytes, but all in the same."""


@dataclass(frozen=True)
class Statistics:
    """Averages per unit, a message."""

    elements: Mapping[str, ElementCount] = field(default_factory=dict)
    """By tag path. A tag path is a *type* of nodes: those that equation (4) sums over."""
    passing: Mapping[str, float] = field(default_factory=dict)
    """By transformation: which share of its bindings passes its conditions; 1 unless given."""
    selectivities: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """By (base, path), two linear paths: which share of their pairs is joined; by default each node has one base."""

    @classmethod
    def counted(cls, units: int, totals: Mapping[str, tuple[int, int]]) -> Statistics:
        """Return the averages, given for each tag path how many elements were seen, and how large all of them were."""
        seen = max(1, units)
        return cls({
            tagpath: ElementCount(number / seen, size / max(1, number)) for tagpath, (number, size) in totals.items()})
