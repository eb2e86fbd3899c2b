"""How often each state of the automaton of a tree is active when an element begins: n_active of Table 1."""

from __future__ import annotations

from xpubsub.language.xpath.branches import DOCUMENT
from xpubsub.language.xpath.linear import accepted_names, components, linear_steps
from xpubsub.spill.census import Census
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

    def active(self, tagpath: str) -> int:
        """Return how many states are on top of the stack inside a node: those reached, and those that wait for `//`."""
        reached, waiting = self._runs[tagpath]
        return len(reached.keys() | waiting.keys())

    def run(self, tagpath: str, parent: str) -> None:
        """Run on from the parent of a node to the node."""
        names = accepted_names(components(tagpath)[-1])
        before, waiting = self._runs[parent]
        reached = self._next(before, False, names) | self._next(waiting, True, names)
        self._runs[tagpath] = reached, waiting | self._waiting(reached)

    def _next(self, states: _States, descends: bool, names: tuple[str, ...]) -> _States:
        found: _States = {}
        for path in states:
            after = self._after[path]
            found.update({after[descends, name].linear_path: after[descends, name] for name in names
                          if (descends, name) in after})
        return found

    def _waiting(self, states: _States) -> _States:
        return {path: node for path, node in states.items() if any(descends for descends, _ in self._after[path])}


def active_states(tree: SpillNode, census: Census) -> dict[str, float]:
    """Return for each type of nodes how many transitions are made at the elements directly inside them."""
    automaton = _Automaton(tree)
    found = {DOCUMENT: automaton.active(DOCUMENT) * _inside(census, DOCUMENT)}
    for tagpath in sorted(census.parents, key=lambda each: len(components(each))):
        automaton.run(tagpath, census.parents[tagpath])
        found[tagpath] = automaton.active(tagpath) * _inside(census, tagpath)
    return found


def _inside(census: Census, tagpath: str) -> float:
    """Return how many elements are directly inside the nodes of a type."""
    children = census.children.get(tagpath, ())
    return sum(census.counts[each] for each in children if is_element(components(each)[-1]))
