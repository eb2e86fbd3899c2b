"""Smaller trees to choose from: thousands of transformations make more nodes than are worth a thought.

Any linear path may be spilled, so that any tree may be chosen from. What a choice is worth and costs is estimated with
the whole tree of all transformations.
"""

from __future__ import annotations

from dataclasses import replace

from xpubsub.language.xpath.linear import components
from xpubsub.spill.census import Census
from xpubsub.spill.effects import is_element
from xpubsub.spill.pattern_tree import SpillNode, tree_of_paths
from xpubsub.spill.statistics import Statistics

_LEAST = 0.01
"""Which share of a unit the elements of a path should make up."""


def worthwhile(tree: SpillNode, statistics: Statistics, share: float = _LEAST) -> SpillNode:
    """Return a tree without the nodes whose elements are less than a share of a unit: spilling them saves nothing.

    What is below such a node is still less.
    """
    census = Census(tree, statistics)
    least = share * _size(census)

    def kept(node: SpillNode) -> SpillNode:
        return replace(node, children=tuple(kept(child) for child in node.children if size(child) >= least))

    def size(node: SpillNode) -> float:
        return float(census.content[census.types(node.linear_path)].sum())

    return kept(tree)


def seen_tree(tree: SpillNode, statistics: Statistics, share: float = _LEAST) -> SpillNode:
    """Return the tree of the tag paths that messages have shown and some path of the tree selects.

    Paths that are written differently but select the same elements (`//b`, `/a/b`, `/*/b`) become one node here.
    """
    census = Census(tree, statistics)
    least = share * _size(census)
    asked = {int(place) for node in tree.nodes() if node.edge for place in census.types(node.linear_path)}
    return tree_of_paths(
        tagpath for place, tagpath in enumerate(census.tagpaths)
        if place in asked and census.content[place] >= least and is_element(components(tagpath)[-1]))


def _size(census: Census) -> float:
    """Return the size of a unit."""
    return float(census.content[census.parent == len(census.tagpaths)].sum())
