"""The plans for filters, step by step: from shredded messages to notifications (Tian 2004).

`unroll` finds a query by one key; its next predicates stand side by side in one row (section 4.3). `share` walks chains
of predicates that queries share (section 4.2); `bucket` does the same, with ranges in about twenty buckets.
"""

from __future__ import annotations

from dataclasses import dataclass

from xpubsub.plan import filter_steps as make
from xpubsub.plan.listing import Listing, steps_of, unless, when
from xpubsub.plan.summary import Summary
from xpubsub.step import Pipeline, file_step

KEYS_HELD: Listing = (
    make.tagpath_key,
    file_step("node_range"),
    file_step("key_held", reused=True),
)
"""Which predicates hold in which message, as far as keys can tell."""

CLASSES: Listing = (
    file_step("path_class"),
    file_step("key_class", reused=True),
)
"""The keys that stand for others, where many linear paths match a tag path."""

FROM_CANDIDATES: Listing = (
    when(
        "texts",
        make.text_asked,
        file_step("text_failed"),
        make.text_candidate,
    ),
    when("searched", make.candidate_asked),
    when(
        "branches",
        file_step("tagpath_position"),
        make.branch_path,
        file_step("branch_row", reused=True),
        when("branches_in_sql", make.truth),
        make.branch_match,
    ),
    make.matched,
    file_step("gone"),
    make.notification,
)
"""What all plans have in common once keys have found the candidates: texts, branches, subscriptions."""

UNROLL: Listing = (
    file_step("batch_tagpath", reused=True),
    when("classes", *CLASSES),
    when("keys_shredded", file_step("key_held", "shredded", reused=True)),
    unless("keys_shredded", *KEYS_HELD),
    when("classed_pairs", file_step("pair_class")),
    when("pairs", make.access_held),
    when("classes", make.class_unroll),
    make.unroll_slots,
    when(
        "rest",
        file_step("chain_start", "rest"),
        make.chain_key,
        file_step("chain_end", reused=True),
        file_step("unroll_all", reused=True),
    ),
    *FROM_CANDIDATES,
)

SHARE: Listing = (
    file_step("batch_tagpath", reused=True),
    *KEYS_HELD,
    make.chain_root,
    file_step("share_equal"),
    file_step("chain_start"),
    make.chain_key,
    file_step("chain_end", reused=True),
    *FROM_CANDIDATES,
)

PLANS: dict[str, Listing] = {"unroll": UNROLL, "share": SHARE, "bucket": SHARE}
"""By name; `bucket` starts chains at other roots (`chain_root`)."""


@dataclass(frozen=True)
class FilterCase:
    """What the steps of a filter plan depend on."""

    plan: str
    summary: Summary
    sql_branches: bool = True
    """Whether the engine checks branches by SQL, rather than by the BrPred function."""
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
        return self.sql_branches or self.summary.nodes_bound

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
    def steps(self) -> Pipeline:
        """The steps of the plan, in their order."""
        return steps_of(PLANS[self.plan], self)
