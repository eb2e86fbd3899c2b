"""`Summary`: counts over the stored queries, from which a plan is chosen."""

from __future__ import annotations

from dataclasses import dataclass

MANY_PATHS = 8
"""The average number of linear paths per tag path above which classes are faster."""


@dataclass(frozen=True)
class Summary:
    """Counts over the stored queries, from which a plan is chosen."""

    queries: int = 0
    predicates: int = 0
    """Predicates of all queries together."""
    edges: int = 0
    """Edges of the queries' chains; fewer than predicates if queries share chains."""
    range_lookup: int = 0
    """Queries whose most selective predicate is not an equality."""
    long_queries: int = 0
    """Queries with more predicates than slots."""
    slots_used: int = 8
    """The largest number of slots that a query uses."""
    levels: int = 0
    """The depth of the deepest branching; 0 if no query has branches to check."""
    inner_points: int = 2
    """The largest number of branching points on the way of a branch."""
    alternatives: int = 1
    """Subscriptions with several queries (`or`), which may all match the same message."""
    texts: int = 1
    """Predicates that must be tested on text, like `contains()`."""
    transformations: int = 0
    correlations: int = 0
    pairs: int = 0
    """Pair keys, for two ranges each."""
    checks: int = 0
    """Subscriptions that lxml decides."""
    tagpaths: int = 0
    path_matches: int = 0
    """Pairs of a tag path and a linear path that it matches."""

    @property
    def nodes_bound(self) -> bool:
        """Whether transformations or correlations bind variables to nodes."""
        return bool(self.transformations or self.correlations)

    @property
    def classes(self) -> bool:
        """Whether tag paths match so many linear paths that classes are faster."""
        return self.path_matches > MANY_PATHS * max(self.tagpaths, 1)
