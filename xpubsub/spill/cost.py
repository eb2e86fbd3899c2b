"""The cost of processing one unit: locating, joining, spilling (Appendix D.2, equations (5), (6) and (7))."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from xpubsub.language.xpath.branches import DOCUMENT
from xpubsub.spill.active import active_states
from xpubsub.spill.candidates import NOTHING, Candidate
from xpubsub.spill.census import Census, Remaining
from xpubsub.spill.guards import Guard, Guards
from xpubsub.spill.path_uses import PathUse
from xpubsub.spill.pattern_tree import SpillNode


@dataclass(frozen=True)
class CostConstants:
    """Seconds per operation, to be measured on the machine at hand; the defaults are in a usual proportion."""

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
    return math.fsum(active) * constants.c_transit


def join_cost(bindings: float, pairs: float, constants: CostConstants) -> float:
    """Return equation (6), `pairs` being the number of bindings · branches · selectivity."""
    return 2 * pairs * constants.c_join + 2 * bindings * constants.c_stack


def spill_cost(sizes: Iterable[float], constants: CostConstants) -> float:
    """Return equation (7), given N · M of each path that is written."""
    return math.fsum(sizes) * constants.c_io


@dataclass(frozen=True)
class _Join:
    """A structural join between the nodes of a base and of a path; the guards of those who need it."""

    base: str
    linear_path: str
    guards: frozenset[Guard]


class UnitCost:
    """The cost of the reduced queries of all transformations; a join that many need is made once."""

    def __init__(self, tree: SpillNode, census: Census, guards: Guards, constants: CostConstants) -> None:
        self._census = census
        self._guards = guards
        self._constants = constants
        self._active = active_states(tree, census)
        self._joins = self._collected(tree)
        self._by_type: dict[str, list[int]] = {}
        self._by_condition: dict[tuple[str, str], list[int]] = {}
        self._bases: dict[str, set[str]] = {}
        self._index(tree)
        nothing = census.remaining(NOTHING)
        self._join_costs = [self._join(each, nothing) for each in self._joins]
        self._full = CostParts(
            locating_cost(self._active.values(), constants), math.fsum(self._join_costs), 0.0, constants.c_unit)

    def cost(self, candidate: Candidate) -> float:
        """Return the unit processing cost under a candidate."""
        return self.parts(candidate).total

    def parts(self, candidate: Candidate) -> CostParts:
        """Return the cost under a candidate, part by part."""
        remaining, constants = self._census.remaining(candidate), self._constants
        saved = locating_cost((self._active.get(each, 0.0) for each in remaining.missing), constants)
        written = [self._census.content[each] for each in remaining.outermost]
        kept = [self._census.own(each) for each in self._kept(candidate) - remaining.missing]
        return replace(
            self._full, locating=self._full.locating - saved, join=self._joining(candidate, remaining),
            spill=spill_cost([*written, *kept], constants))

    def _joining(self, candidate: Candidate, remaining: Remaining) -> float:
        undecided = self._guards.undecided(candidate)
        changed = {number for tagpath in remaining.missing for number in self._by_type.get(tagpath, ())}
        changed |= {number for condition in undecided for number in self._by_condition.get(condition, ())}
        saved = [self._join_costs[number] - self._join(self._joins[number], remaining, undecided) for number in changed]
        return self._full.join - math.fsum(saved)

    def _join(
        self, join: _Join, remaining: Remaining, undecided: frozenset[tuple[str, str]] = frozenset()
    ) -> float:
        """Return the cost of a join; nothing if all who need it are blocked, or nothing is left to be joined."""
        census = self._census
        if all(not guard.isdisjoint(undecided) for guard in join.guards):
            return 0.0
        branches = census.count(join.linear_path, remaining.missing)
        if not branches and not remaining.missing.isdisjoint(census.types(join.linear_path)):
            return 0.0
        bindings = census.count(join.base, remaining.missing)
        return join_cost(bindings, branches * census.joined(join.base, join.linear_path), self._constants)

    def _kept(self, candidate: Candidate) -> set[str]:
        """Return the types of the nodes that completion needs beside what is spilled: the bases of affected paths."""
        return {
            tagpath for spilled in candidate for path in self._guards.effects(spilled)
            for base in self._bases.get(path, ()) for tagpath in self._census.types(base)
        }

    def _collected(self, tree: SpillNode) -> list[_Join]:
        guards: dict[tuple[str, str], set[Guard]] = {}
        for use in tree.all_uses():
            if _is_joined(use):
                guards.setdefault((use.base, use.linear_path), set()).add(self._guards.guard(use))
        return [_Join(base, path, frozenset(each)) for (base, path), each in guards.items()]

    def _index(self, tree: SpillNode) -> None:
        for number, join in enumerate(self._joins):
            for tagpath in self._census.types(join.base) | self._census.types(join.linear_path):
                self._by_type.setdefault(tagpath, []).append(number)
            for condition in {each for guard in join.guards for each in guard}:
                self._by_condition.setdefault(condition, []).append(number)
        for use in tree.all_uses():
            if use.role == "return" and use.base != DOCUMENT:
                self._bases.setdefault(use.linear_path, set()).add(use.base)


def _is_joined(use: PathUse) -> bool:
    return use.base not in (use.linear_path, DOCUMENT)
