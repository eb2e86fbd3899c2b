"""Chooses a plan, by name or from statistics of the store, and gives the reason."""

from __future__ import annotations

from dataclasses import dataclass

from xpubsub.plan.request import NO_CLAIMS, NO_CONTEXT, NO_SCHEMA, PARTITION, SQL, PlanRequest
from xpubsub.plan.summary import Summary
from xpubsub.plan.transform_case import Sharing

_SHARED = {"f": Sharing(conditions=False, returns=False), "fw": Sharing(returns=False), "fwr": Sharing()}
_NAMED = "asked for by name"


@dataclass(frozen=True)
class Choice:
    """A plan and the reason for it."""

    plan: str
    reason: str


@dataclass(frozen=True)
class TransformationChoice:
    """A plan for transformations, and whether it uses claims on paths and the schema."""

    choice: Choice
    sharing: Sharing
    claims: bool = True
    schema: bool = True
    context: bool = True
    """Whether each batch is looked at: where its data is not recursive, no duplicates are removed."""


def choose(request: PlanRequest, summary: Summary) -> Choice:
    """Choose the plan for filters: the requested one, or by statistics."""
    return Choice(request.filters, _NAMED) if request.filters else _by_statistics(summary)


def _by_statistics(summary: Summary) -> Choice:
    queries = max(summary.queries, 1)
    if summary.range_lookup > 0.5 * queries and summary.queries > 1000:
        share_of = 100 * summary.range_lookup // queries
        return Choice("bucket", f"{share_of}% of {summary.queries} queries have no equality predicate to start from")
    if summary.predicates > 1000 and summary.edges < 0.1 * summary.predicates:
        return Choice("share", f"{summary.predicates} predicates share {summary.edges} chain edges")
    or_pairs = " or from two ranges at once" if summary.pairs else ""
    return Choice("unroll", f"{summary.queries} queries mostly start from a selective equality predicate{or_pairs}")


def choose_on_spark(request: PlanRequest, size: int, most: int) -> Choice:
    """Choose between the plans for Spark, by the size of the store's snapshot in bytes."""
    if request.spark:
        return Choice(request.spark, _NAMED)
    shown = f"the store's snapshot has {size / 1e6:.1f} MB, of {most / 1e6:.0f} that a worker may open"
    if size > most:
        return Choice(SQL, f"{shown}: Spark SQL joins messages with the tables")
    return Choice(PARTITION, f"{shown}: each worker matches its part of the messages")


def choose_transformation(request: PlanRequest, summary: Summary) -> TransformationChoice | None:
    """Choose the plan for transformations (Diao 2003): what they share, and which claims are used."""
    if not summary.transformations:
        return None
    shared = f"{summary.transformations} transformations share the nodes of returned paths"
    choice = Choice(request.transformations, _NAMED) if request.transformations else Choice("fwr", shared)
    claims = NO_CLAIMS not in request.omitted
    schema, context = (claims and each not in request.omitted for each in (NO_SCHEMA, NO_CONTEXT))
    return TransformationChoice(choice, _SHARED[choice.plan], claims, schema, context)


def combined(filters: Choice, transformation: TransformationChoice | None) -> Choice:
    """Return the choices for filters and transformations as one."""
    if transformation is None:
        return filters
    chosen = transformation.choice
    return Choice(f"{filters.plan},{chosen.plan}", f"{filters.reason}; {chosen.reason}")
