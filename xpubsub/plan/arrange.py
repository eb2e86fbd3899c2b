"""The steps around arranging queries: what decides the order of predicates, and the summary of what came of it."""

from __future__ import annotations

from xpubsub.shred.arrange import MOST_SLOTS
from xpubsub.step import Pipeline, Step, file_step

KNOWN_BUCKET = file_step("known_bucket", reused=True)
NO_BUCKET = Step("known_bucket", "-- No row: buckets are made anew.\nselect * from predicate_bucket where false")
DECIDE: Pipeline = (
    file_step("query_constant", reused=True), file_step("common_constant"), file_step("seen_path", reused=True),
    file_step("range_constant", reused=True),
)
"""What the order of predicates is decided from; buckets known before come in between."""
NEW_BUCKET = file_step("new_bucket", reused=True)


_USED = " ".join(f"when u.key{slot} <> 0 then {slot}" for slot in range(MOST_SLOTS, 0, -1))

_ALTERNATIVES = (
    "(select q.row_no from compiled_query as q"
    " anti join compiled_part as p on p.row_no = q.row_no and p.sub_id = q.sub_id)")
NEW_SUMMARY = file_step("new_summary", cases=_USED, branches="compiled_branch", pairs=_ALTERNATIVES)
"""What the queries of a call add to the summary of the store."""
KEPT_SUMMARY = file_step(
    "new_summary", cases=_USED,
    branches="(select t.level, t.inner_at from query_branch as t semi join live_query as l on l.sub_id = t.sub_id)",
    pairs="(select t.subscription_id as row_no from subscription_query as t"
          " semi join visible as v on v.subscription_id = t.subscription_id and v.call_no = t.call_no"
          " where t.stream is not null)",
)
"""The summary of a store out of all queries that are kept."""
_STORED = "anti join query_predicate as s on s.chain_id = n.chain_id and s.pre_id = n.pre_id and s.key = n.key"
NEW_PREDICATE = file_step("new_predicate", known=_STORED)
"""The edges of a call's chains that are not stored yet."""
KEPT_PREDICATE = file_step("new_predicate", known="")
"""The edges of the chains of all queries that are kept."""
