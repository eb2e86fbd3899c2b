"""The plan as text: which one, why, and each step's SQL as the engine runs it."""

from __future__ import annotations

import sqlglot

from xpubsub.jobs.transforming import load_transforming
from xpubsub.plan.choose import Summary, choose, filter_pipeline
from xpubsub.step import Step
from xpubsub.store.store import Store


def explain_plan(store: Store, summary: Summary, plan: str) -> str:
    """What `publish` would do."""
    choice = choose(plan, summary)
    steps = filter_pipeline(choice.plan, summary, branches_in_sql=store.engine.BRPRED_IN_SQL)
    if summary.transformations:
        *before, filtered = steps
        steps = (*before, *load_transforming(store, summary).all_steps(filtered))
    head = f"plan: {choice.plan} ({choice.reason})\nsteps: {' → '.join(step.name for step in steps)}"
    return "\n\n".join([head, *(_step_text(store, step) for step in steps)])


def _step_text(store: Store, step: Step) -> str:
    dialect = store.engine.DIALECT
    return f"== {step.name}\n{sqlglot.transpile(store.engine.sql(step), read=dialect, write=dialect, pretty=True)[0]}"
