"""Parses `plan=`: at most one plan for each kind of subscription, and the optimisations to leave out."""

from __future__ import annotations

from dataclasses import dataclass

from xpubsub.errors import Error

AUTO = "auto"
FILTER_PLANS = ("unroll", "share", "bucket")
TRANSFORMATION_PLANS = ("f", "fw", "fwr")
CORRELATION_PLANS = ("mmqjp-view", "mmqjp", "sequential")
NO_CLAIMS, NO_SCHEMA, NO_CONTEXT, NO_CACHE = OMISSIONS = ("no-claims", "no-schema", "no-context", "no-cache")
"""Optimisations that can be left out: claims on paths, schemas, looking whether a batch is recursive, slices kept
between batches."""
PARTITION, SQL = SPARK_PLANS = ("partition", "sql")
"""On Spark: each worker matches its part of the messages with a snapshot of the store, or Spark SQL joins all."""
PLANS = {"filters": FILTER_PLANS, "transformations": TRANSFORMATION_PLANS, "correlations": CORRELATION_PLANS,
         "spark": SPARK_PLANS}


@dataclass(frozen=True)
class PlanRequest:
    """The plans requested by name; None lets the store decide."""

    filters: str | None = None
    transformations: str | None = None
    correlations: str | None = None
    spark: str | None = None
    omitted: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, text: str) -> PlanRequest:
        """Parse `auto`, or names separated by commas: `unroll,fwr,mmqjp`."""
        names = [name.strip() for name in text.split(",")]
        for name in names:
            if not any(name in plans for plans in (*PLANS.values(), OMISSIONS, (AUTO,))):
                raise Error(f"there is no plan {name!r}: {described()}")
        chosen = {kind: _one(kind, [name for name in names if name in plans]) for kind, plans in PLANS.items()}
        return cls(**chosen, omitted=frozenset(names) & frozenset(OMISSIONS))


AUTOMATIC = PlanRequest()
"""A request without any named plan."""


def described() -> str:
    """Return all names of plans, for errors and for help."""
    kinds = "; ".join(f"{', '.join(plans)} for {kind.replace('spark', 'Spark')}" for kind, plans in PLANS.items())
    return f"the plans are {AUTO}; {kinds}; {', '.join(OMISSIONS)} may be added"


def _one(kind: str, named: list[str]) -> str | None:
    if len(set(named)) > 1:
        raise Error(f"{' and '.join(named)} are both plans for {kind}: choose one")
    return named[0] if named else None
