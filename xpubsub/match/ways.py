"""Counts the ways in which a path reaches a node: more than one only where the data is recursive (Wei 2006)."""

from __future__ import annotations

from functools import lru_cache

from xpubsub.language.xpath.linear import LinearStep, accepted_names, components, linear_steps


@lru_cache(maxsize=65536)
def is_recursive(linear_path: str, base: int, tagpath: str) -> bool:
    """Whether a node at a tag path may be reached in several ways from one node that the path's base is bound to."""
    steps, names = linear_steps(linear_path)[base:], components(tagpath)
    starts = range(base, len(names)) if base else range(1)
    return any(_ways(steps, names[start:]) > 1 for start in starts)


def _ways(steps: tuple[LinearStep, ...], names: tuple[str, ...]) -> int:
    """Count the ways to bind steps to names in order, the last step to the last name."""
    counts = [1, *[0] * len(names)]
    for descends, name in steps:
        after = [0] * len(counts)
        above = 0
        for place in range(1, len(counts)):
            above += counts[place - 1]
            if name in accepted_names(names[place - 1]):
                after[place] = above if descends else counts[place - 1]
        counts = after
    return counts[-1]
