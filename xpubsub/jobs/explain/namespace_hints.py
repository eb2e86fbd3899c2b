"""Hints for paths that find nothing because the message's names are in another namespace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import count

from xpubsub.jobs.explain.readable import Names, Parts, parts_of
from xpubsub.language.xpath.linear import LinearStep, components

Pair = tuple[Parts, Parts]
"""A step's name, and the name in the message that differs from it at most in its namespace."""


def other_namespace(wanted: Parts, there: Parts) -> bool:
    """Whether two names differ only in their namespaces."""
    return wanted.kind == there.kind != "text" and wanted.local == there.local and wanted.uri != there.uri


def say_namespaces(steps: Sequence[LinearStep], tagpaths: Iterable[str], at: int, there: Parts, names: Names) -> str:
    """Say what to write when a path stops at a step because the name there is in another namespace."""
    pairs = _aligned_best(steps, tagpaths, at) or [
        *((parts_of(name), parts_of(name)) for _, name in steps[:at]), (parts_of(steps[at][1]), there)]
    there = pairs[at][1]
    differing = [(wanted, actual) for wanted, actual in pairs[at:] if _differ(wanted, actual)]
    uris = list(dict.fromkeys(actual.uri or "" for _, actual in differing))
    plural = "elements are" if there.kind == "element" else "attribute is"
    what = f"but there is {names.parts(there)}: the message's {plural} in"
    if not all(uris):
        return f"{what} no namespace"
    where = f"{what} the namespace{'s' * (len(uris) > 1)} {', '.join(map(repr, uris))}"
    return f"{where}; {_advice(steps, pairs, differing, at, names)}"


def _advice(
    steps: Sequence[LinearStep], pairs: list[Pair], differing: list[Pair], at: int, names: Names
) -> str:
    """Advise new namespaces for the path's prefixes if that is enough, else prefixes for its names."""
    if (bound := _bound_anew(pairs, differing, names)) is not None:
        return f"give namespaces={bound}"
    unknown = [uri for uri in dict.fromkeys(actual.uri for _, actual in differing) if uri and not names.knows(uri)]
    if unknown and all(actual.kind == "attribute" for _, actual in differing):
        return f"give it a prefix and write @prefix:{differing[-1][1].local}"
    fresh = (prefix for number in count(1) if not names.has(prefix := f"ns{number}"))
    added = dict(zip(fresh, unknown, strict=False))
    give = f"give namespaces={added} and " if added else ""
    return f"{give}write {_written(steps[at:], pairs[at:], names.with_prefixes(added))}"


def _bound_anew(pairs: list[Pair], differing: list[Pair], names: Names) -> dict[str, str] | None:
    """Map the path's prefixes to the message's namespaces, if each maps to one that has no prefix yet."""
    meant: dict[str, set[str]] = {}
    for wanted, actual in pairs:
        if wanted.uri is not None and wanted.kind == "element":
            meant.setdefault(wanted.uri, set()).add(actual.uri or "")
    fixed = any(actual.kind == "attribute" or names.knows(actual.uri or "") for _, actual in differing)
    if fixed or any(len(meant[wanted.uri or ""]) > 1 for wanted, _ in differing):
        return None
    return {names.prefix(wanted.uri): actual.uri or "" for wanted, actual in differing}


def _written(steps: Sequence[LinearStep], pairs: Sequence[Pair], names: Names) -> str:
    """Write the steps of a path with the message's names in place of the path's."""
    shown = (("//" if descends else "/") + names.parts(actual if _differ(wanted, actual) else wanted)
             for (descends, _), (wanted, actual) in zip(steps, pairs, strict=False))
    return "".join(shown).lstrip("/")


def _differ(wanted: Parts, actual: Parts) -> bool:
    return wanted.uri is not None and wanted.uri != actual.uri


def _aligned_best(steps: Sequence[LinearStep], tagpaths: Iterable[str], at: int) -> list[Pair] | None:
    """Pair the steps with a tag path of the same local names, and the same namespaces before step `at`."""
    for tagpath in tagpaths:
        if (found := _aligned(steps, components(tagpath), at)) is not None:
            return [(parts_of(name), parts_of(actual)) for (_, name), actual in zip(steps, found, strict=True)]
    return None


def _aligned(steps: Sequence[LinearStep], names: Sequence[str], at: int) -> list[str] | None:
    @cache
    def onward(number: int, start: int) -> tuple[str, ...] | None:
        if number == len(steps):
            return () if start == len(names) else None
        descends, wanted = steps[number]
        for place in range(start, len(names) if descends else min(start + 1, len(names))):
            if _fits(parts_of(wanted), parts_of(names[place]), number >= at):
                rest = onward(number + 1, place + 1)
                if rest is not None:
                    return (names[place], *rest)
        return None
    found = onward(0, 0)
    return None if found is None else list(found)


def _fits(wanted: Parts, actual: Parts, any_namespace: bool) -> bool:
    local = wanted.local in ("*", actual.local) and wanted.kind == actual.kind
    return local and (wanted.uri in (None, actual.uri) or (any_namespace and wanted.local != "*"))
