"""What a spilled path does to another path: decided by a product automaton of the two (Wei 2010, section 5.1).

A path is an automaton over the names from the root to a node; spilling it takes its elements with all that is in them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import Enum
from functools import lru_cache

from xpubsub.language.xpath.linear import COMPUTED, LinearStep, accepted_names, components, linear_steps

_ANY = ""
"""A name test that every node passes: the nodes that `//` skips, and those below a spilled element."""
_BELOW: LinearStep = (True, _ANY)
"""A last step for the nodes below a path, at any depth."""


class Effect(Enum):
    """What is missing of the subtrees that a path selects."""

    UA = "unaffected"
    SAM = "subpart missing"
    SRAM = "root and subpart missing"


def effect(path: str, spilled: Iterable[str]) -> Effect:
    """Return what spilling some linear paths does to the nodes of a linear path."""
    found = Effect.UA
    for each in spilled:
        if root_missing(path, each):
            return Effect.SRAM
        if found is Effect.UA and subpart_missing(path, each):
            found = Effect.SAM
    return found


@lru_cache(maxsize=65536)
def root_missing(path: str, spilled: str) -> bool:
    """Return whether a node of the path may lie in a spilled element, or be one: P ∩ S//* ≠ ∅, equation (1)."""
    steps, gone = linear_steps(path), linear_steps(spilled)
    return _meet(steps, gone) or _meet(steps, (*gone, _BELOW))


@lru_cache(maxsize=65536)
def subpart_missing(path: str, spilled: str) -> bool:
    """Return whether a node of the path may have a spilled element in it: P/*//* ∩ S//* ≠ ∅, equation (2).

    Nothing is inside an attribute or a text node. Whatever has lost its root has lost its subparts too.
    """
    steps, gone = linear_steps(path), linear_steps(spilled)
    if steps and not is_element(steps[-1][1]):
        return False
    return _meet((*steps, _BELOW), gone) or _meet((*steps, _BELOW), (*gone, _BELOW))


def may_contain(tagpath: str, linear_path: str, inside: Collection[str] | None = None) -> bool:
    """Return whether an element with this tag path may be, or have in it, a node of the linear path.

    `inside` are the names of all that is in it, as in tag paths, if they are known: then fewer paths can be in it.
    """
    steps = linear_steps(linear_path)
    reached = {0}
    for name in components(tagpath):
        reached = _after(steps, reached, name)
    if inside is None or len(steps) in reached:
        return bool(reached)
    accepted = {test for name in inside for test in accepted_names(name)}
    return any(all(name in accepted for _, name in steps[taken:]) for taken in reached)


def is_above(tagpath: str, linear_path: str) -> bool:
    """Return whether an element with this tag path lies inside a node of the linear path, and is not that node."""
    steps, end = linear_steps(linear_path), len(linear_steps(linear_path))
    reached = {0}
    for name in components(tagpath):
        if end in reached:
            return True
        reached = _after(steps, reached, name)
    return False


def is_element(name: str) -> bool:
    """Return whether the last step of a path selects elements, not attributes, text or computed values."""
    return name[0] not in ("@", COMPUTED) and name != "text()"


def _after(steps: tuple[LinearStep, ...], reached: set[int], name: str) -> set[int]:
    """Return how many steps may have been taken after one more name."""
    found, accepted = set(), accepted_names(name)
    for taken in reached:
        if taken < len(steps):
            descends, wanted = steps[taken]
            if wanted in accepted:
                found.add(taken + 1)
            if descends:
                found.add(taken)
    return found


def _meet(left: tuple[LinearStep, ...], right: tuple[LinearStep, ...]) -> bool:
    """Return whether some tag path matches both: a walk through at most |left| · |right| pairs of states."""
    seen, todo = {(0, 0)}, [(0, 0)]
    while todo:
        here = todo.pop()
        if here == (len(left), len(right)):
            return True
        for pair in _together(left, right, *here):
            if pair not in seen:
                seen.add(pair)
                todo.append(pair)
    return False


def _together(
    left: tuple[LinearStep, ...], right: tuple[LinearStep, ...], one: int, other: int
) -> list[tuple[int, int]]:
    """Return the pairs of states after one more name that suits both."""
    return [
        (after, after_other)
        for after, name in _moves(left, one) for after_other, other_name in _moves(right, other)
        if names_meet(name, other_name)
    ]


def _moves(steps: tuple[LinearStep, ...], taken: int) -> list[tuple[int, str]]:
    """Return the states that one more name leads to, each with the test that the name must pass."""
    if taken == len(steps):
        return []
    descends, name = steps[taken]
    return [(taken + 1, name), (taken, _ANY)] if descends else [(taken + 1, name)]


@lru_cache(maxsize=65536)
def names_meet(one: str, other: str) -> bool:
    """Return whether some name passes both of two tests: names, `*`, `{uri}*`, `*:name`, these with `@`, `text()`."""
    if _ANY in (one, other) or one == other:
        return True
    if "text()" in (one, other) or (one[0] == "@") != (other[0] == "@"):
        return False
    (uri, local), (other_uri, other_local) = _parts(one), _parts(other)
    return (uri is None or other_uri is None or uri == other_uri) and (
        local is None or other_local is None or local == other_local)


def _parts(name: str) -> tuple[str | None, str | None]:
    """Return namespace and local name of a test; None stands for any."""
    name = name.removeprefix("@")
    if name == "*":
        return None, None
    if name.startswith("*:"):
        return None, name[2:]
    uri, _, local = name.rpartition("}")
    return uri.removeprefix("{"), None if local == "*" else local
