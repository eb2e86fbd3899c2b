"""Transformations (Diao 2003): path tuples of `for` paths, conditions on them, and what returned paths lead to.

The three approaches differ in what they share. PathSharing-F shares the paths of `for` alone: conditions are looked
at and returned paths are followed by tree search, tuple by tuple. PathSharing-FW shares the conditions, too;
PathSharing-FWR also the returned paths, whose nodes are grouped once for all templates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xpubsub.language.blocks import BindStep
from xpubsub.plan.facts import fact_steps
from xpubsub.step import Pipeline, Step, file_step

Places = Mapping[int, int]
"""For each depth of blocks the length of the longest chain of steps; none where nothing can be bound."""
WHERE_FILTER, FACTORY = "where_filter", "factory"


@dataclass(frozen=True)
class Sharing:
    """What a plan for transformations shares, and where it removes duplicates although there may be none."""

    conditions: bool = True
    returns: bool = True
    repeats: bool | None = None
    """Whether tuples are made distinct: of no block, of all, or (None) of those that may repeat."""


@dataclass(frozen=True)
class FunctionStep:
    """A relation that a function of Python makes of another."""

    name: str
    source: Step
    function: str


Steps = tuple[Step | FunctionStep, ...]


def transformation_steps(places: Places, levels: int, sharing: Sharing) -> Steps:
    """All steps from conditions to outputs."""
    depths = range(1, max(places, default=1) + 1)
    bound = tuple(step for depth in depths for step in _depth(depth, places.get(depth, 1), sharing))
    repeats = (file_step("may_repeat", reused=True),) if sharing.repeats is None else ()
    return (
        *fact_steps(levels, at_nodes=sharing.conditions), *_paths(sharing), *repeats, *bound, file_step("transformed"),
        file_step("bound", reused=True, tuples=_tuples(depths)), file_step("made"), *_outputs(sharing),
    )


def _paths(sharing: Sharing) -> Pipeline:
    searched = () if sharing.conditions and sharing.returns else (file_step("searched_node", reused=True),)
    return (*searched, file_step("path_tuple", reused=True, distinct="distinct" if sharing.repeats else ""))


def _outputs(sharing: Sharing) -> Steps:
    if not sharing.returns:
        nodes = file_step(
            "produced", tables={"returned": "searched_node"}, fields="tagpath := tagpath, idpath := idpath")
        return (FunctionStep("output", nodes, FACTORY),)
    tuples = file_step("return_tuple", distinct="distinct" if sharing.repeats else "")
    groups = file_step("produced", fields="brinfo_id := brinfo_id, base := base, nodes := nodes")
    return (tuples, file_step("returned"), FunctionStep("output", groups, FACTORY))


def _depth(depth: int, places: int, sharing: Sharing) -> Iterator[Step | FunctionStep]:
    """The steps of all blocks of a depth, place by place in their chains; then what they have bound."""
    for place in range(1, places + 1):
        suffix = f"_{depth}_{place}"
        yield _bound(suffix, depth, place, sharing)
        yield _failed(suffix, sharing)
        tables = {"bind_bound": f"bind_bound{suffix}", "bind_failed": f"bind_failed{suffix}"}
        yield file_step("bind_holds", suffix=suffix, reused=True, tables=tables)
    chains = " union all ".join(
        f"select event_id, tid, block, outermost, nodes from bind_holds_{depth}_{place} where last"
        for place in range(1, places + 1))
    yield _distinct(f"_{depth}", chains, sharing)


def _distinct(suffix: str, chains: str, sharing: Sharing) -> Step:
    """The tuples of a depth, each once."""
    columns = "b.event_id, b.tid, b.block, b.outermost, b.nodes, cast(0 as integer) as node"
    if sharing.repeats is None:
        return file_step("tuple", "distinct", suffix=suffix, reused=True, columns=columns, chains=chains)
    distinct = "distinct" if sharing.repeats else ""
    return file_step("tuple", suffix=suffix, reused=True, columns=columns, chains=chains, distinct=distinct)


def _bound(suffix: str, depth: int, place: int, sharing: Sharing) -> Step:
    if depth == 1 and place == 1:
        return file_step("bind_bound", "first" if sharing.conditions else "path", suffix=suffix, reused=True)
    before = f"tuple_{depth - 1}" if place == 1 else f"bind_holds_{depth}_{place - 1}"
    follows = "parent = b.block" if place == 1 else "after = b.step"
    return file_step("bind_bound", "next", suffix=suffix, reused=True, tables={"bind_before": before}, follows=follows,
                     depth=str(depth), place=str(place))


def _failed(suffix: str, sharing: Sharing) -> Step | FunctionStep:
    bound = {"bind_bound": f"bind_bound{suffix}"}
    if sharing.conditions:
        return file_step("bind_failed", suffix=suffix, tables=bound)
    return FunctionStep(f"bind_failed{suffix}", file_step("bind_searched", suffix=suffix, tables=bound), WHERE_FILTER)


def explained(step: BindStep) -> Pipeline:
    """What a step of a transformation has bound, and at how much of it each of its conditions fails."""
    bound = {"bind_bound": f"bind_bound_{step.depth}_{step.place}"}
    if step.depth == step.place == 1:
        count = file_step("path_bound_count", step=str(step.step))
    else:
        count = file_step("step_bound_count", step=str(step.step), tables=bound)
    return (count, file_step("bind_explained", tables=bound))


def _tuples(depths: range) -> str:
    return " union all ".join(f"select event_id, tid, block, nodes from tuple_{depth}" for depth in depths)
