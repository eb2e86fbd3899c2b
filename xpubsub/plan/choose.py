"""Choosing a plan: by name, or from what the store knows, with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xpubsub.errors import Error
from xpubsub.plan.brpred import branches_by_function, branches_by_sql
from xpubsub.plan.share import bucket, share
from xpubsub.plan.unroll import unroll
from xpubsub.step import Pipeline, file_step

FILTER_PLANS = ("unroll", "share", "bucket")
OTHER_PLANS = ("f", "fw", "fwr", "no-claims", "no-schema", "sequential", "mmqjp", "mmqjp-view", "no-cache")
"""Plans of the other kinds of subscription: they may be named, and do nothing for filters."""


MATCHING = (
    "predicate_key", "predicate_pair", "predicate_unroll", "query_predicate", "query_text", "query_branch",
    "query_branchpoint", "transformation_step", "transformation_condition", "condition_query",
    "transformation_template", "template_return", "block_repeat",
    "subscription_transformation", "path_match", "tagpath_brinfo", "subscription_query", "completed_call",
    "unsubscription",
)
"""The tables of the store that matching reads."""
MANY_PATHS = 8
"""Linear paths that match a tag path, on average, from which on classes pay."""


@dataclass(frozen=True)
class Summary:
    """What a plan is chosen from: counts over the stored queries."""

    queries: int = 0
    predicates: int = 0
    """Predicates of all queries together."""
    edges: int = 0
    """Edges of their chains; fewer than predicates where chains are shared."""
    range_access: int = 0
    """Queries whose most selective predicate is not an equality."""
    long_queries: int = 0
    """Queries with more predicates than slots."""
    slots_used: int = 8
    """Slots that some query uses."""
    levels: int = 0
    """Depth of the deepest branching, 0 if no query has branches to check."""
    inner_points: int = 2
    """Points that a branch runs through, at most."""
    alternatives: int = 1
    """Subscriptions with `or`: several queries may notify them of the same message."""
    texts: int = 1
    """Predicates on texts that no key stands for, like `contains()`."""
    transformations: int = 0
    correlations: int = 0
    pairs: int = 0
    """Keys that stand for two ranges."""
    tagpaths: int = 0
    path_matches: int = 0
    """Tag paths, and their matches with linear paths."""

    @property
    def nodes_asked(self) -> bool:
        """Whether more is asked of messages than which keys hold in them."""
        return bool(self.levels or self.texts or self.classes or self.nodes_bound)

    @property
    def nodes_bound(self) -> bool:
        """Whether variables are bound to nodes, by transformations or correlations."""
        return bool(self.transformations or self.correlations)

    @property
    def classes(self) -> bool:
        """Whether so many linear paths match a tag path that they are better put into classes."""
        return self.path_matches > MANY_PATHS * max(self.tagpaths, 1)


@dataclass(frozen=True)
class Choice:
    """A plan and why it was taken."""

    plan: str
    reason: str


def choose(asked: str, summary: Summary) -> Choice:
    """The plan for filters among those asked for; `auto` decides by statistics."""
    names = [name.strip() for name in asked.split(",")]
    for name in names:
        if name not in (*FILTER_PLANS, *OTHER_PLANS, "auto"):
            known = ", ".join(("auto", *FILTER_PLANS))
            raise Error(f"there is no plan {name!r}: the plans are {known}")
    named = named_plan(asked, FILTER_PLANS)
    return Choice(named, "asked for by name") if named else _automatic(summary)


def named_plan(asked: str, plans: Sequence[str]) -> str | None:
    """The one plan of a kind of subscription that is asked for by name, if any."""
    named = [name for name in map(str.strip, asked.split(",")) if name in plans]
    if len(named) > 1:
        raise Error(f"{' and '.join(named)} are plans for the same kind of subscription: name one")
    return named[0] if named else None


def _automatic(summary: Summary) -> Choice:
    queries = max(summary.queries, 1)
    if summary.range_access > 0.5 * queries and summary.queries > 1000:
        share_of = 100 * summary.range_access // queries
        return Choice("bucket", f"{share_of}% of {summary.queries} queries have no equality predicate to start from")
    if summary.predicates > 1000 and summary.edges < 0.1 * summary.predicates:
        return Choice("share", f"{summary.predicates} predicates share {summary.edges} chain edges")
    or_pairs = " or from two ranges at once" if summary.pairs else ""
    return Choice("unroll", f"{summary.queries} queries mostly start from a selective equality predicate{or_pairs}")


def filter_pipeline(
    plan: str, summary: Summary, *, branches_in_sql: bool, given: Pipeline | None = None, searched: bool = False
) -> Pipeline:
    """All steps from shredded messages to notifications; `given` are those for keys that are known to hold.

    Transformations read at which nodes branches hold: with them the branches are always checked by SQL. Where their
    conditions on nodes are searched for they are left out.
    """
    found = _candidates(plan, summary, given)
    if searched:
        found = (*found, file_step("candidate_asked", tables={"candidate": found[-1].name}))
    *before, last = found
    candidate = {"candidate": last.name}
    notification = file_step("notification", distinct="distinct" if summary.alternatives else "")
    tail = (file_step("gone"), notification)
    if not summary.levels:
        matched = file_step("matched", "unbranched", reused=summary.nodes_bound, tables=candidate)
        return (*before, replace(last, reused=False), matched, *tail)
    in_sql = branches_in_sql or summary.nodes_bound
    branches = (branches_by_sql(last.name, summary.levels, summary.inner_points) if in_sql
                else branches_by_function(last.name))
    matched = file_step("matched", reused=summary.nodes_bound, tables=candidate)
    return (*before, replace(last, reused=True), *branches, matched, *tail)


def _candidates(plan: str, summary: Summary, given: Pipeline | None) -> Pipeline:
    texts = summary.texts > 0
    if plan == "unroll":
        rest, pairs, classes = summary.long_queries > 0, summary.pairs > 0, summary.classes
        return unroll(summary.slots_used, rest=rest, texts=texts, pairs=pairs, classes=classes, given=given)
    return share(texts=texts) if plan == "share" else bucket(texts=texts)
