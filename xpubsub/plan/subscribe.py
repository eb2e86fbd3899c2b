"""The steps of subscribing: from compiled subscriptions to the rows that each table lacks."""

from __future__ import annotations

from xpubsub.shred.arrange import MOST_SLOTS
from xpubsub.step import Pipeline, Step, file_step

CHECK: Pipeline = (file_step("gone"), file_step("visible"))
"""What is visible before the call."""

NEW: Pipeline = (
    file_step("compiled_new"),
    file_step("new_query"),
    file_step("call_linear_path"),
    file_step("call_brinfo"),
    file_step("new_linear_path"),
    file_step("new_brinfo"),
)
"""What the call brings that the store lacks."""

ARRANGE: Pipeline = (file_step("query_constant"), file_step("seen_path"), file_step("new_bucket"))
"""What the order of predicates is decided from."""

PATHS: tuple[tuple[str, Step], ...] = (
    ("path_match", file_step("new_path_match")),
    ("tagpath_brinfo", file_step("new_tagpath_brinfo")),
)
"""Path matches come before the paths themselves: a path that is known has all its matches."""


def predicate_unroll() -> Step:
    """One row: a query of this call with its slots side by side."""
    slots = [
        f"s.slot{n}.linear_path_id as path{n}, s.slot{n}.op as op{n}, s.slot{n}.value as value{n}, s.slot{n}.number as number{n}"
        for n in range(1, MOST_SLOTS + 1)
    ]
    extracts = ", ".join(f"list_extract(a.slots, {n}) as slot{n}" for n in range(1, MOST_SLOTS + 1))
    return Step("new_unroll", f"""
        -- One row: a query of this call with its predicates side by side.
        select s.sub_id, s.final, s.chain_id, {", ".join(slots)}
        from (select a.sub_id, a.final, a.chain_id, {extracts} from arranged as a) as s
        anti join predicate_unroll as u on u.sub_id = s.sub_id
    """)


APPENDS: tuple[tuple[str, Step], ...] = (
    *PATHS,
    ("query_linear_path", Step("new_linear_path_row", "select * from new_linear_path")),
    ("linear_path_use", file_step("new_use")),
    ("linear_path_brinfo", Step("new_brinfo_row", "select * from new_brinfo")),
    ("query_branch", file_step("new_branch")),
    ("query_branchpoint", file_step("new_branchpoint")),
    ("predicate_bucket", Step("new_bucket_row", "select * from new_bucket")),
    ("query_predicate", file_step("new_predicate")),
    ("predicate_unroll", predicate_unroll()),
    ("stored_query", Step("new_query_row", "select * from new_query")),
    ("subscription_query", file_step("new_subscription_query")),
    ("subscription", file_step("new_subscription")),
)
"""Table by table in the order of writing: whatever stops it, nothing is visible that is not complete."""
