"""`FilterCase`: the properties that decide which steps of a filter plan run."""

from __future__ import annotations

from dataclasses import dataclass

from xpubsub.plan.summary import Summary


@dataclass(frozen=True)
class FilterCase:
    """The properties that decide which steps of a filter plan run, and what they read."""

    plan: str
    summary: Summary
    prefers_sql: bool = True
    """Whether the engine checks branches faster in SQL than with the BrPred function."""
    searched: bool = False
    """Whether a tree search decides conditions of transformations on nodes, so that they are no candidates."""
    early: bool = False
    """Whether messages have only been read in part, so that only what is certain may be delivered."""
    narrowed: bool = False
    """Whether tables are narrowed to what the batch needs of them, before other steps read them."""
    spilling: str = ""
    """Whether elements of messages are missing (`reduced`), or were missing in an earlier run (`completed`)."""

    @property
    def classes(self) -> bool:
        """Whether one linear path represents a class of them; only `unroll` uses classes."""
        return self.plan == "unroll" and self.summary.classes

    @property
    def pairs(self) -> bool:
        """Whether the store has pair keys, for two ranges each."""
        return self.summary.pairs > 0

    @property
    def classed_pairs(self) -> bool:
        """Whether there are both pair keys and classes."""
        return self.pairs and self.classes

    @property
    def rest(self) -> bool:
        """Whether some query has more predicates than slots."""
        return self.summary.long_queries > 0

    @property
    def texts(self) -> bool:
        """Whether some predicates must be tested on text."""
        return self.summary.texts > 0

    @property
    def branches(self) -> bool:
        """Whether some query has branches that must meet in the same nodes."""
        return self.summary.levels > 0

    @property
    def branches_in_sql(self) -> bool:
        """Whether SQL checks branches; transformations and correlations need it, as they read the nodes."""
        return self.prefers_sql or self.summary.nodes_bound

    @property
    def nodes_bound(self) -> bool:
        """Whether transformations or correlations bind variables to nodes."""
        return self.summary.nodes_bound

    @property
    def positioned(self) -> bool:
        """Whether positions of branching points are read, for branches or bound nodes."""
        return self.branches or self.nodes_bound

    @property
    def checked(self) -> bool:
        """Whether lxml decides about some candidates; of a message read in part it cannot."""
        return self.summary.checks > 0 and not self.early

    @property
    def found_by_keys(self) -> str:
        """The relation of candidates found by keys."""
        if self.plan != "unroll":
            return "chain_end"
        return "unroll_all" if self.rest else "unroll_slots"

    @property
    def looked_up(self) -> str:
        """The relation that has all candidates, perhaps more, as soon as the store has been asked for them."""
        return "unroll_slots" if self.plan == "unroll" else "chain_end"

    @property
    def edges(self) -> dict[str, str]:
        """The relation of chains' edges, if it is not the table."""
        return {"query_predicate": "edge_held"} if self.narrowed else {}

    @property
    def tested(self) -> str:
        """The relation of candidates whose predicates on text hold, too."""
        return "text_candidate" if self.texts else self.found_by_keys

    @property
    def candidate(self) -> str:
        """The relation of candidates whose branches are checked."""
        return "candidate_asked" if self.searched else self.tested

    @property
    def reread(self) -> bool:
        """Whether more than one step reads the candidates found by keys."""
        return self.texts or self.searched or self.branches
