"""Hints for paths that find nothing: what the message has instead, and which usual mistake was made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xpubsub.jobs.explain.namespace_hints import other_namespace, say_namespaces
from xpubsub.jobs.explain.readable import Names, Parts, parts_of
from xpubsub.language.xpath.linear import LinearStep, components, linear_steps
from xpubsub.limits import Limits
from xpubsub.match.linear_paths import prefix_path
from xpubsub.match.path_automaton import PathAutomaton
from xpubsub.match.path_matches import LinearUse
from xpubsub.match.uses import EXISTS
from xpubsub.shred.node_rows import NodeRows
from xpubsub.shred.reading import Reader
from xpubsub.shred.tagpaths import TagPathCache

_EVERYTHING = {path: LinearUse(EXISTS) for path in ("//*", "//@*", "//text()")}
MOST_NAMES = 6
"""How many names are listed of what the message has instead."""


def all_tagpaths(xml: str | bytes, limits: Limits) -> list[str]:
    """Return the distinct tag paths of a message, in order of first occurrence."""
    cache = TagPathCache({}, lambda: _EVERYTHING, limits)
    Reader(cache, limits, NodeRows()).read(1, xml)
    return list(cache.take_found().tagpaths)


@dataclass(frozen=True)
class NearMisses:
    """Compares paths that find nothing with the tag paths of the message."""

    tagpaths: list[str]
    names: Names

    def hint(self, linear_path: str) -> str:
        """Say what the message has that is closest to a path that finds nothing."""
        before, length, there = self._stops(linear_path)
        step = linear_steps(linear_path)[length]
        wanted = parts_of(step[1])
        if (namespaces := self._namespaces(linear_path, length, there)) is not None:
            return namespaces
        for mistake, advice in ((_other_case, _say_case), (_other_kind, _say_kind)):
            if (found := next((each for each in there if mistake(wanted, each)), None)) is not None:
                return advice(found, self.names)
        return self._instead(before, length, step, there)

    def namespace_hint(self, linear_path: str) -> str | None:
        """Say which namespaces to give if a path finds nothing because of its namespaces; else None."""
        if not linear_steps(linear_path):
            return None
        _, length, there = self._stops(linear_path)
        return self._namespaces(linear_path, length, there)

    def _namespaces(self, linear_path: str, length: int, there: list[Parts]) -> str | None:
        steps = linear_steps(linear_path)
        found = next((each for each in there if other_namespace(parts_of(steps[length][1]), each)), None)
        return None if found is None else say_namespaces(steps, self.tagpaths, length, found, self.names)

    def _stops(self, linear_path: str) -> tuple[str, int, list[Parts]]:
        """Return the longest prefix of a path that finds a node, its length, and the names the next step sees."""
        steps = linear_steps(linear_path)
        shorter = range(len(steps) - 1, 0, -1)
        length = next((count for count in shorter if self._matched(prefix_path(linear_path, count))), 0)
        before = prefix_path(linear_path, length)
        return before, length, list(dict.fromkeys(self._following(before, length, steps[length])))

    def _matched(self, linear_path: str) -> list[str]:
        automaton = PathAutomaton([linear_path])
        return [tagpath for tagpath in self.tagpaths if automaton.matches(tagpath)]

    def _following(self, before: str, length: int, step: LinearStep) -> Iterator[Parts]:
        """Yield the names where a step looks: directly below the path before it, or anywhere below."""
        depths = [(tagpath, len(components(tagpath))) for tagpath in (self._matched(before) if length else ["/"])]
        for tagpath in self.tagpaths:
            names = components(tagpath)
            for start, depth in depths:
                near = len(names) > depth if step[0] else len(names) == depth + 1
                if near and (depth == 0 or tagpath.startswith(start + "/")):
                    yield parts_of(names[-1])

    def _instead(self, before: str, length: int, step: LinearStep, there: list[Parts]) -> str:
        shown = self.names.step(step[1])
        if not length:
            root = self.names.parts(there[0]) if there else "?"
            return "there is none in the message" if step[0] else f"the root element is {root}"
        listed = [self.names.parts(each) for each in there if each.kind != "text"]
        some = ", ".join(listed[:MOST_NAMES]) + (", …" if len(listed) > MOST_NAMES else "")
        has = f"; it has: {some}" if some else "; it is empty" if not there else "; it has only text"
        return f"{self.names.path(before)} exists, but it has no {shown}{has}"


def _other_case(wanted: Parts, there: Parts) -> bool:
    same = wanted.local.casefold() == there.local.casefold() and wanted.local != there.local
    return wanted.kind == there.kind != "text" and same


def _other_kind(wanted: Parts, there: Parts) -> bool:
    return {wanted.kind, there.kind} == {"element", "attribute"} and wanted.local == there.local != "*"


def _say_case(there: Parts, names: Names) -> str:
    return f"but there is {names.parts(there)}: upper and lower case are different"


def _say_kind(there: Parts, names: Names) -> str:
    if there.kind == "attribute":
        return f"but there is an attribute of this name: write {names.parts(there)}"
    return f"but there is an element of this name: write {names.parts(there)} without '@'"
