"""What a spilled path does to another: the paper's examples, and all short tag paths as the judge."""

from __future__ import annotations

import itertools
from functools import cache
from random import Random

import pytest

from xpubsub.match.path_automaton import PathAutomaton
from xpubsub.spill.effects import Effect, effect, is_above, may_contain, root_missing, subpart_missing

UA, SAM, SRAM = Effect.UA, Effect.SAM, Effect.SRAM
ELEMENTS = ("a", "b", "{u}a")
TESTS = (*ELEMENTS, "*", "*:a", "{u}*")
LAST = (*TESTS, "@k", "@*", "text()")
TAGPATHS = tuple(
    "/" + "/".join((*names, *leaf))
    for length in range(6) for names in itertools.product(ELEMENTS, repeat=length)
    for leaf in ((), *([("@k",), ("text()",)] if length else []))
)
"""All tag paths of up to five elements, the document among them."""


@pytest.mark.parametrize(("path", "spilled", "expected"), [
    ("/a//b", "/a/b", SRAM),          # section 5.1: /a/b is contained by /a//b
    ("/a/b", "/a/b/c", SAM),          # section 5.1, equation (2)
    ("/a/b", "/a//b", SRAM),          # section 5.1, SRAM
    ("/a", "/a/b", SAM),              # Figure 6(a): the binding variable
    ("/a/b/c", "/a/b", SRAM),         # Figure 6(a): what is inside goes too
    ("/a/d", "/a/b", UA), ("/a//b", "/a/d", SRAM), ("/a/b/c", "/a/d", UA),
    ("/a/d", "/a/d/f", SAM), ("/a/b/e", "/a/b/e", SRAM), ("/a/b/f", "/a/b/e", UA), ("/a/c", "/a/b/e", UA),
    ("/", "/a", SAM), ("/a/@k", "/a/b", UA), ("/a//@k", "/a/b", SRAM), ("/a/text()", "/a/b", UA),
    ("//text()", "/a/b", SRAM), ("/a/b/@k", "/a/b", SRAM), ("/a/@k", "//b", UA), ("/b/@k", "//b", SRAM),
    ("/a/*", "/a/b", SRAM), ("/a/{u}*", "/a/{u}b", SRAM), ("/a/{u}*", "/a/b", UA), ("/a/*:b", "/a/{u}b", SRAM),
    ("/a/{v}*", "/a/{u}*", UA), ("/a/*:b", "/a/{u}*", SRAM), ("/x/a", "/y//a", UA),
])
def test_an_effect(path: str, spilled: str, expected: Effect) -> None:
    assert effect(path, [spilled]) is expected


def test_b_in_d_may_be_missing() -> None:
    """Figure 6(b): with //b an element b may lie in d, whatever the data of Figure 3 have."""
    assert root_missing("/a//b", "/a/d") and subpart_missing("/a//b", "/a/d")


def test_the_strongest_effect_counts() -> None:
    assert effect("/a/b", ["/a/b/c", "/a/d"]) is SAM
    assert effect("/a/b", ["/a/b/c", "/a/*"]) is SRAM
    assert effect("/a/b", []) is UA


@cache
def matching(path: str) -> frozenset[str]:
    """The tag paths of a linear path, by the automaton that matches messages."""
    automaton = PathAutomaton([path])
    return frozenset(each for each in TAGPATHS if automaton.matches(each))


@cache
def above(tagpath: str) -> list[str]:
    """The tag path and those of all nodes around it, the document among them."""
    names = tagpath.split("/")[1:] if tagpath != "/" else []
    return ["/" + "/".join(names[:end]) for end in range(len(names), -1, -1)]


@cache
def at_or_below(path: str) -> frozenset[str]:
    """The tag paths of a linear path and of all that lies inside."""
    return frozenset(each for each in TAGPATHS if not matching(path).isdisjoint(above(each)))


@cache
def elements_inside(path: str) -> frozenset[str]:
    return frozenset(
        each for each in TAGPATHS if "@" not in each and "text" not in each and not matching(path).isdisjoint(above(each)[1:]))


def paths(random: Random, names: tuple[str, ...], count: int) -> list[str]:
    """Random linear paths of up to two steps: two of them meet, if they do, within five names."""
    steps = [[random.choice(("/", "//")) + random.choice(TESTS) for _ in range(random.randrange(2))] for _ in range(count)]
    return ["".join(each) + random.choice(("/", "//")) + random.choice(names) for each in steps]


@pytest.mark.parametrize("seed", range(3))
def test_effects_agree_with_all_short_tag_paths(seed: int) -> None:
    random = Random(seed)
    spilled = paths(random, TESTS, 20)
    for path, gone in itertools.product([*paths(random, LAST, 20), "/"], spilled):
        lost = at_or_below(gone)
        assert root_missing(path, gone) != matching(path).isdisjoint(lost), (path, gone)
        assert subpart_missing(path, gone) != elements_inside(path).isdisjoint(lost), (path, gone)
        assert root_missing(path, gone) <= subpart_missing(path, gone) or path.endswith(("@k", "@*", "text()"))


@pytest.mark.parametrize("seed", range(3))
def test_concrete_tag_paths_agree_with_all_short_tag_paths(seed: int) -> None:
    random = Random(seed)
    roots = [each for each in TAGPATHS if each != "/" and each.count("/") <= 3 and "@" not in each and "text" not in each]
    for path, root in itertools.product([*paths(random, LAST, 30), "/"], random.sample(roots, 20)):
        below = {each for each in matching(path) if root in above(each)}
        assert may_contain(root, path) == bool(below) == root_missing(path, root), (path, root)
        assert is_above(root, path) == bool(set(above(root)[1:]) & matching(path)), (path, root)


@pytest.mark.parametrize(("tagpath", "path", "contained", "inside"), [
    ("/a/b", "/a/b/c", True, False), ("/a/b", "/a/b", True, False), ("/a/b", "/a", False, True),
    ("/a/b", "//c", True, False), ("/a/b", "//b", True, False), ("/a/b/b", "//b", True, True),
    ("/a/b", "/", False, True), ("/a/b", "/a/c", False, False), ("/a/b", "/a/@k", False, False),
    ("/a/b", "/a//@k", True, False), ("/a/b", "/a/b/text()", True, False), ("/a/{u}b", "/a/*:b/c", True, False),
])
def test_an_element_of_a_message(tagpath: str, path: str, contained: bool, inside: bool) -> None:
    assert (may_contain(tagpath, path), is_above(tagpath, path)) == (contained, inside)


@pytest.mark.parametrize(("path", "inside", "expected"), [
    ("//c", [], False), ("//c", ["d"], False), ("//c", ["d", "c"], True), ("//b", [], True), ("//c//d", ["d"], False),
    ("/a/b/c/@k", ["c", "@k"], True), ("/a/b/c/@k", ["c"], False), ("//b//text()", ["text()"], True), ("//*", [], True),
    ("//b/*", [], False), ("//b/*", ["x"], True), ("//*:c", ["{u}c"], True), ("/a/x", ["x"], False),
])
def test_an_element_of_which_the_names_inside_are_known(path: str, inside: list[str], expected: bool) -> None:
    assert may_contain("/a/b", path, inside) == expected


@pytest.mark.parametrize("seed", range(3))
def test_names_inside_never_rule_out_what_is_there(seed: int) -> None:
    random = Random(seed)
    for path in paths(random, LAST, 60):
        for tagpath in random.sample(sorted(matching(path)), min(20, len(matching(path)))):
            names = tagpath.split("/")[1:]
            for end in range(1, len(names) + 1):
                if end == len(names) and not names[-1].startswith(("@", "text")):
                    assert may_contain(tagpath, path, ())
                assert end == len(names) or may_contain("/" + "/".join(names[:end]), path, names[end:])
