"""Spill choice (Wei 2010, Figure 13): the time that each policy takes to choose, over the size of the query."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from xpubsub.language.flwr.block_tree import block_tree
from xpubsub.language.flwr.parser import parse_flwr
from xpubsub.limits import Limits
from xpubsub.spill.candidates import NOTHING
from xpubsub.spill.choose import POLICIES, choose_spill
from xpubsub.spill.model import Estimates
from xpubsub.spill.pattern_tree import SpillNode, pattern_tree
from xpubsub.spill.search import Budget
from xpubsub.spill.statistics import ElementCount, Statistics

OVERLOAD = 1.5
"""Units that arrive, over those that can be processed whole."""
SIZES = (3, 5, 7, 9, 11)
"""Return paths of the five queries."""


@dataclass(frozen=True)
class ChoiceTime:
    """One policy on one query."""

    policy: str
    nodes: int
    seconds: float
    """CPU time, the median of the runs."""
    considered: int
    quality: float
    """Total output quality per second, over that of the optimal choice."""


def query(returned: int) -> str:
    """A query with so many return paths; every third has a path below it that is returned as well."""
    paths = [f"$a/p{number}" for number in range(returned)] + [f"$a/p{number}/q" for number in range(0, returned, 3)]
    return f"for $a in /a return <x>{{ {', '.join(paths)} }}</x>"


def statistics_for(returned: int) -> Statistics:
    """Elements of varied number and size."""
    elements = {"/a": ElementCount(1, 20.0 * returned)}
    for number in range(returned):
        elements[f"/a/p{number}"] = ElementCount(1 + number % 3, 4 + number % 4)
        elements[f"/a/p{number}/q"] = ElementCount(1 + number % 2, 2)
    return Statistics(elements)


def choice_times(sizes: tuple[int, ...] = SIZES, runs: int = 3) -> Iterator[ChoiceTime]:
    """Time all policies on queries of growing size."""
    for returned in sizes:
        text = query(returned)
        tree = pattern_tree(block_tree(parse_flwr(text), text, Limits()))
        model = Estimates(tree, statistics_for(returned))
        yield from _timed(tree, model, runs)


def _timed(tree: SpillNode, model: Estimates, runs: int) -> Iterator[ChoiceTime]:
    rate, unlimited = OVERLOAD / model.cost(NOTHING), Budget(seconds=600, candidates=10**7)
    nodes, best = sum(1 for node in tree.nodes() if node.edge), 0.0
    for policy in POLICIES:
        seconds = []
        for seed in range(runs):
            started = time.process_time()
            chosen = choose_spill(policy, tree, model, rate, unlimited, seed)
            seconds.append(time.process_time() - started)
        best = max(best, chosen.total)
        yield ChoiceTime(policy, nodes, sorted(seconds)[runs // 2], chosen.considered, chosen.total / best)
