"""The steps around arranging queries: what decides the order of predicates, and the rows that come of it."""

from __future__ import annotations

from xpubsub.shred.arrange import MOST_SLOTS
from xpubsub.step import Pipeline, Step, file_step

KNOWN_BUCKET = file_step("known_bucket", reused=True)
NO_BUCKET = Step("known_bucket", "-- No row: buckets are made anew.\nselect * from predicate_bucket where false")
DECIDE: Pipeline = (file_step("query_constant", reused=True), file_step("seen_path", reused=True))
"""What the order of predicates is decided from; buckets known before come in between."""
NEW_BUCKET = file_step("new_bucket", reused=True)


def unrolled() -> Step:
    """The arranged queries with their slots side by side."""
    numbers = range(1, MOST_SLOTS + 1)
    extracts = ", ".join(f"list_extract(a.slots, {n}) as slot{n}" for n in numbers)
    slots = ", ".join(
        f"s.slot{n}.linear_path_id as path{n}, s.slot{n}.op as op{n}, s.slot{n}.value as value{n},"
        f" s.slot{n}.number as number{n}" for n in numbers
    )
    return Step("unrolled", f"""
        -- One row: an arranged query with its predicates side by side.
        select s.sub_id, s.final, s.chain_id, {slots}
        from (select a.sub_id, a.final, a.chain_id, {extracts} from arranged as a) as s
    """)


ARRANGED_ROWS: Pipeline = (unrolled(), file_step("arranged_edge"))
"""From `arranged` to the rows of `predicate_unroll` and `query_predicate`."""
