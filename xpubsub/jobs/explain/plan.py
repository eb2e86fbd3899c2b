"""The plan as text: its name, the reason for it, and the SQL of each step as the engine runs it."""

from __future__ import annotations

import sqlglot

from xpubsub.jobs.publish.planning import PublishPlan
from xpubsub.step import Step, file_step
from xpubsub.store.store import Store


def explain_plan(plan: PublishPlan) -> str:
    """Return what `publish` would run, as text."""
    store, steps = plan.known.store, plan.all_steps()
    head = [f"plan: {plan.choice.plan} ({plan.choice.reason})", f"steps: {' → '.join(step.name for step in steps)}",
            _positions(store), *plan.reasons()]
    return "\n\n".join(["\n".join(head), *(_step_text(store, step) for step in steps)])


def _positions(store: Store) -> str:
    """Say how nodes along a path are found (Wei 2006)."""
    [counts] = store.rows(file_step("position_array"))
    plain = f"{counts['plain']} pairs of a tag path and a path are plain columns (one position array each)"
    return f"positions: {plain}, {counts['recursive']} are unnested (several arrays: recursive elements)"


def _step_text(store: Store, step: Step) -> str:
    dialect = store.engine.DIALECT
    sql = sqlglot.transpile(store.engine.sql(step), read=dialect, write=dialect, pretty=True)[0]
    return f"== {step.name}\n{sql}" + (f"\n-- handed to {step.function}" if step.function else "")
