"""Transformations → rows: the steps that bind variables, the conditions on them, and the template of the output."""

from __future__ import annotations

import json
from dataclasses import dataclass

from xpubsub.ids import stable_id
from xpubsub.language.blocks import BOUND_NODE, BindStep, BlockTree, StepCondition
from xpubsub.language.branches import Query
from xpubsub.shred.brpred import shape_of
from xpubsub.shred.linear_paths import linear_steps, pieces
from xpubsub.shred.tagpaths import COPY, EXISTS, VALUE
from xpubsub.shred.templates import Template, template_of


@dataclass(frozen=True)
class TransformationRows:
    """All rows of one transformation."""

    tid: int
    canonical: str
    template: str
    steps: tuple[tuple[object, ...], ...]
    looks: tuple[tuple[object, ...], ...]
    """Which conditions are looked at after which step."""
    conditions: tuple[tuple[Template, int | None], ...]
    """The conditions as queries, each with its want at the node it is about."""
    linear_paths: tuple[tuple[object, ...], ...]
    brinfos: tuple[tuple[object, ...], ...]


def transformation_rows(tree: BlockTree) -> TransformationRows:
    """The rows of a compiled transformation."""
    template = json.dumps(tree.template, ensure_ascii=False, separators=(",", ":"))
    looks = tuple((each.step, sub_id_of(each.query), each.looks_at, each.negated) for each in tree.conditions)
    steps = tuple(_step(step, tree) for step in tree.steps)
    canonical = json.dumps([template, steps, looks])
    queries = dict.fromkeys(each.query for each in tree.conditions)
    paths = {step.linear_path: _use(step, tree) for step in tree.steps}
    return TransformationRows(
        stable_id("transformation", canonical), canonical, template, steps, looks,
        tuple((template_of([query]), _want(query)) for query in queries),
        tuple((path, stable_id(path), *pieces(path), use) for path, use in paths.items()),
        tuple({_brinfo(step): None for step in tree.steps}),
    )


def _step(step: BindStep, tree: BlockTree) -> tuple[object, ...]:
    path_id, brinfo_id = _brinfo(step)[1], _brinfo(step)[3]
    return (step.step, step.block, step.parent, step.after, step.depth, step.place, path_id, brinfo_id, step.base_at,
            step.hidden, step.last, step.block in tree.outermost, _access(step, tree))


def _access(step: BindStep, tree: BlockTree) -> int | None:
    """A condition by which the nodes of a first step are found: an equality if there is one."""
    if step.depth != 1 or step.place != 1 or step.base_at:
        return None
    found = [each for each in tree.conditions
             if each.step == step.step and each.looks_at == BOUND_NODE and not each.negated]
    return sub_id_of(min(found, key=_commonness).query) if found else None


def _commonness(condition: StepCondition) -> bool:
    return all(branch.test.op != "=" for branch in condition.query.branches)


def _use(step: BindStep, tree: BlockTree) -> int:
    if step.linear_path not in tree.copied:
        return EXISTS
    name = linear_steps(step.linear_path)[-1][1]
    return EXISTS | COPY | (VALUE if name == "text()" or name.startswith("@") else 0)


def _brinfo(step: BindStep) -> tuple[str, int, str, int]:
    """(linear path, its id, the base as a mark on it, the id of both)."""
    brinfo = f"bp#1={step.base_position}" if step.base_position else ""
    return step.linear_path, stable_id(step.linear_path), brinfo, stable_id(step.linear_path, brinfo)


def sub_id_of(query: Query) -> int:
    """The id of a condition."""
    return stable_id("query", query.text)


def _want(query: Query) -> int | None:
    """The bits that must be set at the node that the query is about; none if it is about the message."""
    return shape_of(query.meeting)[1][1] if all(branch.context for branch in query.branches) else None
