"""Path matching (Tian 2004, Table 5.4): many distinct linear paths and few tag paths, all new."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from benchmarks.measuring import each_once
from benchmarks.options import Options
from benchmarks.rows import Row
from benchmarks.workloads.linear_paths import linear_paths, tag_paths
from xpubsub import Limits
from xpubsub.match.path_matches import LinearUse, match_paths

_SETS = 3


def measure(options: Options) -> Iterator[Row]:
    """All rows of the part; each run has linear paths of its own, so that none has been seen before."""
    tags = tag_paths()
    actions: list[Callable[[], int]] = []
    for number in range(_SETS):
        paths = linear_paths(options.sizes.linear_paths, options.seed + number)
        actions.append(partial(_matched, {path: LinearUse(0) for path in paths}, tags))
    measured = each_once(actions)
    sizes = {"linear paths": options.sizes.linear_paths, "tag paths": len(tags), "matches": measured.value}
    yield Row("paths", "path matching", measured.median, "s", engine="python", sizes=sizes, bar="paths")


def _matched(linear: dict[str, LinearUse], tags: list[str]) -> int:
    """How many path matches there are, as Arrow rows."""
    return int(match_paths(linear, tags, Limits()).matched().num_rows)
