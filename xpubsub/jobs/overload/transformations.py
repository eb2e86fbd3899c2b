"""The paths of a store's transformations, as a tree from which to choose what is spilled."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pyarrow.compute as pc

from xpubsub.errors import Error
from xpubsub.jobs.overload.calibrating import measured_constants
from xpubsub.language.flwr.syntax import Transformation
from xpubsub.language.flwr.weights import linear_weights
from xpubsub.language.xquery.compiled import read_transformation
from xpubsub.limits import Limits
from xpubsub.match.uses import EXISTS
from xpubsub.plan.spilling import CORRELATED_PATHS
from xpubsub.spill.cost import CostConstants
from xpubsub.spill.effects import Effect, effect
from xpubsub.spill.path_uses import PathUse, path_uses
from xpubsub.spill.pattern_tree import SpillNode, tree_of_uses
from xpubsub.spill.quality import Weights
from xpubsub.store.listing import list_subscriptions
from xpubsub.store.store import Store

_Key = tuple[str, str, bool, str]
"""A text without its constants, its namespaces, whether the subscriber wants parts, and weights."""
_Weights = dict[str, float]
"""By linear path."""
_CONSTANT = re.compile(r"""(?<![\w.:-])\d+(?:\.\d+)?|"[^"{<$/]*"|'[^'{<$/]*'""")
"""A number or a string: texts that differ in these only have the same paths."""


class StoredTransformations:
    """The transformations that read a stream; those that differ in constants only are parsed once."""

    def __init__(self, store: Store, limits: Limits, stream: str) -> None:
        self._store, self._limits, self._stream = store, limits, stream
        self._changes: int | None = None
        self._keys: dict[str, _Key] = {}
        self._texts: dict[_Key, str] = {}
        self._parsed: dict[_Key, tuple[tuple[PathUse, ...], _Weights]] = {}
        self._correlated: list[dict[str, Any]] = []

    @property
    def changed(self) -> bool:
        """Whether subscriptions have changed since they were read."""
        return self._changes != self._store.engine.shared.changes

    def refresh(self, seconds: float) -> None:
        """Read the subscriptions again if they have changed, and parse for some seconds."""
        if self.changed:
            self._changes = self._store.engine.shared.changes
            self._read()
            self._correlated = correlated_paths(self._store)
        until = time.monotonic() + seconds
        for key, text in self._texts.items():
            if key not in self._parsed:
                self._parsed[key] = _parsed(text, key, self._limits)
                if time.monotonic() > until:
                    break

    def measured_constants(self) -> CostConstants:
        """Measure what operations cost on this machine, with the engine of the store."""
        return measured_constants(self._store.engine)

    def tree(self) -> SpillNode:
        """Return the tree of the transformations that are parsed so far."""
        return tree_of_uses(
            replace(use, transformation=name) for name, key in self._keys.items() if key in self._parsed
            for use in self._parsed[key][0])

    def weights(self) -> Weights:
        """Return what subscribers have said that returned paths are worth."""
        return {(name, path): weight for name, key in self._keys.items() if key in self._parsed
                for path, weight in self._parsed[key][1].items()}

    def allowed(self, tree: SpillNode) -> SpillNode:
        """Return a tree without the nodes that correlations need; what is below them moves up."""
        return replace(tree, children=tuple(self._allowed(tree.children)))

    def _allowed(self, nodes: Sequence[SpillNode]) -> Iterator[SpillNode]:
        for node in nodes:
            inside = tuple(self._allowed(node.children))
            if needed_path([node.linear_path], self._correlated) is None:
                yield replace(node, children=inside)
            else:
                yield from inside

    def _read(self) -> None:
        listed = list_subscriptions(self._store)
        chosen = pc.and_(pc.equal(listed["kind"], "transformation"), pc.equal(listed["stream"], self._stream))
        self._keys.clear()
        self._texts.clear()
        for row in listed.filter(chosen).to_pylist():
            text = row["text"] if row["weights"] else _CONSTANT.sub("0", row["text"])
            key = text, row["namespaces"] or "{}", row["partial"], row["weights"] or "{}"
            self._keys[row["subscription_id"]] = key
            self._texts.setdefault(key, row["text"])
        self._parsed = {key: parsed for key, parsed in self._parsed.items() if key in self._texts}


def correlated_paths(store: Store) -> list[dict[str, Any]]:
    """Return the paths that correlations need."""
    with store.engine.pipeline():
        store.run(*store.visible())
        return store.rows(CORRELATED_PATHS)


def needed_path(spilled: Sequence[str], correlated: Iterable[dict[str, Any]]) -> str | None:
    """Return a path that correlations could not see as it is if some paths were spilled; None if there is none."""
    for row in correlated:
        found = effect(row["linear_path"], spilled)
        if found is Effect.SRAM or (found is Effect.SAM and row["node_use"] != EXISTS):
            return str(row["linear_path"])
    return None


def _parsed(text: str, key: _Key, limits: Limits) -> tuple[tuple[PathUse, ...], _Weights]:
    """Parse a transformation; one that today's limits refuse has no paths."""
    _, given, partial, weights = key
    namespaces = json.loads(given)
    try:
        tree, read = read_transformation(text, namespaces, limits)
        uses = path_uses(tree)
        weighted = linear_weights(read, json.loads(weights), namespaces) if isinstance(read, Transformation) else {}
    except Error:
        return (), {}
    return uses if partial else (*uses, *_guarding(uses)), weighted


def _guarding(uses: Iterable[PathUse]) -> Iterator[PathUse]:
    """A subscriber who wants no parts waits for all that is bound or returned: as if it were a condition."""
    for use in uses:
        if use.role != "where" and use.blocks:
            yield replace(use, role="where", need="existence" if use.role == "for" else "value", blocks=use.blocks[:1])
