"""The check of branches (section 3.5): bottom-up by SQL, level by level, or by the BrPred function."""

from __future__ import annotations

from xpubsub.step import Pipeline, Step, file_step


def branches_by_sql(levels: int) -> Pipeline:
    """Semijoins from the deepest branching points up: repeated elements add up and never multiply."""
    deepest_first = range(levels - 1, -1, -1)
    return (
        *branch_rows(reused=True),
        _no_truth(levels),
        *(_level(level) for level in deepest_first),
        file_step("branch_match", file="brpred_sql"),
    )


def branches_by_function() -> Pipeline:
    """All rows of a pair handed to the BrPred function at once."""
    return (*branch_rows(reused=False), file_step("branch_match", file="brpred_udf"))


def branch_rows(*, reused: bool) -> Pipeline:
    """The nodes that the branches of candidates reach."""
    return (file_step("branch_path"), file_step("branch_row", reused=reused))


def _level(level: int) -> Step:
    sql = file_step(f"truth_{level}", file="brpred_level", level=str(level)).sql
    return Step(f"truth_{level}", sql.replace("truth_deeper", f"truth_{level + 1}"))


def _no_truth(level: int) -> Step:
    """Below the deepest level nothing is known, and nothing is asked."""
    return file_step(f"truth_{level}", file="brpred_none")
