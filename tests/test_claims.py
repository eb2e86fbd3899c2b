"""The claims on path tuples: what the paper says of its queries, and every claim against brute force."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xpubsub.language.xpath.linear import LinearStep, accepted_names, linear_steps
from xpubsub.schema.claims import (
    canonical,
    claim_1,
    claim_2,
    claim_3,
    claim_4,
    claim_5,
    in_order,
    no_duplicates,
)
from xpubsub.schema.element_graph import Schema

NAMES = ("a", "b", "{u}a", "{u}c")
STEPS = (*NAMES, *NAMES, "*", "{u}*", "*:a")


def graph(roots: str, **children: str) -> Schema:
    return Schema({name: frozenset(each.split()) for name, each in children.items()}, frozenset(roots.split()))


BOOK = graph(
    "book", book="title section", section="title p figure section", figure="title image", title="", p="", image="")
"""`section` is on a loop and `figure` is not, as section 4.2 assumes."""
NESTED = graph("r", r="a b", a="a b", b="b c", c="")


# The paper's queries, section 4.2

def test_query_2() -> None:
    binding, predicate, result = map(linear_steps, (
        "//section//figure", "//section//figure/title", "//section//figure/image"))
    assert not claim_1(binding) and not claim_2(binding, BOOK), "duplicates can arise"
    assert not claim_3(predicate, 2, BOOK) and not claim_3(result, 2, BOOK)
    assert no_duplicates(binding, 0, BOOK) is None and no_duplicates(result, 2, BOOK) is None
    for steps in (predicate, result):
        assert not claim_4(steps, 2)
        assert claim_5(steps, 2, BOOK), "figure is not on any loop with section"
        assert in_order(steps, 2) is None and in_order(steps, 2, BOOK) == "claim 5"


def test_query_3() -> None:
    """All duplicate eliminations but that of `$s//section//title` can be removed."""
    assert no_duplicates(linear_steps("//section"), 0) == "claim 1"
    assert no_duplicates(linear_steps("//section//figure"), 1) == "claim 3 by 1 and 1"
    remaining = linear_steps("//section//section//title")
    assert no_duplicates(remaining, 1) is None and no_duplicates(remaining, 1, BOOK) is None
    predicate = linear_steps("//section/figure/title")
    assert in_order(predicate, 1, BOOK) is None, "section 3.2 has a message in which they are not in order"


def test_bib_without_loops_needs_neither() -> None:
    bib = graph("bib", bib="book", book="title author", author="last first", title="", last="", first="")
    for path in ("//book//author//last", "//author//first", "//bib//book//title"):
        assert no_duplicates(linear_steps(path), 0, bib) and in_order(linear_steps(path), 1, bib)


@pytest.mark.parametrize(("path", "new", "numbers"), [
    ("//figure//image", "//figure/image", (0, 1, 2)), ("//book", "/book", (0, 1)), ("/book//p", "/book//p", (0, 1, 2)),
    ("/book//figure//title/text()", "/book//figure/title/text()", (0, 1, 2, 3, 4)), ("/", "/", (0,)),
    ("//section//title", "//section//title", (0, 1, 2)), ("//image//@x", "//image/@x", (0, 1, 2)),
    ("//figure//@x", "//figure//@x", (0, 1, 2)), ("//figure//*", "//figure//*", (0, 1, 2)), ("//nosuch//p", "//nosuch//p", (0, 1, 2)),
])
def test_canonical_paths(path: str, new: str, numbers: tuple[int, ...]) -> None:
    assert canonical(path, BOOK) == (new, numbers)


def test_a_canonical_path_may_have_more_steps() -> None:
    chain = graph("r", r="a", a="{u:b/c}b", **{"{u:b/c}b": "c", "c": ""})
    assert canonical("//r//c/@x", chain) == ("/r/a/{u:b/c}b/c/@x", (0, 1, 4, 5))


# Where names are not enough

def test_nested_elements_of_a_wildcard_need_no_loop() -> None:
    flat = graph("r", r="a c", a="c", c="")
    steps = linear_steps("//*//c")
    assert not any(map(flat.on_loop, flat.elements)) and not claim_2(steps, flat)
    assert len(tuples(steps, Tree("r", Tree("a", Tree("c"))))) == 2
    assert not claim_5(linear_steps("//*/c"), 1, flat)


def test_a_wildcard_in_between_joins_two_loops() -> None:
    steps = linear_steps("//a/*/b/c")
    assert not NESTED.on_same_loop("a", "b") and not claim_5(steps, 3, NESTED)
    found = tuples(steps, Tree("a", Tree("a", Tree("b", Tree("b", Tree("c")), Tree("c")))))
    assert [each[2] for each in found] == [4, 3]


# Brute force

@dataclass
class Tree:
    """An element; ids are given in document order, by `rows`."""

    name: str
    children: list[Tree] = field(default_factory=list)

    def __init__(self, name: str, *children: Tree) -> None:
        self.name, self.children = name, list(children)


def rows(tree: Tree) -> list[tuple[tuple[int, str], ...]]:
    """For each element and for an attribute of it, in document order, the ids and names from the root."""
    found: list[tuple[tuple[int, str], ...]] = []
    numbers = iter(range(1, 10_000))

    def visit(tree: Tree, above: tuple[tuple[int, str], ...]) -> None:
        path = (*above, (next(numbers), tree.name))
        found.extend((path, (*path, (next(numbers), "@x"))) if tree.name == "{u}c" else (path,))
        for child in tree.children:
            visit(child, path)
    visit(tree, ())
    return found


def tuples(steps: tuple[LinearStep, ...], tree: Tree) -> list[tuple[int, ...]]:
    """The path tuples in the order of their last nodes, deeper bindings first where these are the same."""
    return [found for path in rows(tree) for found in sorted(bindings(steps, path), reverse=True)]


def bindings(steps: tuple[LinearStep, ...], path: tuple[tuple[int, str], ...]) -> list[tuple[int, ...]]:
    if not steps:
        return [()] if not path else []
    found = []
    for place, (node, name) in enumerate(path):
        if steps[0][1] in accepted_names(name) and (steps[0][0] or place == 0):
            found.extend((node, *rest) for rest in bindings(steps[1:], path[place + 1 :]))
    return found


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    subsets = st.frozensets(st.sampled_from(NAMES), max_size=2)
    roots = draw(st.frozensets(st.sampled_from(NAMES), min_size=1, max_size=2))
    return Schema({name: draw(subsets) for name in NAMES}, roots)


def document(schema: Schema, random: Random, name: str | None = None, depth: int = 5) -> Tree:
    """A document that conforms, in which nearly all that is allowed stands in every element, in any order."""
    name = name or random.choice(sorted(schema.roots))
    allowed = sorted(schema.elements[name]) if depth > 1 else []
    children = [each for each in (*allowed, *allowed) if random.random() < 0.9]
    random.shuffle(children)
    return Tree(name, *(document(schema, random, child, depth - 1) for child in children))


def linear(random: Random) -> tuple[LinearStep, ...]:
    steps = [(random.random() < 0.6, random.choice(STEPS)) for _ in range(random.randint(1, 4))]
    end = random.choice((None, None, (True, "@x"), (False, "@*")))
    return (*steps, end) if end else tuple(steps)


@settings(max_examples=60, deadline=None)
@given(schemas(), st.integers())
def test_every_claim_that_says_yes_holds(schema: Schema, seed: int) -> None:
    random = Random(seed)
    tree = document(schema, random)
    assert all(schema.conforms(tuple(name for _, name in path)) for path in rows(tree))
    for steps in (linear(random) for _ in range(40)):
        check_claims(steps, schema, tuples(steps, tree))


def check_claims(steps: tuple[LinearStep, ...], schema: Schema, found: list[tuple[int, ...]]) -> None:
    ends = [each[-1] for each in found]
    assert ends == sorted(ends)
    assert not (claim_1(steps) or claim_2(steps, schema)) or len(ends) == len(set(ends)), steps
    for base in range(len(steps) + 1):
        pairs = [(each[base - 1] if base else 0, each[-1]) for each in found]
        for known in (None, schema):
            if no_duplicates(steps, base, known):
                assert len(pairs) == len(set(pairs)), (steps, base)
            if in_order(steps, base, known):
                assert pairs == sorted(pairs, key=lambda pair: pair[0]), (steps, base)


@settings(max_examples=60, deadline=None)
@given(schemas(), st.integers())
def test_canonical_paths_select_the_same_tuples(schema: Schema, seed: int) -> None:
    random = Random(seed)
    tree = document(schema, random)
    for steps in (linear(random) for _ in range(20)):
        new, numbers = canonical("".join(("//" if descends else "/") + name for descends, name in steps), schema)
        assert len(numbers) == len(steps) + 1
        moved = [tuple(each[number - 1] for number in numbers[1:]) for each in tuples(linear_steps(new), tree)]
        assert sorted(moved) == sorted(tuples(steps, tree)), (steps, new)
