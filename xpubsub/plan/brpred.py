"""The check of branches (section 3.5): bottom-up by SQL, level by level, or by the BrPred function."""

from __future__ import annotations

from xpubsub.step import Pipeline, Step, file_step


def branches_by_sql(candidate: str, levels: int, inner_points: int) -> Pipeline:
    """Semijoins from the deepest branching points up: repeated elements add up and never multiply."""
    deepest = levels - 1
    return (
        *branch_rows(candidate),
        *(_level(level, inner_points if level < deepest else 0) for level in range(deepest, -1, -1)),
        file_step("branch_match", tables={"candidate": candidate}),
    )


def branches_by_function(candidate: str) -> Pipeline:
    """All rows of a pair handed to the BrPred function at once."""
    return (*branch_rows(candidate), file_step("branch_match", "function", tables={"candidate": candidate}))


def branch_rows(candidate: str) -> Pipeline:
    """The nodes that the branches of candidates reach."""
    return (
        file_step("tagpath_position"),
        file_step("branch_path", reused=True, tables={"candidate": candidate}),
        file_step("branch_row", reused=True),
    )


def _level(level: int, inner_points: int) -> Step:
    """One level; each point that a branch runs through is looked up on the level below."""
    numbers = range(1, inner_points + 1)
    joins = "\n  ".join(_join(f"truth_{level + 1}", number) for number in numbers)
    wanted = " ".join(
        f"and (array_length(q.inner_at) < {number}"
        f" or coalesce(t{number}.bits, 0) = list_extract(q.inner_wants, {number}))"
        for number in numbers
    )
    return file_step(
        "truth", suffix=f"_{level}", reused=True, level=str(level), joins=joins, wanted=wanted)


def _join(truth: str, number: int) -> str:
    found = f"t{number}"
    return (f"left join {truth} as {found} on {found}.event_id = r.event_id and {found}.sub_id = r.sub_id"
            f" and {found}.point = list_extract(q.inner_points, {number})"
            f" and {found}.node = list_extract(r.nodes, q.context_at + {number})")
