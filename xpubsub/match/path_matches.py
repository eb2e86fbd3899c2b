"""Matches tag paths with linear paths, and returns rows of the matches and of the positions of branching points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from xpubsub.arrow import ArrowFunction
from xpubsub.ids import stable_id
from xpubsub.limits import Limits
from xpubsub.match.linear_paths import bp_steps, inverse
from xpubsub.match.path_automaton import PathAutomaton
from xpubsub.match.positions import position_arrays
from xpubsub.rows import PATH_MATCHED, TAGPATH, table_of


@dataclass(frozen=True)
class LinearUse:
    """How a linear path's nodes are used, and the annotations of its branching points."""

    use: int
    brinfos: tuple[str, ...] = ()


@dataclass
class PathMatches:
    """The growing rows of `tagpath_map`, `path_match` and `tagpath_brinfo`."""

    limits: Limits
    tagpaths: dict[str, tuple[str, str, int]] = field(default_factory=dict)
    path_matches: list[tuple[int, int]] = field(default_factory=list)
    brinfos: list[tuple[int, int, list[tuple[int, ...]]]] = field(default_factory=list)

    def add(self, tagpath: str, matched: Mapping[str, LinearUse]) -> None:
        """Add all rows of a tag path and the linear paths that match it; none if a limit is exceeded."""
        if tagpath in self.tagpaths:
            return
        tagpath_id = stable_id(tagpath)
        brinfos = [
            (tagpath_id, stable_id(linear_path, brinfo), self._arrays(tagpath, linear_path, brinfo))
            for linear_path, use in matched.items() for brinfo in use.brinfos
        ]
        self.tagpaths[tagpath] = tagpath, inverse(tagpath), tagpath_id
        self.path_matches.extend((tagpath_id, stable_id(linear_path)) for linear_path in matched)
        self.brinfos.extend(brinfos)

    def _arrays(self, tagpath: str, linear_path: str, brinfo: str) -> list[tuple[int, ...]]:
        return position_arrays(tagpath, linear_path, bp_steps(brinfo), self.limits.max_positions)

    def matched(self) -> pa.Table:
        """Return path matches and position arrays in one table."""
        rows: list[tuple[object, ...]] = [(*match, None, None) for match in self.path_matches]
        rows.extend((tagpath_id, None, brinfo_id, arrays) for tagpath_id, brinfo_id, arrays in self.brinfos)
        return table_of(rows, PATH_MATCHED)

    def found(self) -> pa.Table:
        """Return the tag paths."""
        return table_of(list(self.tagpaths.values()), TAGPATH)


def match_paths(linear: Mapping[str, LinearUse], tagpaths: Iterable[str], limits: Limits) -> PathMatches:
    """Match linear paths with tag paths; tag paths that no linear path matches have no rows."""
    automaton = PathAutomaton(linear)
    found = PathMatches(limits)
    for tagpath in tagpaths:
        if matched := automaton.matches(tagpath):
            found.add(tagpath, {each: linear[each] for each in matched})
    return found


def linear_matcher(tagpaths: Iterable[str], limits: Limits) -> ArrowFunction:
    """Return a function from (linear path, brinfo) rows to their matches with known tag paths."""
    known = list(tagpaths)

    def matched(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            linear = annotated(zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True))
            yield from match_paths(linear, known, limits).matched().to_batches()
    return matched


def annotated(rows: Iterable[tuple[str, str | None]]) -> dict[str, LinearUse]:
    """Group (linear path, brinfo) rows by linear path."""
    brinfos: dict[str, list[str]] = {}
    for linear_path, brinfo in rows:
        brinfos.setdefault(linear_path, []).extend([] if brinfo is None else [brinfo])
    return {linear_path: LinearUse(0, tuple(each)) for linear_path, each in brinfos.items()}
