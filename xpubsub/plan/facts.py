"""Where the conditions of transformations and correlations hold: at nodes, and of the message."""

from __future__ import annotations

from dataclasses import dataclass

from xpubsub.plan.listing import Listing, unless, when
from xpubsub.step import file_step

FACTS: Listing = (
    unless("levels", file_step("tagpath_position")),
    file_step("message_fact"),
    when(
        "conditions_shared",
        when("node_facts", file_step("fact", reused=True)),
        unless("node_facts", file_step("fact", "message", reused=True)),
    ),
)
"""Positions unless branches have made them, and the relation `fact`, unless conditions are searched for in the tree."""


@dataclass(frozen=True)
class FactCase:
    """What the steps of `FACTS` depend on."""

    levels: int
    """Depth of the deepest branching of any query."""

    @property
    def conditions_shared(self) -> bool:
        """Whether conditions on nodes are decided by joins."""
        return True

    @property
    def node_facts(self) -> bool:
        """Whether some condition is about a node."""
        return self.levels > 1
