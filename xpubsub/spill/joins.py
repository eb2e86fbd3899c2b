"""The structural joins of all transformations: between a base and each path that starts at it, once for all users."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from xpubsub.language.xpath.branches import DOCUMENT
from xpubsub.spill.census import Census, Mask, Numbers, Remaining, TypePlaces
from xpubsub.spill.guards import Guards
from xpubsub.spill.pattern_tree import SpillNode


class Joins:
    """Counts what is left to be joined."""

    def __init__(self, tree: SpillNode, census: Census, guards: Guards) -> None:
        self._counts = census.counts
        users: dict[tuple[str, str], set[int]] = {}
        for use in tree.all_uses():
            if use.base not in (use.linear_path, DOCUMENT):
                users.setdefault((use.base, use.linear_path), set()).add(guards.number(use))
        self._bases = _Entries(census.types(base) for base, _ in users)
        self._branches = _Entries(census.types(path) for _, path in users)
        self._guards = _Entries(np.fromiter(each, np.intp) for each in users.values())
        self._joined = np.array([census.joined(base, path) for base, path in users], np.float64)
        self._whole = self._branches.sums(self._counts)

    def counted(self, remaining: Remaining, blocked: Mask) -> tuple[float, float]:
        """Return the bindings and the pairs of all joins that are made.

        No join is made if all who need it are blocked, or if all its branches are spilled.
        """
        left = np.where(remaining.missing, 0.0, self._counts)
        branches = self._branches.sums(left)
        made = (self._guards.sums((~blocked).astype(np.float64)) > 0) & ((branches > 0) | (self._whole == 0))
        bindings = self._bases.sums(left)
        return float(bindings[made].sum()), float((branches * self._joined)[made].sum())


class _Entries:
    """For each join some places of an array, to be summed."""

    def __init__(self, places: Iterable[TypePlaces]) -> None:
        each = list(places)
        self._number = len(each)
        self._join = np.repeat(np.arange(len(each)), [len(part) for part in each])
        self._place = np.concatenate(each) if each else np.zeros(0, np.intp)

    def sums(self, values: Numbers) -> Numbers:
        """Return the sum of the values of each join."""
        return np.bincount(self._join, values[self._place], self._number).astype(np.float64)
