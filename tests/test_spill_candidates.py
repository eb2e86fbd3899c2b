"""Pattern trees and the minimum candidate space: Figures 4 and 5, and all subsets of random trees as the judge."""

from __future__ import annotations

import itertools
import time
from random import Random

import pytest

from tests.spill_queries import Q1, Q2, Q3, Q4, outline, tree_of, tree_of_paths
from xpubsub.spill.candidates import NOTHING, Candidate, Lattice, candidate_count, minimum_candidates
from xpubsub.spill.effects import effect
from xpubsub.spill.pattern_tree import SpillNode, merged_tree


@pytest.mark.parametrize(("query", "expected"), [
    (Q1, "(a(//b d b(c)))"),                     # Figure 5(a): five nodes
    (Q2, "(a(d b))"), (Q3, "(a(b(e f) c))"), (Q4, "(list(o(P1 P2 P3 P4)))"),
    ("for $s in //s[@k = 1]/t return <x>{ $s/@n, $s/text() }</x>", "(//s(t))"),
    ("for $s in //@k return <x>{ $s }</x>", ""), ("for $s in /a//text() return $s", "(a)"),
])
def test_the_tree_of_a_query(query: str, expected: str) -> None:
    assert outline(tree_of(query)) == expected


def test_a_node_knows_the_paths_that_end_there() -> None:
    tree = tree_of('for $a in /a where $a/b = 1 and $a/@k and $a/c/d return <x>{ $a/b, for $e in $a//e return <y/> }</x>')
    assert [(node.linear_path, [(use.role, use.need, use.base, use.blocks) for use in node.uses]) for node in tree.nodes()] == [
        ("/", []),
        ("/a", [("for", "existence", "/", (1,)), ("where", "existence", "/a", (1,))]),
        ("/a//e", [("for", "existence", "/a", (1, 2)), ("return", "existence", "/a//e", (1, 2))]),
        ("/a/b", [("where", "value", "/a", (1,)), ("return", "copy", "/a", (1,))]),
        ("/a/c", []),
        ("/a/c/d", [("where", "existence", "/a", (1,))]),
    ]


def shown(candidates: list[Candidate]) -> set[str]:
    """Candidates as the figures write them: the last step of each path."""
    return {",".join(sorted(path.removeprefix("/a").removeprefix("/b/") or "/a" for path in each)) for each in candidates}


def test_figure_4_a_candidate_with_a_node_and_its_descendant_is_redundant() -> None:
    """Reconstructed: the tree a(b(c)); the text says that {b, c} has the effect of {b}, and all with a that of {a}."""
    found = list(minimum_candidates(tree_of_paths("/a/b/c")))
    assert sorted(map(sorted, found)) == [[], ["/a"], ["/a/b"], ["/a/b/c"]]
    for path in ("/", "/a", "/a/b", "/a/b/c", "/a/d"):
        assert effect(path, ["/a/b", "/a/b/c"]) is effect(path, ["/a/b"])
        assert effect(path, ["/a", "/a/b"]) is effect(path, ["/a", "/a/b/c"]) is effect(path, ["/a"])


def test_figure_5_the_minimum_candidate_space_of_q1() -> None:
    tree = tree_of(Q1)
    found = list(minimum_candidates(tree))
    assert 2 ** len([node for node in tree.nodes() if node.edge]) == 32
    assert len(found) == len(set(found)) == candidate_count(tree) == 13
    assert found[0] == NOTHING
    assert shown(found) == {
        "", "//b", "/d", "/b", "c", "//b,/d", "//b,/b", "//b,c", "/b,/d", "/d,c", "//b,/b,/d", "//b,/d,c", "/a"}


def test_the_lattice_of_q1() -> None:
    lattice = Lattice(tree_of(Q1))
    assert shown(lattice.below(NOTHING)) == {"//b", "/d", "c"}                     # its leaves
    assert shown(lattice.below(frozenset(["/a/b/c"]))) == {"//b,c", "/d,c", "/b"}
    assert lattice.below(frozenset(["/a//b", "/a/d", "/a/b"])) == [frozenset(["/a"])]
    assert lattice.below(frozenset(["/a"])) == []
    assert lattice.is_below(frozenset(["/a/b"]), frozenset(["/a/b/c"]))
    assert not lattice.is_below(frozenset(["/a/b"]), frozenset(["/a/d"]))


def random_tree(random: Random, nodes: int) -> SpillNode:
    paths = [""]
    for _ in range(nodes):
        paths.append(random.choice(paths) + random.choice(("/", "/", "//")) + random.choice("abc"))
    return tree_of_paths(*paths[1:])


def subsets(tree: SpillNode) -> list[tuple[str, ...]]:
    paths = [node.linear_path for node in tree.nodes() if node.edge]
    return [each for size in range(len(paths) + 1) for each in itertools.combinations(paths, size)]


@pytest.mark.parametrize("seed", range(30))
def test_candidates_are_minimal_and_complete(seed: int) -> None:
    """Every subset of the nodes spills what exactly one candidate spills, and no candidate is left over."""
    tree = random_tree(Random(seed), 7)
    lattice, found = Lattice(tree), list(minimum_candidates(tree))
    descendants = {node.linear_path: {each.linear_path for each in node.nodes()} for node in tree.nodes() if node.edge}
    by_spilled = {frozenset().union(*(descendants[path] for path in each)): each for each in found}
    assert len(by_spilled) == len(found) == candidate_count(tree)
    seen = set()
    for subset in subsets(tree):
        spilled = frozenset().union(*(descendants[path] for path in subset))
        seen.add(spilled)
        representative = by_spilled[spilled]
        for path in descendants:
            assert effect(path, representative) is effect(path, subset)
    assert seen == set(by_spilled)
    levels = list(lattice.levels())
    assert sorted(map(sorted, itertools.chain(*levels))) == sorted(map(sorted, found))
    for number, level in enumerate(levels):
        assert {bin(lattice.spilled(each)).count("1") for each in level} == {number}
        for each in level:
            assert all(lattice.is_below(lower, each) for lower in lattice.below(each))


def test_an_exponential_space_is_made_one_by_one() -> None:
    tree = tree_of_paths(*(f"/a/b{number}" for number in range(100)))
    assert candidate_count(tree) == 2**100 + 1
    started = time.process_time()
    assert len(set(minimum_candidates(tree, 1000))) == 1000
    assert time.process_time() - started < 5


def test_trees_are_merged_by_linear_path() -> None:
    queries = {"t1": Q1, "t2": "for $a in /a where $a/d = 1 return $a/e/f", "t3": "for $x in /x return $x//y"}
    merged = merged_tree(tree_of(text) for text in queries.values())
    assert outline(merged) == "(a(//b d b(c) e(f)) x(//y))"
    [d] = [node for node in merged.nodes() if node.linear_path == "/a/d"]
    assert [(use.role, use.need) for use in d.uses] == [("return", "copy"), ("where", "value")]
    assert sorted(map(str, merged.all_uses())) == sorted(str(use) for text in queries.values() for use in tree_of(text).all_uses())


@pytest.mark.parametrize("seed", range(10))
def test_merging_represents_every_candidate_of_each_tree(seed: int) -> None:
    random = Random(seed)
    trees = [random_tree(random, 3) for _ in range(3)]
    merged = merged_tree(trees)
    assert merged_tree([merged]) == merged
    every, lattice = set(minimum_candidates(merged)), Lattice(merged)
    paths = [node.linear_path for node in merged.nodes() if node.edge]
    for tree in trees:
        for candidate in minimum_candidates(tree):
            spilled = NOTHING
            for path in candidate:
                spilled = lattice.adding(spilled, path)
            assert spilled in every
            assert all(effect(path, spilled) is effect(path, candidate) for path in paths)
