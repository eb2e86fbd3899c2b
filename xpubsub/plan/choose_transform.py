"""Choosing a plan for transformations: how much of them is shared (Diao 2003), and which claims are made use of."""

from __future__ import annotations

from dataclasses import dataclass

from xpubsub.plan.choose import Choice, Summary, named_plan
from xpubsub.plan.transform import Sharing

TRANSFORM_PLANS = ("f", "fw", "fwr")
NO_CLAIMS, NO_SCHEMA = "no-claims", "no-schema"
"""Added to a plan: everything is made distinct; or what schemas say of messages is not made use of."""
_SHARED = {"f": Sharing(conditions=False, returns=False), "fw": Sharing(returns=False), "fwr": Sharing()}


@dataclass(frozen=True)
class TransformChoice:
    """A plan for transformations."""

    choice: Choice
    sharing: Sharing
    claims: bool = True
    schema: bool = True


def choose_transform(asked: str, summary: Summary) -> TransformChoice:
    """The plan for transformations among those asked for."""
    names = [name.strip() for name in asked.split(",")]
    named = named_plan(asked, TRANSFORM_PLANS)
    choice = Choice(named, "asked for by name") if named else _automatic(summary)
    claims = NO_CLAIMS not in names
    return TransformChoice(choice, _SHARED[choice.plan], claims, claims and NO_SCHEMA not in names)


def _automatic(summary: Summary) -> Choice:
    return Choice("fwr", f"{summary.transformations} transformations share the nodes of returned paths")


def searched(transform: TransformChoice | None, summary: Summary) -> bool:
    """Whether no step asks at which nodes conditions hold: they are searched for, and there are no correlations."""
    return transform is not None and not transform.sharing.conditions and not summary.correlations


def both(filters: Choice, transform: TransformChoice | None) -> Choice:
    """What was chosen, for all kinds of subscription together."""
    if transform is None:
        return filters
    chosen = transform.choice
    return Choice(f"{filters.plan},{chosen.plan}", f"{filters.reason}; {chosen.reason}")
