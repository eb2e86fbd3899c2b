"""The `share` and `bucket` plans: chains of predicates that queries share, walked by recursion (section 4.2)."""

from __future__ import annotations

from xpubsub.shred.arrange import BUCKET_ROOT, RANGE_ROOT, SHARE_ROOT
from xpubsub.step import Pipeline, Step, file_step


def share() -> Pipeline:
    """Candidates by shared chains, equality predicates first."""
    return _chains(RANGE_ROOT)


def bucket() -> Pipeline:
    """The same, but chains with a range predicate start in one of few buckets."""
    return _chains(BUCKET_ROOT)


def _chains(ranges: int) -> Pipeline:
    return (
        file_step("path_tuple", reused=True),
        file_step("path_key", reused=True),
        chain_root(SHARE_ROOT, ranges),
        file_step("share_equal"),
        file_step("chain_start"),
        file_step("candidate", file="share_other", reused=True),
    )


def chain_root(*roots: int) -> Step:
    """One row: a root from which chains start."""
    values = ", ".join(f"({root})" for root in roots)
    header = "-- One row: a root from which chains start."
    select = f"select cast(v.chain_id as bigint) as chain_id from (values {values}) as v(chain_id)"
    return Step("chain_root", f"{header}\n{select}")
