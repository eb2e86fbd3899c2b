"""Point lookups for a single message: the number to look up is a parameter, so that the SQL stays the same."""

from __future__ import annotations

from functools import cache

from xpubsub.step import Step, file_step

MOST_LOOKUPS = 4
"""Keys to look up beyond which the joins are the better way."""


@cache
def found_queries(slots: int) -> Step:
    """One row: a query that is found by a key, with its slots."""
    columns = "".join(f", key{slot}, bound{slot}" for slot in range(1, slots + 1))
    header = "-- One row: a query that is found by a key, with its slots."
    return Step("found_queries", f"{header}\nselect query_id{columns} from predicate_unroll where lookup_key = ?")


FOUND_SUBSCRIBERS = file_step("found_subscriber")
"""The subscriptions whose queries are found by a key."""
