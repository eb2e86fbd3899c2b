"""Point lookups for a single message. The key is a parameter, so that the SQL stays the same."""

from __future__ import annotations

from functools import cache

from xpubsub.step import Step, file_step

MOST_LOOKUPS = 4
"""The number of keys up to which lookups are faster than joins."""


@cache
def found_queries(slots: int) -> Step:
    """Return the step to the queries with a lookup key, and their slots."""
    columns = "".join(f", key{slot}, bound{slot}" for slot in range(1, slots + 1))
    header = "-- One row: a query with the given lookup key, and its slots."
    return Step("found_queries", f"{header}\nselect query_id{columns} from predicate_unroll where lookup_key = ?")


FOUND_SUBSCRIBERS = file_step("found_subscriber")
"""The subscriptions whose queries have a lookup key."""
