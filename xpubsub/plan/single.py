"""Point lookups for a single message: the number to look up is a parameter, so that the SQL stays the same."""

from __future__ import annotations

from functools import cache

from xpubsub.step import Step

MOST_LOOKUPS = 4
"""Keys to look up beyond which the joins are the better way."""


@cache
def found_queries(slots: int) -> Step:
    """One row: a query that is found by a key, with its slots."""
    columns = "".join(f", key{slot}, bound{slot}" for slot in range(1, slots + 1))
    return Step("found_queries", f"select sub_id{columns} from predicate_unroll where access = ?")


FOUND_SUBSCRIBERS = Step(
    "found_subscribers",
    "select sub_id, subscription_id, call_no, stream from access_subscription where access = ?")
"""One row: a subscription whose query is found by a key."""
