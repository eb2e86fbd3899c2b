"""Steps for arranging queries: the data that decides the order of predicates, and the summary of the result."""

from __future__ import annotations

from xpubsub.arrange.arranger import MOST_SLOTS
from xpubsub.step import Pipeline, file_step

KNOWN_BUCKET = file_step("known_bucket", reused=True)
NO_BUCKET = file_step("known_bucket", "none")
DECIDE: Pipeline = (
    file_step("query_constant", reused=True), file_step("common_constant"), file_step("seen_path", reused=True),
    file_step("range_constant", reused=True),
)
"""The data that decides the order of predicates; stored buckets are read next, then new ones are made."""
NEW_BUCKET = file_step("new_bucket", reused=True)


_USED = " ".join(f"when u.key{slot} <> 0 then {slot}" for slot in range(MOST_SLOTS, 0, -1))
CALL_ALTERNATIVE, LIVE_ALTERNATIVE = file_step("call_alternative"), file_step("live_alternative")
LIVE_BRANCH = file_step("live_branch")
NEW_SUMMARY = file_step(
    "new_summary", cases=_USED,
    tables={"summed_branch": "compiled_branch", "summed_alternative": CALL_ALTERNATIVE.name})
"""What the queries of a call add to the store's summary."""
KEPT_SUMMARY = file_step(
    "new_summary", cases=_USED,
    tables={"summed_branch": LIVE_BRANCH.name, "summed_alternative": LIVE_ALTERNATIVE.name})
"""The summary of a store, computed from all queries to keep."""
CHAIN_EDGE, NEW_PREDICATE = file_step("chain_edge"), file_step("new_predicate")
"""The edges of the chains of arranged queries, and those that are not stored yet."""
QUERIES, BUCKETS = file_step("query_to_arrange"), file_step("bucket")
SUMMARISED = file_step("summarised")
