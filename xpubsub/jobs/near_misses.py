"""Why there is no node on a path: what the message has instead, and the usual mistakes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from xpubsub.jobs.evidence import prefix_path
from xpubsub.jobs.readable import Names, Parts, parts_of
from xpubsub.language.linear import LinearStep, components, linear_steps
from xpubsub.limits import Limits
from xpubsub.shred.matches import LinearUse
from xpubsub.shred.node_rows import NodeRows
from xpubsub.shred.path_matching import PathAutomaton
from xpubsub.shred.reading import Reader
from xpubsub.shred.tagpaths import EXISTS, TagPathCache

_EVERYTHING = {path: LinearUse(EXISTS) for path in ("//*", "//@*", "//text()")}
MOST_NAMES = 6
"""Names listed of what there is instead."""


def all_tagpaths(xml: str | bytes, limits: Limits) -> list[str]:
    """Every distinct tag path of a message, in the order of first occurrence."""
    cache = TagPathCache({}, lambda: _EVERYTHING, limits)
    Reader(cache, limits, NodeRows()).read(1, xml)
    return list(cache.take_found().tagpaths)


@dataclass(frozen=True)
class NearMisses:
    """Compares paths that find nothing with the tag paths of the message."""

    tagpaths: list[str]
    names: Names

    def hint(self, linear_path: str) -> str:
        """What comes closest to a path that finds nothing."""
        steps = linear_steps(linear_path)
        shorter = range(len(steps) - 1, 0, -1)
        length = next((count for count in shorter if self._matched(prefix_path(linear_path, count))), 0)
        before, step = prefix_path(linear_path, length), steps[length]
        there = list(dict.fromkeys(self._following(before, length, step)))
        wanted = parts_of(step[1])
        for mistake in (_other_namespace, _other_case, _other_kind):
            if (found := next((each for each in there if mistake(wanted, each)), None)) is not None:
                return _ADVICE[mistake](wanted, found, self.names)
        return self._instead(before, length, step, there)

    def _matched(self, linear_path: str) -> list[str]:
        automaton = PathAutomaton([linear_path])
        return [tagpath for tagpath in self.tagpaths if automaton.matches(tagpath)]

    def _following(self, before: str, length: int, step: LinearStep) -> Iterator[Parts]:
        """The names that stand where the step looks: one below the path before it, or anywhere below."""
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


def _other_namespace(wanted: Parts, there: Parts) -> bool:
    return wanted.kind == there.kind != "text" and wanted.local == there.local and wanted.uri != there.uri


def _other_case(wanted: Parts, there: Parts) -> bool:
    same = wanted.local.casefold() == there.local.casefold() and wanted.local != there.local
    return wanted.kind == there.kind != "text" and same


def _other_kind(wanted: Parts, there: Parts) -> bool:
    return {wanted.kind, there.kind} == {"element", "attribute"} and wanted.local == there.local != "*"


def _say_namespace(wanted: Parts, there: Parts, names: Names) -> str:
    what = f"but there is {names.parts(there)}"
    plural = "elements are" if there.kind == "element" else "attribute is"
    if not there.uri:
        return f"{what}: the message's {plural} in no namespace"
    where = f"{what}: the message's {plural} in the namespace {there.uri!r}"
    if there.kind == "attribute":
        return f"{where}; give it a prefix and write @prefix:{there.local}"
    return f"{where}; give namespaces={{{names.prefix(wanted.uri)!r}: {there.uri!r}}}"


def _say_case(wanted: Parts, there: Parts, names: Names) -> str:
    return f"but there is {names.parts(there)}: upper and lower case are different"


def _say_kind(wanted: Parts, there: Parts, names: Names) -> str:
    if there.kind == "attribute":
        return f"but there is an attribute of this name: write {names.parts(there)}"
    return f"but there is an element of this name: write {names.parts(there)} without '@'"


_ADVICE: dict[Callable[[Parts, Parts], bool], Callable[[Parts, Parts, Names], str]] = {
    _other_namespace: _say_namespace, _other_case: _say_case, _other_kind: _say_kind,
}
