"""Compiles transformations to rows: the steps that bind variables, their conditions, and the output template."""

from __future__ import annotations

import json
from dataclasses import dataclass

from xpubsub.compile.row_types import (
    BrinfoRow,
    ConditionRow,
    PathRow,
    RepeatRow,
    ReturnRow,
    StepRow,
    TransformationRow,
    ValueRow,
    based_row,
    path_row,
)
from xpubsub.compile.shapes import ShapeTemplate, shape_template
from xpubsub.ids import stable_id
from xpubsub.language.flwr.blocks import BOUND_NODE, BindStep, BlockTree, StepCondition
from xpubsub.language.xpath.branches import Query
from xpubsub.language.xpath.linear import linear_steps
from xpubsub.match.brpred import shape_of
from xpubsub.match.uses import COPY, EXISTS, VALUE
from xpubsub.output.templates import returned_id


@dataclass(frozen=True)
class TransformationRows:
    """All rows of one transformation."""

    transformation_id: int
    transformation: TransformationRow
    steps: tuple[StepRow, ...]
    looks: tuple[ConditionRow, ...]
    """Which conditions are evaluated after which step."""
    conditions: tuple[tuple[ShapeTemplate, int | None], ...]
    """The conditions as queries, each with the bits that must be set at its node."""
    linear_paths: tuple[PathRow, ...]
    brinfos: tuple[BrinfoRow, ...]
    returns: tuple[ReturnRow, ...]
    repeats: tuple[RepeatRow, ...]
    values: tuple[ValueRow, ...] = ()


def transformation_rows(tree: BlockTree) -> TransformationRows:
    """Return the rows of a transformation."""
    template = json.dumps(tree.template, ensure_ascii=False, separators=(",", ":"))
    looks = tuple(
        ConditionRow(each.step, query_id_of(each.query), each.looks_at, each.negated) for each in tree.conditions)
    steps = tuple(_step(step, tree) for step in tree.steps)
    canonical = json.dumps([template, steps, looks])
    queries = dict.fromkeys(each.query for each in tree.conditions)
    bases = dict.fromkeys([*((step.linear_path, step.base_position) for step in tree.steps), *tree.returned])
    paths = dict.fromkeys(path for path, _ in bases)
    made_of = json.dumps([template])
    return TransformationRows(
        stable_id("transformation", canonical),
        TransformationRow(canonical, stable_id("template", made_of), made_of), steps, looks,
        tuple((shape_template([query]), want_of(query)) for query in queries),
        tuple(path_row(path, _use(path, tree)) for path in paths),
        tuple(based_row(path, base) for path, base in bases),
        tuple(ReturnRow(stable_id(path), returned_id(path, base)) for path, base in tree.returned),
        tuple(RepeatRow(block, stable_id(path) if path else None, base) for block, path, base in tree.repeats),
        tuple(ValueRow(stable_id(path), path in tree.named) for path in sorted(tree.valued | tree.named)),
    )


def _step(step: BindStep, tree: BlockTree) -> StepRow:
    return StepRow(
        step=step.step, block=step.block, parent=step.parent, after=step.after, depth=step.depth, place=step.place,
        linear_path_id=stable_id(step.linear_path), brinfo_id=returned_id(step.linear_path, step.base_position),
        base_at=step.base_at, hidden=step.hidden, last=step.last, outermost=step.block in tree.outermost,
        found_by=_access(step, tree),
    )


def _access(step: BindStep, tree: BlockTree) -> int | None:
    """Return a condition by which the nodes of a first step are found, if possible an equality."""
    if step.depth != 1 or step.place != 1 or step.base_at:
        return None
    found = [each for each in tree.conditions
             if each.step == step.step and each.looks_at == BOUND_NODE and not each.negated]
    return query_id_of(min(found, key=_commonness).query) if found else None


def _commonness(condition: StepCondition) -> bool:
    return all(branch.test.op != "=" for branch in condition.query.branches)


def _use(path: str, tree: BlockTree) -> int:
    used = copy_use(path) if path in tree.copied else EXISTS
    return used | VALUE if path in tree.valued else used


def copy_use(path: str) -> int:
    """Return how the nodes of a copied path are used; of attributes and text nodes it is the value."""
    name = linear_steps(path)[-1][1]
    return EXISTS | COPY | (VALUE if name == "text()" or name.startswith("@") else 0)


def query_id_of(query: Query) -> int:
    """Return the id of a condition."""
    return stable_id("query", query.text)


def want_of(query: Query) -> int | None:
    """Return the bits that must be set at the query's node; None if the query is about the whole message."""
    return shape_of(query.meeting)[1][1] if all(branch.context for branch in query.branches) else None
