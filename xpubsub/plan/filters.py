"""The plans for filters, step by step: from shredded messages to notifications (Tian 2004).

`unroll` finds a query by one lookup key; its row has the next predicates side by side (section 4.3). `share` walks
chains of predicates that queries share (section 4.2). `bucket` does the same, with ranges in about twenty buckets.
"""

from __future__ import annotations

from xpubsub.plan import filter_steps as make
from xpubsub.plan import narrowing as narrow
from xpubsub.plan.filter_case import FilterCase
from xpubsub.plan.listing import Listing, steps_of, unless, when
from xpubsub.plan.spilling import TOUCHED_MATCHES
from xpubsub.step import Pipeline, file_step

KEYS_HELD: Listing = (
    when("narrowed", *narrow.BY_BATCH),
    make.tagpath_key,
    file_step("node_range"),
    file_step("key_held", reused=True),
)
"""The keys that hold in each message."""

CLASSES: Listing = (
    file_step("path_class", standing=True),
    file_step("key_class", reused=True, standing=True),
)
"""The keys that represent classes, used if a tag path matches many linear paths."""

FROM_CANDIDATES: Listing = (
    when(
        "texts",
        make.text_asked,
        make.text_failed,
        make.text_candidate,
    ),
    when("searched", make.candidate_asked),
    when(
        "branches",
        file_step("tagpath_position"),
        make.branch_path,
        make.branch_row,
        when("branches_in_sql", make.truth),
        make.branch_match,
    ),
    make.matched,
    when("early", make.revocable, file_step("certain")),
    when("spilling", *TOUCHED_MATCHES),
    unless("narrowed", file_step("gone")),
    when("checked", make.check_held),
    make.notification,
)
"""The common end of all plans, once keys have found candidates: text, branches, lxml, subscriptions."""

UNROLL: Listing = (
    file_step("batch_tagpath", reused=True),
    when("classes", *CLASSES),
    *KEYS_HELD,
    when("classed_pairs", file_step("pair_class", standing=True)),
    when("pairs", make.lookup_held),
    when("classes", make.class_unroll),
    when("narrowed", make.slot_asked),
    make.unroll_slots,
    when("narrowed", narrow.by_candidate),
    when(
        "rest",
        when("narrowed", narrow.edge_held),
        file_step("chain_start", "rest"),
        make.chain_key,
        make.chain_end,
        make.unroll_all,
    ),
    *FROM_CANDIDATES,
)

SHARE: Listing = (
    file_step("batch_tagpath", reused=True),
    *KEYS_HELD,
    make.chain_root,
    when("narrowed", narrow.edge_held),
    make.share_equal,
    file_step("chain_start"),
    make.chain_key,
    make.chain_end,
    when("narrowed", narrow.by_candidate),
    *FROM_CANDIDATES,
)

FILTER_LISTINGS: dict[str, Listing] = {"unroll": UNROLL, "share": SHARE, "bucket": SHARE}
"""Plans by name; `bucket` starts chains at other roots (`chain_root`)."""


def filter_steps(case: FilterCase) -> Pipeline:
    """Return all steps from shredded messages to notifications of filters."""
    return steps_of(FILTER_LISTINGS[case.plan], case)
