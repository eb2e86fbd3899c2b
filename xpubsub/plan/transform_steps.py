"""Steps of transformation plans whose SQL depends on the case: depth and place of blocks, what is shared."""

from __future__ import annotations

from collections.abc import Iterator

from xpubsub.plan.transform_case import TransformationCase
from xpubsub.step import Pipeline, Step, file_step

WHERE_FILTER, FACTORY = "where_filter", "factory"
"""The names of the Python functions that process the rows of steps."""
_NO_FAILURE = "cast(null as varchar) as code, cast(null as varchar) as reason"
_COLUMNS = "b.event_id, b.transformation_id, b.block, b.outermost, b.nodes, cast(0 as integer) as node"


def path_tuple(case: TransformationCase) -> Step:
    """Return the step to the nodes of `for` paths."""
    return file_step("path_tuple", reused=True, distinct=case.distinct)


def return_tuple(case: TransformationCase) -> Step:
    """Return the step to the nodes of returned paths."""
    return file_step("return_tuple", distinct=case.distinct)


def output(case: TransformationCase) -> Step:
    """Return the step that makes outputs, from grouped returned nodes or from all nodes, by tree search."""
    if case.spilling:
        return file_step("output", "spilled", function=FACTORY)
    if case.returns_shared:
        fields = "brinfo_id := brinfo_id, base := base, nodes := nodes"
        return _output(case, {}, fields)
    return _output(case, {"returned": "searched_node"}, "tagpath := tagpath, idpath := idpath")


def _output(case: TransformationCase, tables: dict[str, str], fields: str) -> Step:
    return file_step("output", "valued" if case.valued else "", function=FACTORY, tables=tables, fields=fields)


def notification_all(case: TransformationCase) -> Step:
    """Return the step to the notifications of filters and transformations."""
    failure = "code, reason" if case.checked else _NO_FAILURE
    return file_step("notification_all", "spilled" if case.spilling else "visible" if case.narrowed else "",
                     failure=failure)


def bound(case: TransformationCase) -> Step:
    """Return the step to all nodes that a transformation bound in a message."""
    tuples = " union all ".join(
        f"select event_id, transformation_id, block, nodes from tuple_{depth}" for depth in case.depths)
    return file_step("bound", "spilled" if case.spilling else "", reused=True, tuples=tuples)


def blocks(case: TransformationCase) -> Pipeline:
    """Return the steps that bind blocks, outermost first: each place of their chains, then the tuples of the depth."""
    return tuple(step for depth in case.depths for step in _depth(case, depth, case.places.get(depth, 1)))


def _depth(case: TransformationCase, depth: int, places: int) -> Iterator[Step]:
    for place in range(1, places + 1):
        suffix = f"_{depth}_{place}"
        yield _bound(case, depth, place)
        yield _failed(case, suffix)
        tables = {"bind_bound": f"bind_bound{suffix}", "bind_failed": f"bind_failed{suffix}"}
        yield file_step("bind_holds", suffix=suffix, reused=True, tables=tables)
    yield _tuple(case, depth, places)


def _bound(case: TransformationCase, depth: int, place: int) -> Step:
    suffix = f"_{depth}_{place}"
    if depth == 1 and place == 1:
        return file_step("bind_bound", "first" if case.conditions_shared else "path", suffix=suffix, reused=True)
    before = f"tuple_{depth - 1}" if place == 1 else f"bind_holds_{depth}_{place - 1}"
    follows = "parent = b.block" if place == 1 else "after = b.step"
    return file_step("bind_bound", "next", suffix=suffix, reused=True, tables={"bind_before": before}, follows=follows,
                     depth=str(depth), place=str(place))


def _failed(case: TransformationCase, suffix: str) -> Step:
    bound = {"bind_bound": f"bind_bound{suffix}"}
    if case.conditions_shared:
        return file_step("bind_failed", suffix=suffix, tables=bound)
    return file_step("bind_failed", "searched", suffix=suffix, function=WHERE_FILTER, tables=bound)


def _tuple(case: TransformationCase, depth: int, places: int) -> Step:
    """Return the step to the tuples of a depth, each once."""
    chains = " union all ".join(
        f"select event_id, transformation_id, block, outermost, nodes from bind_holds_{depth}_{place} where last"
        for place in range(1, places + 1))
    if case.some_repeat:
        return file_step("tuple", "distinct", suffix=f"_{depth}", reused=True, columns=_COLUMNS, chains=chains)
    return file_step(
        "tuple", suffix=f"_{depth}", reused=True, columns=_COLUMNS, chains=chains, distinct=case.distinct)
