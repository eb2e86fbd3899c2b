"""Matches tag paths with linear paths: one automaton for all linear paths, run once per tag path."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from xpubsub.language.xpath.linear import accepted_names, components, linear_steps


@dataclass
class _State:
    """A state of the automaton, reached by a prefix of steps; `accepts` is set where a linear path ends."""

    child: dict[str, _State] = field(default_factory=dict)
    descendant: dict[str, _State] = field(default_factory=dict)
    accepts: str | None = None

_States = dict[int, _State]
"""States by identity."""
_Run = tuple[_States, _States]
"""The states reached at the end of a tag path, and those waiting for a node further down."""
_REMEMBERED = 256
"""How many runs are cached; messages are read depth first, so the parent's run is usually among them."""


class PathAutomaton:
    """Linear paths as a trie that shares prefixes, run as a non-deterministic automaton over tag paths."""

    def __init__(self, linear_paths: Iterable[str] = ()) -> None:
        self._root = _State()
        self._known: set[str] = set()
        self.add(linear_paths)

    def add(self, linear_paths: Iterable[str]) -> None:
        """Add linear paths; known ones are skipped."""
        for linear_path in linear_paths:
            if linear_path not in self._known:
                self._known.add(linear_path)
                self._insert(linear_path)
        self._forget_runs()

    def _insert(self, linear_path: str) -> None:
        state = self._root
        for descends, name in linear_steps(linear_path):
            edges = state.descendant if descends else state.child
            state = edges.setdefault(name, _State())
        state.accepts = linear_path

    def matches(self, tagpath: str) -> list[str]:
        """Return the linear paths that match a tag path from its root to its last node."""
        reached, _ = self._run(components(tagpath))
        return [state.accepts for state in reached.values() if state.accepts is not None]

    def children(self, tagpath: str) -> list[str]:
        """Return the names of child steps that linear paths take from the node at a tag path."""
        reached, _ = self._run(components(tagpath))
        return list(dict.fromkeys(name for state in reached.values() for name in state.child))

    def within(self, tagpath: str) -> list[str]:
        """Return the linear paths that may match the node at a tag path, or a node anywhere inside it."""
        reached, waiting = self._run(components(tagpath))
        further = [after for state in waiting.values() for after in state.descendant.values()]
        found: dict[int, _State] = {}
        states = [*reached.values(), *further]
        while states:
            state = states.pop()
            if id(state) not in found:
                found[id(state)] = state
                states += [*state.child.values(), *state.descendant.values()]
        return [state.accepts for state in found.values() if state.accepts is not None]

    def _run(self, names: tuple[str, ...]) -> _Run:
        """Return the states after all names, starting from the longest cached prefix, usually the parent."""
        known = len(names)
        while names[:known] not in self._runs:
            known -= 1
        run = self._runs[names[:known]]
        for end in range(known, len(names)):
            run = _advance(run, names[end])
            if len(self._runs) > _REMEMBERED:
                self._forget_runs()
            self._runs[names[: end + 1]] = run
        return run

    def _forget_runs(self) -> None:
        self._runs: dict[tuple[str, ...], _Run] = {(): ({id(self._root): self._root}, {})}


def _advance(run: _Run, name: str) -> _Run:
    """Return the states after one more name; states with `//` edges wait for a match further down."""
    reached, waiting = run
    more = {key: state for key, state in reached.items() if state.descendant}
    waiting = {**waiting, **more} if more else waiting
    return _follow(reached, waiting, accepted_names(name)), waiting


def _follow(reached: _States, waiting: _States, names: tuple[str, ...]) -> _States:
    """Return the states after one more component, without duplicates."""
    found: _States = {}
    for name in names:
        for state in reached.values():
            if (after := state.child.get(name)) is not None:
                found[id(after)] = after
        for state in waiting.values():
            if (after := state.descendant.get(name)) is not None:
                found[id(after)] = after
    return found
