"""Which kinds of subscription a single message can touch at all, so that it skips the steps of the others.

What a message does not touch binds no node in it, whatever else the subscription asks for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from xpubsub.jobs.publish.rests import MessageNodes
from xpubsub.plan.summary import Summary
from xpubsub.step import file_step
from xpubsub.store.store import Store


@dataclass(frozen=True)
class Touching:
    """What a message must have so that a transformation may bind a node."""

    conditions: frozenset[int] = field(default=frozenset())
    """Conditions that find the nodes of a first step."""
    linear_paths: frozenset[int] = field(default=frozenset())
    """The linear paths of first steps that no condition finds."""

    edges: dict[str, set[int]] = field(default_factory=dict)
    """By stream: the linear paths of the patterns of correlations."""

    def joined(self, stream: str, nodes: MessageNodes) -> bool:
        """Whether some correlation may bind a node of a message of a stream."""
        return nodes.has(self.edges.get(stream, ()))

    def touched(self, candidates: Iterable[int], nodes: MessageNodes) -> bool:
        """Whether some transformation may bind a node of a message, given the queries whose slots hold."""
        if not self.conditions and not self.linear_paths:
            return False
        return not self.conditions.isdisjoint(candidates) or nodes.has(self.linear_paths)


def load_touching(store: Store, summary: Summary) -> Touching:
    """Read the first steps of all transformations, and the edges of all correlations."""
    rows = store.rows(file_step("first_step")) if summary.transformations else []
    edges: dict[str, set[int]] = {}
    for row in store.rows(file_step("edge_path")) if summary.correlations else ():
        edges.setdefault(row["stream"], set()).add(row["linear_path_id"])
    return Touching(
        frozenset(row["found_by"] for row in rows if row["found_by"] is not None),
        frozenset(row["linear_path_id"] for row in rows if row["found_by"] is None), edges)
