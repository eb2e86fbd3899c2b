"""The plan as text: which one, why, and each step's SQL as the engine runs it."""

from __future__ import annotations

from dataclasses import replace

import sqlglot

from xpubsub.jobs.correlating import load_correlating
from xpubsub.jobs.transforming import load_transforming
from xpubsub.limits import Limits
from xpubsub.plan.choose import Summary, choose, filter_pipeline
from xpubsub.plan.choose_transform import both, choose_transform, searched
from xpubsub.plan.slices import with_slices
from xpubsub.plan.transform import FunctionStep, Steps
from xpubsub.step import Step, file_step
from xpubsub.store.store import Store


def explain_plan(store: Store, summary: Summary, plan: str, limits: Limits) -> str:
    """What `publish` would do."""
    choice = choose(plan, summary)
    transform = choose_transform(plan, summary) if summary.transformations else None
    in_sql = store.engine.BRPRED_IN_SQL
    steps: Steps = filter_pipeline(
        choice.plan, summary, branches_in_sql=in_sql, searched=searched(transform, summary))
    reasons = [_positions(store)]
    if transform is not None:
        transforming = load_transforming(store, summary)
        carried_out = transforming.plan(transform, conforming=transforming.schema is not None)
        steps = (*steps[:-1], *carried_out.all_steps(_sql_step(steps[-1])))
        reasons += transforming.reasons(carried_out)
    if summary.correlations:
        slices = with_slices(plan, limits.slice_cache)
        steps = (*steps, *load_correlating(store, summary).all_steps(plan, slices=slices))
    chosen = both(choice, transform)
    head = [f"plan: {chosen.plan} ({chosen.reason})", f"steps: {' → '.join(step.name for step in steps)}", *reasons]
    return "\n\n".join(["\n".join(head), *(_step_text(store, step) for step in steps)])


def _positions(store: Store) -> str:
    """How nodes on the way are found (Wei 2006)."""
    [counts] = store.rows(file_step("position_array"))
    plain = f"{counts['plain']} pairs of a tag path and a path are plain columns (one position array each)"
    return f"positions: {plain}, {counts['recursive']} are unnested (several: elements in their like)"


def _sql_step(step: Step | FunctionStep) -> Step:
    return step.source if isinstance(step, FunctionStep) else step


def _step_text(store: Store, step: Step | FunctionStep) -> str:
    if isinstance(step, FunctionStep):
        return f"{_step_text(store, replace(step.source, name=step.name))}\n-- handed to {step.function}"
    dialect = store.engine.DIALECT
    return f"== {step.name}\n{sqlglot.transpile(store.engine.sql(step), read=dialect, write=dialect, pretty=True)[0]}"
