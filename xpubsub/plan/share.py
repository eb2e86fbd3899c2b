"""The `share` and `bucket` plans: chains of predicates that queries share, walked by recursion (section 4.2)."""

from __future__ import annotations

from xpubsub.plan.keys import keys_held, texts_tested, walked
from xpubsub.shred.arrange import BUCKET_ROOT, RANGE_ROOT, SHARE_ROOT
from xpubsub.shred.keys import OTHER
from xpubsub.step import Pipeline, Step, file_step


def share(*, texts: bool = True) -> Pipeline:
    """Candidates by shared chains, equality predicates first."""
    return _chains(RANGE_ROOT, texts)


def bucket(*, texts: bool = True) -> Pipeline:
    """The same, but chains that start with a range predicate start in one of few buckets."""
    return _chains(BUCKET_ROOT, texts)


def _chains(ranges: int, texts: bool) -> Pipeline:
    roots = (chain_root(SHARE_ROOT, ranges), file_step("share_equal"), file_step("chain_start"))
    return texts_tested((*keys_held(), *roots, *walked(OTHER)), texts)


def chain_root(*roots: int) -> Step:
    """One row: a root from which chains start."""
    values = ", ".join(f"({root})" for root in roots)
    header = "-- One row: a root from which chains start."
    select = f"select cast(v.chain_id as bigint) as chain_id from (values {values}) as v(chain_id)"
    return Step("chain_root", f"{header}\n{select}")
