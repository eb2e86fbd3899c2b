"""The reduced query: what a transformation can still answer when some paths are spilled (section 5.2).

It answers as much as is certain to be right (the maximal output property). Fewer nodes of a `for` path mean fewer
bindings, but right ones. A returned path says nothing about those beside it. Only a condition that cannot be decided
blocks: its block, and the blocks inside.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from xpubsub.spill.effects import Effect, effect
from xpubsub.spill.path_uses import PathUse


@dataclass(frozen=True)
class ReducedQuery:
    """One transformation under one candidate."""

    effects: tuple[tuple[PathUse, Effect], ...]
    """What happens to each path."""
    blocked: frozenset[int]
    """The blocks that give nothing for now: a condition of theirs, or of a block around them, cannot be decided."""

    @property
    def untouched(self) -> bool:
        """Whether the answer is that of the whole query."""
        return not self.blocked and not self.holes and not self.fewer

    @property
    def fewer(self) -> frozenset[int]:
        """The blocks that are not blocked, but may bind fewer nodes: more bindings come later."""
        return frozenset(
            use.blocks[-1] for use, found in self.effects
            if use.role == "for" and found is Effect.SRAM and not self.is_blocked(use))

    @property
    def holes(self) -> tuple[PathUse, ...]:
        """The returned paths that are not blocked, but of which something may be missing: nodes, or parts of them."""
        return tuple(
            use for use, found in self.effects
            if use.role == "return" and is_incomplete(use, found) and not self.is_blocked(use))

    @property
    def answered(self) -> tuple[PathUse, ...]:
        """The returned paths that are not blocked."""
        return tuple(use for use, _ in self.effects if use.role == "return" and not self.is_blocked(use))

    def is_blocked(self, use: PathUse) -> bool:
        """Return whether a path is in a block that gives nothing."""
        return not self.blocked.isdisjoint(use.blocks)


def reduced_query(uses: Collection[PathUse], candidate: Collection[str]) -> ReducedQuery:
    """Return what a transformation, given its paths, can answer under a candidate."""
    effects = tuple((use, effect(use.linear_path, candidate)) for use in uses)
    undecided = {use.blocks[-1] for use, found in effects if use.role == "where" and is_undecided(use.need, found)}
    blocked = {block for use in uses for number, block in enumerate(use.blocks)
               if not undecided.isdisjoint(use.blocks[: number + 1])}
    return ReducedQuery(effects, frozenset(blocked))


def is_undecided(need: str, found: Effect) -> bool:
    """Return whether a condition may come out differently with what is missing.

    An element's string value is the text of all that is in it: it needs the missing subpart. That the element is
    there, its attributes and its own `text()` do not.
    """
    return found is Effect.SRAM or (found is Effect.SAM and need == "value")


def is_incomplete(use: PathUse, found: Effect) -> bool:
    """Return whether something of a returned path may be missing."""
    return found is Effect.SRAM or (found is Effect.SAM and use.need == "copy")
