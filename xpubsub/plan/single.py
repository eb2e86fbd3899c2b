"""Point lookups for a single message: the numbers to look up are parameters, a constant for each."""

from __future__ import annotations

from functools import cache

from xpubsub.step import Step

MOST_LOOKUPS = 4
"""Keys to look up beyond which the joins are the better way."""


@cache
def found_queries(keys: int, slots: int) -> Step:
    """One row: a query that is found by one of some keys, with its slots."""
    columns = "".join(f", key{slot}, bound{slot}" for slot in range(1, slots + 1))
    return _each("found_queries", f"select sub_id{columns} from predicate_unroll where access = ?", keys)


@cache
def subscribers(keys: int) -> Step:
    """One row: a subscription whose query is found by one of some keys."""
    select = "select sub_id, subscription_id, call_no, stream from access_subscription where access = ?"
    return _each("subscribers", select, keys)


def _each(name: str, select: str, times: int) -> Step:
    """The same lookup several times: a constant finds its place in a sorted table, a list of them does not."""
    return Step(name, " union all ".join([select] * times))
