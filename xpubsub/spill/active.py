"""How often each state of the automaton of a tree is active when an element begins: n_active of Table 1."""

from __future__ import annotations

import numpy as np

from xpubsub.language.xpath.branches import DOCUMENT
from xpubsub.language.xpath.linear import accepted_names, components, linear_steps
from xpubsub.spill.census import Census, Numbers
from xpubsub.spill.effects import is_element
from xpubsub.spill.pattern_tree import SpillNode

_States = dict[str, SpillNode]
"""Nodes of the tree, each a state of the automaton, by linear path."""


class _Automaton:
    """Runs the automaton of a tree over tag paths, parents first."""

    def __init__(self, tree: SpillNode) -> None:
        self._after = {
            node.linear_path: {linear_steps(child.linear_path)[-1]: child for child in node.children}
            for node in tree.nodes()
        }
        document = {tree.linear_path: tree}
        self._runs: dict[str, tuple[_States, _States]] = {DOCUMENT: (document, self._waiting(document))}

    def run(self, tagpath: str, parent: str) -> int:
        """Run on from the parent of a node to the node; returns how many states are on top of the stack inside it.

        These are the states that were reached, and those that wait for a `//`.
        """
        names = accepted_names(components(tagpath)[-1])
        before, waiting = self._runs[parent]
        reached = self._next(before, False, names) | self._next(waiting, True, names)
        waiting = waiting | self._waiting(reached)
        self._runs[tagpath] = reached, waiting
        return len(reached.keys() | waiting.keys())

    def _next(self, states: _States, descends: bool, names: tuple[str, ...]) -> _States:
        found: _States = {}
        for path in states:
            after = self._after[path]
            found.update({after[descends, name].linear_path: after[descends, name] for name in names
                          if (descends, name) in after})
        return found

    def _waiting(self, states: _States) -> _States:
        return {path: node for path, node in states.items() if any(descends for descends, _ in self._after[path])}


def transitions(tree: SpillNode, census: Census) -> tuple[float, Numbers]:
    """Return how many transitions a unit makes at its root, and for each type at the elements directly inside it."""
    automaton, paths = _Automaton(tree), [*census.tagpaths, DOCUMENT]
    elements = np.array([is_element(components(each)[-1]) for each in census.tagpaths], np.bool_)
    inside = np.bincount(census.parent, np.where(elements, census.counts, 0.0), len(paths)).astype(np.float64)
    around = [paths[parent] for parent in census.parent]
    active = [automaton.run(tagpath, parent) for tagpath, parent in zip(census.tagpaths, around, strict=True)]
    return float(inside[-1]), inside[:-1] * np.array(active, np.float64)
