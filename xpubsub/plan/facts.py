"""Steps that find where conditions of transformations and correlations hold: at nodes, or in the whole message."""

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
"""Steps to `fact`, unless a tree search decides conditions; positions are there already if queries have branches."""


@dataclass(frozen=True)
class FactCase:
    """The properties that decide which steps of `FACTS` run."""

    levels: int
    """The depth of the deepest branching of any query."""

    @property
    def conditions_shared(self) -> bool:
        """Whether conditions on nodes are decided by joins."""
        return True

    @property
    def node_facts(self) -> bool:
        """Whether some condition is on a node."""
        return self.levels > 1
