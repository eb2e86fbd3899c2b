"""Explains why a transformation has an output for one message, or which binding failed which condition."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pyarrow as pa

from xpubsub.compile.transformations import query_id_of
from xpubsub.jobs.explain.alone import rejected, store_of
from xpubsub.jobs.explain.explanation import BranchReport, Explanation, QueryReport
from xpubsub.jobs.publish.messages import Batch
from xpubsub.jobs.publish.publisher import Publisher
from xpubsub.jobs.publish.result import Result
from xpubsub.language.flwr.blocks import BindStep, BlockTree, StepCondition
from xpubsub.language.xquery.compiled import read_transformation
from xpubsub.limits import Limits
from xpubsub.plan.transform import bound_counts
from xpubsub.store.listing import Shown
from xpubsub.store.store import Store

_PLACE = re.compile(r"\{\d+:[^}]*\}")


def explain_transformation(shown: Shown, xml: str | bytes, limits: Limits) -> Explanation:
    """Run the transformation in a temporary store, and report what each step has bound."""
    tree, _ = read_transformation(shown.text, shown.namespaces, limits)
    with (
        store_of(shown, limits) as store,
        Publisher(store, limits).matched(Batch([("message", xml)], shown.stream)) as result,
    ):
        if (refused := rejected(result)) is not None:
            return Explanation(shown.subscription_id, shown.text, False, unreadable=refused)
        return _explanation(shown, result, tree, store)


def _explanation(shown: Shown, result: Result, tree: BlockTree, store: Store) -> Explanation:
    matches = result.notifications.num_rows > 0
    chains = tuple(QueryReport(_bound_last(reports), tuple(reports)) for reports in _chains(tree, store))
    return Explanation(shown.subscription_id, shown.text, matches, chains)


def _bound_last(reports: list[BranchReport]) -> bool:
    return all(report.holds for report in reports)


def _chains(tree: BlockTree, store: Store) -> Iterator[list[BranchReport]]:
    """Yield, for each chain of an outermost `for`, its steps and the conditions on them."""
    reports: list[BranchReport] = []
    for step in tree.steps:
        if step.block in tree.outermost:
            conditions = [each for each in tree.conditions if each.step == step.step]
            reports.extend(_step(step, conditions, store))
            if step.last:
                yield reports
                reports = []


def _step(step: BindStep, conditions: list[StepCondition], store: Store) -> Iterator[BranchReport]:
    count, failures = (store.engine.fetch(each) for each in bound_counts(step))
    bound = int(count["bound"][0].as_py())
    detail = f"{bound} node{'s' * (bound != 1)} bound" if bound else "nothing is bound"
    yield BranchReport(f"for {step.linear_path}", bool(bound), bound, bound, detail)
    for condition in conditions:
        yield _condition(condition, failures)


def _condition(condition: StepCondition, failures: pa.Table) -> BranchReport:
    text = ("not " if condition.negated else "") + _PLACE.sub("", condition.query.text)
    key = (condition.step, query_id_of(condition.query), condition.looks_at, condition.negated)
    for row in failures.to_pylist():
        if (row["step"], row["query_id"], row["looks_at"], row["negated"]) == key:
            held = row["bound"] - int(row["failed"])
            return BranchReport(text, held > 0, row["bound"], held, f"holds at {held} of {row['bound']}")
    return BranchReport(text, False, 0, 0, "holds at no node")
