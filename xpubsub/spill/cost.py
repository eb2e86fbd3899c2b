"""The cost of processing one unit: locating, joining, spilling (Appendix D.2, equations (5), (6) and (7))."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from xpubsub.language.xpath.branches import DOCUMENT
from xpubsub.spill.active import transitions
from xpubsub.spill.candidates import Candidate
from xpubsub.spill.census import Census, Mask, Remaining
from xpubsub.spill.guards import Guards
from xpubsub.spill.joins import Joins
from xpubsub.spill.pattern_tree import SpillNode


@dataclass(frozen=True)
class CostConstants:
    """Seconds per operation: of the paper in a usual proportion, unless measured on the machine at hand.

    The last four are not in the paper. They are for an engine that reads every token, and keeps whole messages.
    """

    c_transit: float = 1e-7
    """A transition: a state of the automaton is active when an element begins."""
    c_join: float = 1e-7
    """A comparison of two elements in a join."""
    c_stack: float = 1e-7
    """An operation on the stack of a join, per binding."""
    c_io: float = 1e-8
    """Writing one token or byte to disk: whatever the sizes of the statistics count."""
    c_unit: float = 0.0
    """What a unit costs whatever is spilled."""
    c_token: float = 0.0
    """Reading a token, or byte, that is not spilled."""
    c_skip: float = 0.0
    """Skipping a token, or byte, that is spilled."""
    c_root: float = 0.0
    """Beginning to skip an element, and ending it."""
    c_keep: float = 0.0
    """Writing a token, or byte, of a unit of which anything is spilled."""

    def scaled(self, modelled: float, measured: float) -> CostConstants:
        """Return constants by which a unit that the model gives some seconds takes the measured ones."""
        factor = measured / modelled if modelled > 0 else 1.0
        return replace(self, **{name: factor * value for name, value in vars(self).items()})


@dataclass(frozen=True)
class CostParts:
    """The seconds that a unit takes."""

    locating: float
    join: float
    spill: float
    unit: float = 0.0

    @property
    def total(self) -> float:
        """All of it: the unit processing cost C."""
        return self.unit + self.locating + self.join + self.spill


def locating_cost(active: Iterable[float], constants: CostConstants) -> float:
    """Return equation (5): n_active · c_transit of some states."""
    return sum(active) * constants.c_transit


def reading_cost(read: float, skipped: float, roots: float, constants: CostConstants) -> float:
    """Return what reading costs, given how much is read, how much is skipped, and in how many elements."""
    return read * constants.c_token + skipped * constants.c_skip + roots * constants.c_root


def join_cost(bindings: float, pairs: float, constants: CostConstants) -> float:
    """Return equation (6), `pairs` being the number of bindings · branches · selectivity."""
    return 2 * pairs * constants.c_join + 2 * bindings * constants.c_stack


def spill_cost(sizes: Iterable[float], constants: CostConstants) -> float:
    """Return equation (7), given N · M of each path that is written."""
    return sum(sizes) * constants.c_io


class UnitCost:
    """The cost of the reduced queries of all transformations."""

    def __init__(self, tree: SpillNode, census: Census, guards: Guards, constants: CostConstants) -> None:
        self._census = census
        self._guards = guards
        self._constants = constants
        self._at_root, self._transitions = transitions(tree, census)
        self._joins = Joins(tree, census, guards)
        self._size = float(census.content[census.parent == len(census.tagpaths)].sum())
        self._kept_of: dict[str, Mask] = {}
        self._bases: dict[str, set[str]] = {}
        for use in tree.all_uses():
            if use.role == "return" and use.base != DOCUMENT:
                self._bases.setdefault(use.linear_path, set()).add(use.base)

    def parts(self, candidate: Candidate, remaining: Remaining, blocked: Mask) -> CostParts:
        """Return the cost under a candidate, given what it leaves and the guards that it blocks."""
        constants, census = self._constants, self._census
        active = self._at_root, float(self._transitions[~remaining.missing].sum())
        kept = reduce(np.logical_or, map(self._kept, candidate), np.zeros_like(remaining.missing)) & ~remaining.missing
        skipped = float(census.content[remaining.outermost].sum())
        written = skipped, float((census.content - census.inside)[kept].sum())
        roots = float(census.counts[remaining.outermost].sum())
        keeping = self._size * constants.c_keep if roots else 0.0
        return CostParts(
            locating_cost(active, constants) + reading_cost(self._size - skipped, skipped, roots, constants),
            join_cost(*self._joins.counted(remaining, blocked), constants), spill_cost(written, constants) + keeping,
            constants.c_unit)

    def _kept(self, spilled: str) -> Mask:
        """Return the types of the nodes that completion needs beside what is spilled: the bases of affected paths."""
        if spilled not in self._kept_of:
            mask = np.zeros(len(self._census.tagpaths), np.bool_)
            affected = self._guards.effects(spilled)
            for base in {base for path in affected for base in self._bases.get(path, ())}:
                mask[self._census.types(base)] = True
            self._kept_of[spilled] = mask
        return self._kept_of[spilled]
