"""What a plan is chosen from: counts over the stored queries."""

from __future__ import annotations

from dataclasses import dataclass

MANY_PATHS = 8
"""Linear paths that match a tag path, on average, from which on classes pay."""


@dataclass(frozen=True)
class Summary:
    """What a plan is chosen from: counts over the stored queries."""

    queries: int = 0
    predicates: int = 0
    """Predicates of all queries together."""
    edges: int = 0
    """Edges of their chains; fewer than predicates where chains are shared."""
    range_lookup: int = 0
    """Queries whose most selective predicate is not an equality."""
    long_queries: int = 0
    """Queries with more predicates than slots."""
    slots_used: int = 8
    """Slots that some query uses."""
    levels: int = 0
    """Depth of the deepest branching, 0 if no query has branches to check."""
    inner_points: int = 2
    """Points that a branch runs through, at most."""
    alternatives: int = 1
    """Subscriptions with `or`: several queries may notify them of the same message."""
    texts: int = 1
    """Predicates on texts that no key stands for, like `contains()`."""
    transformations: int = 0
    correlations: int = 0
    pairs: int = 0
    """Keys that stand for two ranges."""
    tagpaths: int = 0
    path_matches: int = 0
    """Tag paths, and their matches with linear paths."""

    @property
    def nodes_asked(self) -> bool:
        """Whether more is asked of messages than which keys hold in them."""
        return bool(self.levels or self.texts or self.classes or self.nodes_bound)

    @property
    def nodes_bound(self) -> bool:
        """Whether variables are bound to nodes, by transformations or correlations."""
        return bool(self.transformations or self.correlations)

    @property
    def classes(self) -> bool:
        """Whether so many linear paths match a tag path that they are better put into classes."""
        return self.path_matches > MANY_PATHS * max(self.tagpaths, 1)
