"""Transformations (Diao 2003): path tuples of `for` paths, conditions on them, path tuples of `return` paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xpubsub.language.blocks import BindStep
from xpubsub.step import Pipeline, Step, file_step

_ONLY = "semi join transformed as x on x.event_id = t.event_id and x.tid = t.tid"
Places = Mapping[int, int]
"""For each depth of blocks the length of the longest chain of steps; none where nothing can be bound."""


def transformation_steps(places: Places, levels: int) -> Pipeline:
    """All steps from conditions to what is bound; the last has it by message."""
    about_nodes = (file_step("message_fact"), file_step("fact", reused=True))
    facts = about_nodes if levels > 1 else (file_step("fact", file="message_fact", reused=True),)
    positions = () if levels else (file_step("tagpath_position"),)
    depths = range(1, max(places, default=1) + 1)
    bound = tuple(step for depth in depths for step in _depth(depth, places.get(depth, 1)))
    return (
        *positions, *facts, file_step("path_tuple", reused=True), *bound, file_step("transformed"),
        file_step("bound", reused=True, tuples=_tuples(depths), only=_ONLY), file_step("made"),
        file_step("return_tuple"), file_step("returned"), file_step("produced"),
    )


def _depth(depth: int, places: int) -> Iterator[Step]:
    """The steps of all blocks of a depth, place by place in their chains; then what they have bound."""
    for place in range(1, places + 1):
        name = f"bind_{depth}_{place}"
        yield _bound(f"{name}_bound", depth, place)
        yield file_step(f"{name}_failed", file="bind_failed", bound=f"{name}_bound")
        yield file_step(name, file="bind_holds", reused=True, bound=f"{name}_bound", failed=f"{name}_failed")
    header = "-- One row: the nodes that the variables of a block, and of those around it, are bound to."
    chains = " union all ".join(
        f"select event_id, tid, block, outermost, nodes from bind_{depth}_{place} where last"
        for place in range(1, places + 1))
    select = f"select distinct event_id, tid, block, outermost, nodes, cast(0 as integer) as node from ({chains}) as b"
    yield Step(f"tuple_{depth}", f"{header}\n{select}", reused=True)


def _bound(name: str, depth: int, place: int) -> Step:
    if depth == 1 and place == 1:
        return file_step(name, file="bind_first", reused=True)
    before = f"tuple_{depth - 1}" if place == 1 else f"bind_{depth}_{place - 1}"
    follows = "parent = b.block" if place == 1 else "after = b.step"
    return file_step(name, file="bind_next", reused=True, before=before, follows=follows, depth=str(depth),
                     place=str(place))


def explained(step: BindStep) -> Pipeline:
    """What a step of a transformation has bound, and at how much of it each of its conditions fails."""
    bound = f"bind_{step.depth}_{step.place}_bound"
    count = f"select count(*) as bound from {bound} where step = {step.step}"
    if step.depth == step.place == 1:
        brinfo = f"select brinfo_id from transformation_step where step = {step.step}"
        count = f"select count(*) as bound from path_tuple where base = 0 and brinfo_id = ({brinfo})"
    return (Step("bound_count", count), file_step("bind_explained", bound=bound))


def _tuples(depths: range) -> str:
    return " union all ".join(f"select event_id, tid, block, nodes from tuple_{depth}" for depth in depths)
