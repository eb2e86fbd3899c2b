"""What the steps of a plan for filters depend on."""

from __future__ import annotations

from dataclasses import dataclass

from xpubsub.plan.summary import Summary


@dataclass(frozen=True)
class FilterCase:
    """What the steps of a filter plan depend on."""

    plan: str
    summary: Summary
    prefers_sql: bool = True
    """Whether the engine checks branches faster by SQL than by the BrPred function."""
    keys_shredded: bool = False
    """Whether keys were looked up while the messages were shredded."""
    searched: bool = False
    """Whether conditions of transformations on nodes are searched for in the tree, and so are no candidates."""

    @property
    def classes(self) -> bool:
        """Whether one linear path stands for many; only `unroll` makes use of that."""
        return self.plan == "unroll" and self.summary.classes

    @property
    def pairs(self) -> bool:
        """Whether some keys stand for two ranges."""
        return self.summary.pairs > 0

    @property
    def classed_pairs(self) -> bool:
        """Whether such keys stand for others of their class."""
        return self.pairs and self.classes

    @property
    def rest(self) -> bool:
        """Whether some query has more predicates than slots."""
        return self.summary.long_queries > 0

    @property
    def texts(self) -> bool:
        """Whether some predicates have to be tested on texts."""
        return self.summary.texts > 0

    @property
    def branches(self) -> bool:
        """Whether the branches of some query have to meet in the same nodes."""
        return self.summary.levels > 0

    @property
    def branches_in_sql(self) -> bool:
        """Whether branches are checked by SQL; transformations read at which nodes they hold."""
        return self.prefers_sql or self.summary.nodes_bound

    @property
    def found_by_keys(self) -> str:
        """The relation of candidates that keys have found."""
        if self.plan != "unroll":
            return "chain_end"
        return "unroll_all" if self.rest else "unroll_slots"

    @property
    def tested(self) -> str:
        """The relation of candidates whose texts hold, too."""
        return "text_candidate" if self.texts else self.found_by_keys

    @property
    def candidate(self) -> str:
        """The relation of candidates whose branches are checked."""
        return "candidate_asked" if self.searched else self.tested

    @property
    def reread(self) -> bool:
        """Whether more than one step reads the candidates that keys have found."""
        return self.texts or self.searched or self.branches
