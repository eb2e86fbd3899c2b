"""Which candidate to spill: the policies `optr`, `optprune`, `tox` and `random` (section 6.2).

All look for the candidate that consumes all input and has the highest total quality, ν · min(λ, 1/C): equation (3).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

from xpubsub.errors import Error
from xpubsub.spill.candidates import NOTHING, Candidate, candidate_count, count_text
from xpubsub.spill.model import SpillModel
from xpubsub.spill.pattern_tree import SpillNode
from xpubsub.spill.search import Budget, ChosenSpill, Estimate, OutOfBudget, Search


def choose_spill(
    policy: str, tree: SpillNode, model: SpillModel, arrival_rate: float,
    budget: Budget | None = None, seed: int = 0,
) -> ChosenSpill:
    """Return what a policy chooses, given the arrival rate in units per second.

    If `optr` or `optprune` would take too long, `tox` chooses instead, and the reasons say so.
    """
    if policy not in POLICIES:
        raise Error(f"unknown policy {policy!r}: the policies that choose paths are {', '.join(POLICIES)}")
    if not 0 < arrival_rate < math.inf:
        raise Error(f"the arrival rate must be a number above 0, not {arrival_rate!r}")
    budget = budget or Budget()
    search = Search(tree, model, arrival_rate, budget)
    reasons = []
    try:
        if policy == "optr" and (count := candidate_count(tree)) > budget.candidates:
            reasons.append(f"the tree has {count_text(count)} candidates")
            raise OutOfBudget
        found = POLICIES[policy](search, seed)
    except OutOfBudget:
        reasons.append(f"{policy} would take too long ({len(search.seen)} candidates considered): tox instead")
        considered, search = len(search.seen), Search(tree, model, arrival_rate, budget)
        return _chosen("tox", search, tox(search), considered, reasons)
    return _chosen(policy, search, found, 0, reasons)


def _chosen(policy: str, search: Search, found: Estimate, considered: int, reasons: list[str]) -> ChosenSpill:
    seen = tuple(sorted(search.seen.values(), key=search.rank))
    return ChosenSpill(
        found.candidate, found.quality, found.cost, found.rate, considered + len(seen),
        (*reasons, _reason(search, found)), policy, found.consumes, seen)


def _reason(search: Search, found: Estimate) -> str:
    arriving = f"{search.arrival_rate:g} units/s arrive"
    if not found.consumes:
        return f"{arriving}, and no candidate considered lets something out and consumes all: the highest total quality"
    if found.candidate == NOTHING:
        return f"{arriving}, and nothing need be spilled"
    others = sum(each.consumes for each in search.seen.values())
    return f"{arriving}: of {others} candidates considered that consume all, the highest total quality"


def optr(search: Search, seed: int = 0) -> Estimate:
    """Optimal Reduction: look at every candidate, from the top of the lattice down."""
    return _downwards(search, prune=False)


def optprune(search: Search, seed: int = 0) -> Estimate:
    """Optimal Reduction with pruning: what is below a candidate that consumes all input cannot be better.

    Observation 6.1: it spills more, so that no result is of higher quality, and there are not more results.
    """
    return _downwards(search, prune=True)


def _downwards(search: Search, *, prune: bool) -> Estimate:
    consuming: list[int] = []
    level = [NOTHING]
    while level:
        lower: dict[Candidate, None] = {}
        for candidate in level:
            spilled = search.lattice.spilled(candidate)
            if any(spilled & each == each for each in consuming):
                continue
            if search.look_in_time(candidate).consumes and prune:
                consuming.append(spilled)
            else:
                lower.update(dict.fromkeys(search.lattice.below(candidate)))
        level = list(lower)
    return search.best()


def tox(search: Search, seed: int = 0) -> Estimate:
    """Top-down expansion: go down from the candidate with the highest quality per cost, until one consumes all input.

    Step 1 looks at the candidates that spill one leaf, step 2 picks, step 3 looks one level below the pick.
    """
    picked = search.look(NOTHING)
    while not search.best().consumes and (level := search.lattice.below(picked.candidate)):
        seen = []
        for candidate in level:
            seen.append(search.look(candidate))
            if search.is_over():
                return _finished(search, seen)
        picked = min(seen, key=lambda each: (-each.ratio, search.rank(each)))
    return search.best()


def _finished(search: Search, seen: list[Estimate]) -> Estimate:
    """Go on without looking at each level: spill what has the highest quality per cost, twice as much each time."""
    paths = [path for each in sorted(seen, key=lambda each: -each.ratio) for path in sorted(each.candidate)]
    paths += search.lattice.open_paths(NOTHING)
    candidate, taken, more = NOTHING, 0, 1
    while not search.best().consumes and taken < len(paths):
        for path in paths[taken : taken + more]:
            candidate = search.lattice.adding(candidate, path)
        search.look(candidate)
        taken, more = taken + more, 2 * more
    return search.best()


def at_random(search: Search, seed: int = 0) -> Estimate:
    """Spill one path after the other, at random, until all input is consumed."""
    source, seen = Random(seed), search.look(NOTHING)
    while not seen.consumes and (paths := search.lattice.open_paths(seen.candidate)):
        seen = search.look(search.lattice.adding(seen.candidate, source.choice(paths)))
    return seen


POLICIES: dict[str, Callable[[Search, int], Estimate]] = {
    "optr": optr, "optprune": optprune, "tox": tox, "random": at_random}
"""The policies, by name."""
